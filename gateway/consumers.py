"""The one consumer: a frame in, a handler, a frame out; where exceptions become frames."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from channels.consumer import AsyncConsumer
from django.db import InterfaceError, OperationalError

from gateway import credentials, frames, nodes
from gateway.actions import Action, registry
from gateway.exceptions import (
    ActionError,
    BusyError,
    ForbiddenScopeError,
    InternalError,
    TooManyError,
    UnauthenticatedError,
    UnavailableError,
    UnknownActionError,
)
from gateway.limits import KIB, announced, limits
from gateway.rates import FrameRate
from gateway.sessions import Session

if TYPE_CHECKING:
    from gateway.credentials import Identity

logger = logging.getLogger(__name__)

PROTOCOL = 1
TIRING = 64 * KIB  # bytes of a frame that takes a while to read
NO_CREDENTIAL = "Sign in, or connect with a token that holds."
FLOODED = 4429
"""Close code for a client that goes on sending after it was told to slow down."""

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

UnreadableHook = Callable[[Session, str | bytes, ActionError], bool]

_unreadable_hooks: list[UnreadableHook] = []


def on_unreadable(hook: UnreadableHook) -> None:
    """Show ``hook`` every message that could not be read, besides the error reply it gets.

    It returns whether the message answers something pending, and so does not count as a flood.
    """
    _unreadable_hooks.append(hook)


class Gateway(AsyncConsumer):
    """One socket from handshake to end.

    Channels would give each frame a task, a look at the channel layer and a hop through the
    database thread; this receives by itself and needs none of them.
    """

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve the socket of ``scope`` until it ends."""
        await receive()
        refusal: ActionError | None = None
        identity: Identity | None = None
        try:
            await nodes.ready()
            identity = await credentials.identify(scope)
        except credentials.HandshakeRefusedError:
            await send({"type": "websocket.close"})
            return
        except (OperationalError, InterfaceError, UnavailableError) as failure:
            refusal = _told(failure, "A handshake")
        if nodes.stopping():
            identity, refusal = None, UnavailableError("The server is stopping; come back soon.")
        offered = scope.get("subprotocols", ())
        chosen = credentials.SUBPROTOCOL if credentials.SUBPROTOCOL in offered else None
        await send({"type": "websocket.accept", "subprotocol": chosen})
        if identity is None:
            await _turn_away(send, refusal or UnauthenticatedError(NO_CREDENTIAL))
            return
        session = Session(identity, send)
        try:
            _admit(session)
            await _serve(session, receive)
        finally:
            session.end()
            await session.wait_ended()


async def _turn_away(send: Send, error: ActionError) -> None:
    """Tell why the socket is not served; without a credential for good, else for now."""
    unauthenticated = isinstance(error, UnauthenticatedError)
    code = nodes.UNAUTHENTICATED if unauthenticated else nodes.STOPPING
    await send({"type": "websocket.send", "text": frames.encode_error(error, None, None)})
    await send({"type": "websocket.close", "code": code})


def _admit(session: Session) -> None:
    """Count the session in and welcome it, or close it where its user has too many already."""
    if len(nodes.sessions_of(session.user_id)) >= limits.sockets:
        error = TooManyError(f"You have {limits.sockets} open connections already; close some.")
        session.post_text(frames.encode_error(error, None, None))
        session.close(FLOODED)
        return
    nodes.add(session)
    user = {"id": str(session.user_id), "name": session.identity.name}
    payload = {
        "protocol": PROTOCOL,
        "session": session.id,
        "user": user,
        "limits": announced(),
    }
    session.post("welcome", payload)
    for hook in _welcome_hooks:
        hook(session)


_welcome_hooks: list[Callable[[Session], None]] = []


def on_welcome(hook: Callable[[Session], None]) -> None:
    """Call ``hook`` with each session straight after its ``welcome``."""
    _welcome_hooks.append(hook)


async def _serve(session: Session, receive: Receive) -> None:
    """Take the socket's frames, one after another, until it closes."""
    rate = FrameRate()
    while (event := await receive())["type"] == "websocket.receive":
        if not session.ended:
            session.heard = monotonic()
            text = event.get("text")
            data = event["bytes"] if text is None else text
            await _take(session, rate, data)
            if len(data) > TIRING:
                await asyncio.sleep(0)  # a queue of large frames must not hold up other sockets


async def _take(session: Session, rate: FrameRate, data: str | bytes) -> None:
    """Answer one message, or start the task that will."""
    action: str | None = None
    id_: str | None = None
    try:
        try:
            frame = frames.decode(data)
        except frames.FrameError as unreadable:
            action, id_ = unreadable.action, unreadable.id
            answered = [hook(session, data, unreadable.error) for hook in _unreadable_hooks]
            if not any(answered):
                rate.count()
            raise unreadable.error from unreadable
        action, id_ = frame.action, frame.id
        await _dispatch(session, rate, frame)
    except Exception as failure:
        echoed = None if action is None else action[: frames.ECHOED]
        session.post_text(frames.encode_error(_told(failure, echoed), echoed, id_), id_)
        if rate.exhausted:
            session.close(FLOODED)


async def _dispatch(session: Session, rate: FrameRate, frame: frames.Frame) -> None:
    """Check a request and have its handler serve it."""
    entry = registry.get(frame.action)
    if entry is None:
        rate.count()
        raise UnknownActionError(f"There is no action {frame.action[: frames.ECHOED]!r}.")
    try:
        payload = frames.payload_of(frame, entry.payload)
    except ActionError:
        rate.count()
        raise
    if entry.exempt is None or not entry.exempt(session, payload):
        rate.count()
    _check_scope(session, entry)
    if entry.inline is not None:
        reply = entry.inline(session, payload)
        if reply is not None:
            session.post(entry.reply, reply, frame.id)
        return
    work = _answer(session, entry, payload, frame.id)
    if not entry.ordered:
        session.spawn(work)
    elif session.waiting_in_order < limits.ordered:
        session.spawn_ordered(work)
    else:
        work.close()
        raise BusyError("Too many requests that wait for each other; wait for some replies.")


def _check_scope(session: Session, entry: Action) -> None:
    scopes = session.identity.scopes
    if scopes and entry.scope is not None and entry.scope not in scopes:
        raise ForbiddenScopeError(
            f"This token has no scope {entry.scope}, which {entry.name} needs."
        )


async def _answer(session: Session, entry: Action, payload: object, id: str | None) -> None:
    """Run a handler and send what it returns, or the error that it raises."""
    assert entry.handler is not None  # noqa: S101
    await session.room()
    try:
        reply = await entry.handler(session, payload)
    except Exception as failure:
        session.post_text(frames.encode_error(_told(failure, entry.name), entry.name, id), id)
    else:
        if reply is not None:
            session.post(entry.reply, reply, id)


def _told(failure: Exception, action: str | None) -> ActionError:
    """What a client is told of ``failure``: its own words, or that the log has the trace."""
    if isinstance(failure, ActionError):
        return failure
    logger.error("%s failed", action or "A frame", exc_info=failure)
    if isinstance(failure, OperationalError | InterfaceError):
        return UnavailableError("The database can't be reached right now; try again in a moment.")
    return InternalError("The server failed to do that; its log says why.")
