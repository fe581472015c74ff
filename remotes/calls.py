"""A call from its request to its one outcome, whoever makes it."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

from gateway.exceptions import BusyError
from remotes import approvals, registry
from remotes.connections import Grant, PendingCall, Progress
from remotes.exceptions import CancelledCallError, DeniedError, InvalidArgsError
from remotes.functions import RemoteFunction

if TYPE_CHECKING:
    from gateway.exceptions import ActionError


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a call that has not ended."""

    status: Literal["awaiting-approval", "running"]
    args: str
    """JSON text of the arguments, as they will be or were sent."""
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who wants to know how a call goes."""

    call_id: str
    """The id under which the call can be approved or denied."""
    thread: str | None
    """The thread it belongs to."""
    changed: Callable[[Change], None]


def _decoded(args: str) -> dict[str, object]:
    try:
        decoded: dict[str, object] = msgspec.json.decode(args, type=dict)
    except msgspec.DecodeError as error:  # JSON, but a number is beyond what can be checked
        raise InvalidArgsError(f"The arguments can't be checked: {error}.") from error
    return decoded


def new_call_id() -> str:
    """An id for a call, unguessable."""
    return secrets.token_urlsafe(16)


class Call:
    """One call of one user's function.

    Args:
        args: JSON text of an object.
        timeout: Seconds to wait instead of the function's own.
        watcher: Hears when the call waits for approval, is sent and makes progress.
    """

    def __init__(
        self,
        user_id: int,
        remotename: str,
        function: str,
        args: str,
        *,
        timeout: float | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        self.user_id = user_id
        self.remotename = remotename
        self.function = function
        self.args = args
        self._timeout = timeout
        self._watcher = watcher
        self._fail: Callable[[ActionError], None] | None = None
        self._was_sent = False
        self._cancelled = False

    async def outcome(self) -> str:
        """Make the call and return the JSON text of its result.

        Cancelling the wait cancels the call at its owner.

        Raises:
            RemoteNotFoundError, FunctionNotFoundError, InvalidArgsError, BusyError, DeniedError:
                Nothing was sent.
            RemoteTimeoutError, RemoteClosedError, CancelledCallError: It may have run.
            RemoteError: The function failed.
        """
        function = registry.find(self.user_id, self.remotename).function(self.function)
        with registry.call_slot(self.user_id):
            await function.check(_decoded(self.args), self.user_id)
            self._check_cancelled()
            grant = await self._approval(function) if function.confirm else None
            self._check_cancelled()
            return await self._sent(function, grant)

    def cancel(self) -> None:
        """End the call with a CancelledCallError, now or before it would be sent."""
        self._cancelled = True
        if self._fail is not None:
            self._fail(CancelledCallError(self.function, sent=self._was_sent))

    def _check_cancelled(self) -> None:
        if self._cancelled:
            raise CancelledCallError(self.function, sent=False)

    async def _approval(self, function: RemoteFunction) -> Grant:
        watcher = self._watcher or Watcher(new_call_id(), None, lambda change: None)
        known = (self.user_id, self.remotename, function, watcher.thread)
        if await approvals.remembered(*known):
            return Grant(function.digest, self.args)
        self._check_cancelled()
        registry.find(self.user_id, self.remotename)
        answer: asyncio.Future[Grant] = asyncio.get_running_loop().create_future()
        self._fail = lambda error: None if answer.done() else answer.set_exception(error)
        waiting = approvals.WaitingCall(
            watcher.call_id,
            self.user_id,
            self.remotename,
            function,
            self.args,
            watcher.thread,
            answer,
        )
        asked = approvals.ask(waiting)
        watcher.changed(Change("awaiting-approval", self.args))
        grant = await asked
        self.args = grant.args
        return grant

    async def _sent(self, checked: RemoteFunction, grant: Grant | None) -> str:
        """Send it to whoever owns the remote by now, if the function is still the same."""
        connection = registry.find(self.user_id, self.remotename)
        function = connection.function(self.function)
        if function.digest != checked.digest:
            error = DeniedError if function.confirm or checked.confirm else BusyError
            raise error(f"{self.function} was defined anew meanwhile; nothing was sent.")
        return await connection.call(
            self.function,
            self.args,
            timeout=self._timeout,
            grant=grant,
            on_pending=self._pending,
            on_progress=lambda progress: self._tell(Change("running", self.args, progress)),
        )

    def _pending(self, pending: PendingCall) -> None:
        self._fail = pending.fail
        self._was_sent = True
        self._tell(Change("running", self.args))

    def _tell(self, change: Change) -> None:
        if self._watcher is not None:
            self._watcher.changed(change)
