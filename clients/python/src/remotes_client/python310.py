"""Lets a websockets release for newer Pythons, as `remotes.pyz` holds one, run on Python 3.10."""

import asyncio
import logging
import sys
import typing
from types import GenericAlias, TracebackType

from websockets.version import version as websockets_version

_FIRST_WITHOUT_310 = 17  # the major version of websockets that dropped Python 3.10


# Caught by either name: on Python 3.10 these are two classes, and websockets uses both.
_TimeoutExpiredError: type[Exception] = type(
    "TimeoutExpiredError", tuple({asyncio.TimeoutError, TimeoutError}), {}
)


class _Timeout:
    """What ``asyncio.timeout_at`` does, as far as websockets uses it."""

    def __init__(self, when: float | None) -> None:
        self._when = when
        self._expired = False
        self._handle: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> "_Timeout":
        task = asyncio.current_task()
        if self._when is not None and task is not None:
            self._handle = asyncio.get_running_loop().call_at(self._when, self._expire, task)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handle is not None:
            self._handle.cancel()
        if self._expired and kind is asyncio.CancelledError:
            raise _TimeoutExpiredError from error

    def _expire(self, task: asyncio.Task[object]) -> None:
        self._expired = True
        task.cancel()


def _timeout(delay: float | None) -> _Timeout:
    return _Timeout(None if delay is None else asyncio.get_running_loop().time() + delay)


def prepare() -> None:
    """Add the names that websockets takes from Python 3.11, where both need it."""
    is_older = int(websockets_version.partition(".")[0]) < _FIRST_WITHOUT_310
    if sys.version_info >= (3, 11) or is_older:
        return
    for owner, name, value in (
        (asyncio, "timeout", _timeout),
        (asyncio, "timeout_at", _Timeout),
        (typing, "Self", typing.Any),
        (logging.LoggerAdapter, "__class_getitem__", classmethod(GenericAlias)),
    ):
        if not hasattr(owner, name):
            setattr(owner, name, value)
