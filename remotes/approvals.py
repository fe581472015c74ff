"""Calls that wait for a person: who is asked, what was answered, what is remembered."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec

from gateway.database import in_database
from gateway.limits import limits
from remotes import registry
from remotes.connections import Grant, RemoteConnection
from remotes.exceptions import CallNotFoundError, DeniedError, RemoteClosedError
from remotes.functions import RemoteFunction
from remotes.models import RememberedApproval

Remember = Literal["thread", "always"]


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """A call that is not sent before a person approves it."""

    call_id: str
    user_id: int
    remotename: str
    function: RemoteFunction
    args: str
    thread: str | None
    """The thread it belongs to; None for one that a client made."""
    answer: asyncio.Future[Grant]


_waiting: dict[tuple[int, str], WaitingCall] = {}


async def remembered(
    user_id: int, remotename: str, function: RemoteFunction, thread: str | None
) -> bool:
    """Whether the user has approved this very definition for good, or for the thread."""
    return await in_database(
        RememberedApproval.holds, user_id, remotename, function.name, function.digest, thread
    )


async def ask(waiting: WaitingCall) -> Grant:
    """Wait for a person's answer to ``waiting``.

    Raises:
        DeniedError: The person said no, or nobody answered in time.
        RemoteClosedError: The remote left meanwhile; nothing was sent.
    """
    key = (waiting.user_id, waiting.call_id)
    _waiting[key] = waiting
    try:
        async with asyncio.timeout(limits.approval_timeout):
            return await waiting.answer
    except TimeoutError as error:
        minutes = limits.approval_timeout / 60
        raise DeniedError(
            f"Nobody approved it within {minutes:g} minutes; it did not run."
        ) from error
    finally:
        del _waiting[key]


async def approve(
    user_id: int, call_id: str, args: str | None = None, remember: Remember | None = None
) -> None:
    """Let a waiting call be sent, with ``args`` (JSON text of an object) instead of its own.

    Raises:
        CallNotFoundError: No such call waits.
        InvalidArgsError: ``args`` do not fit; the call goes on waiting.
    """
    waiting = find(user_id, call_id)
    if args is not None:
        await waiting.function.check(msgspec.json.decode(args, type=dict), user_id)
    if waiting.answer.done():
        raise _not_found(call_id)
    grant = Grant(waiting.function.digest, waiting.args if args is None else args)
    waiting.answer.set_result(grant)
    thread = (waiting.thread or "") if remember == "thread" else ""
    if remember == "always" or thread:
        known = (waiting.remotename, waiting.function.name, waiting.function.digest, thread)
        await in_database(RememberedApproval.remember, user_id, *known)


def deny(user_id: int, call_id: str, reason: str | None = None) -> None:
    """Refuse a waiting call; ``reason`` is for whoever asked for it.

    Raises:
        CallNotFoundError: No such call waits.
    """
    waiting = find(user_id, call_id)
    told = f": {reason.strip()}" if reason and reason.strip() else "."
    waiting.answer.set_exception(DeniedError(f"The user did not approve it{told}"))


def find(user_id: int, call_id: str) -> WaitingCall:
    """The user's waiting call with that id.

    Raises:
        CallNotFoundError: There is none.
    """
    waiting = _waiting.get((user_id, call_id))
    if waiting is None or waiting.answer.done():
        raise _not_found(call_id)
    return waiting


def outside_threads(user_id: int) -> Iterator[WaitingCall]:
    """The user's waiting calls that belong to no thread."""
    return (
        waiting
        for (owner, _), waiting in _waiting.items()
        if owner == user_id and waiting.thread is None
    )


def _not_found(call_id: str) -> CallNotFoundError:
    return CallNotFoundError(f"No call {call_id[: limits.id]!r} waits for an answer.")


def _remote_left(connection: RemoteConnection) -> None:
    for waiting in list(_waiting.values()):
        gone = (waiting.user_id, waiting.remotename) == (connection.user_id, connection.name)
        if gone and not waiting.answer.done():
            waiting.answer.set_exception(RemoteClosedError(connection.name, sent=False))


registry.on_left(_remote_left)
