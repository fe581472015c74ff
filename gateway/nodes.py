"""This process: its open sockets, who is told what, how it starts and how it stops.

A server starts it with its first request or socket, since Daphne sends no lifespan events, and it
stops by signal, alike on every server.
"""

import asyncio
import contextlib
import logging
import random
import secrets
import signal
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from types import FrameType
from typing import Any

from django.db import Error as DatabaseFault

from gateway import credentials, frames
from gateway.credentials import Identity
from gateway.exceptions import UnavailableError
from gateway.limits import limits
from gateway.sessions import Session

logger = logging.getLogger(__name__)

STOPPING = 4412
"""Close code of a server that stops; clients come back after ``goodbye``'s delay."""
UNAUTHENTICATED = 4401
"""Close code of a socket without a credential that holds."""
RETRY_SPREAD = 5.0
"""Seconds over which clients are asked to spread their return."""

READY_PATIENCE = 3.0
"""Seconds that a socket waits for a server that has just begun; Daphne gives a handshake 5."""
START_RETRY = 1.0
"""Seconds before the start is tried again while the database is away."""
FAREWELL = 2.0
"""Seconds that the last frames may take to leave."""

boot_id = secrets.token_urlsafe(12)
"""This process's own name among all that ever served the same database."""

_sessions: dict[str, Session] = {}
_topics: defaultdict[str, set[Session]] = defaultdict(set)
_gauges: dict[str, Callable[[], int]] = {}
_start_hooks: list[Callable[[], Awaitable[None]]] = []
_stop_hooks: list[Callable[[], Awaitable[None]]] = []


class _Node:
    """What begins with the first request: the loop, the periodic work, the signals."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self.ready = asyncio.Event()
        self.stopping = False
        self.tasks: set[asyncio.Future[Any]] = set()

    def spawn(self, work: Awaitable[object]) -> None:
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Future[Any]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("Work of this node failed", exc_info=task.exception())


_node = _Node()


def start() -> None:
    """Begin this node's work on the running loop, once; later calls return at once."""
    if _node.loop is None:
        _node.loop = asyncio.get_running_loop()
        _node.spawn(_run_start_hooks())
        _node.spawn(_check_credentials_for_ever())
        _drain_on_signals()


async def ready() -> None:
    """Wait until what must happen before the first socket is served has happened.

    Raises:
        UnavailableError: It takes long, since the database can't be reached.
    """
    start()
    if not _node.ready.is_set():
        try:
            await asyncio.wait_for(_node.ready.wait(), READY_PATIENCE)
        except TimeoutError as error:
            raise UnavailableError("The server is not ready yet; come back soon.") from error


def on_start(hook: Callable[[], Awaitable[None]]) -> None:
    """Have ``hook`` finish before this node serves its first socket."""
    _start_hooks.append(hook)


def on_stop(hook: Callable[[], Awaitable[None]]) -> None:
    """Have ``hook`` end its work, within ``limits.drain`` seconds, when the server stops."""
    _stop_hooks.append(hook)


def stopping() -> bool:
    """Whether the server is about to end, so that nothing new should begin."""
    return _node.stopping


def spawn(work: Awaitable[object]) -> None:
    """Run ``work`` as a task of the node, which outlives any socket."""
    _node.spawn(work)


def spawn_soon(begin: Callable[[], Awaitable[object]]) -> None:
    """Spawn what ``begin`` returns; may be called from any thread."""
    if _node.loop is not None and not _node.loop.is_closed():
        _node.loop.call_soon_threadsafe(lambda: _node.spawn(begin()))


# Sockets and topics


def add(session: Session) -> None:
    """Count ``session`` among the open sockets until it ends."""
    _sessions[session.id] = session
    session.on_close(lambda: _sessions.pop(session.id, None))
    subscribe(session, user_topic(session.user_id))
    session.on_close(lambda: _forget(session))
    _check_at_expiry(session)


def sessions_of(user_id: int) -> list[Session]:
    """The user's open sockets, oldest first."""
    return [session for session in _sessions.values() if session.user_id == user_id]


def user_topic(user_id: int) -> str:
    """The topic that every socket of a user hears."""
    return f"user:{user_id}"


def subscribe(session: Session, topic: str) -> None:
    """Let ``session`` hear what is published on ``topic``."""
    if not session.ended:
        _topics[topic].add(session)
        session.topics.add(topic)


def unsubscribe(session: Session, topic: str) -> None:
    """Let ``session`` hear ``topic`` no longer."""
    session.topics.discard(topic)
    hearers = _topics.get(topic)
    if hearers is not None:
        hearers.discard(session)
        if not hearers:
            del _topics[topic]


def subscribers(topic: str) -> list[Session]:
    """The sockets that hear ``topic``."""
    return list(_topics.get(topic, ()))


def publish(
    topic: str,
    action: str,
    payload: Mapping[str, object],
    to: Callable[[Session], bool] | None = None,
) -> None:
    """Send an event to every socket that hears ``topic``, or to those that ``to`` picks."""
    hearers = [session for session in subscribers(topic) if to is None or to(session)]
    if hearers:
        text = frames.encode(action, payload)
        for session in hearers:
            session.post_text(text)


def _forget(session: Session) -> None:
    for topic in list(session.topics):
        unsubscribe(session, topic)


# Gauges


def gauge(name: str, read: Callable[[], int]) -> None:
    """Show what ``read`` returns under ``name`` on the page for operators."""
    _gauges[name] = read


def gauges() -> dict[str, int]:
    """How much of everything there is right now."""
    return {name: read() for name, read in sorted(_gauges.items())}


gauge("sockets", lambda: len(_sessions))
gauge("tasks", lambda: sum(session.tasks for session in list(_sessions.values())))


# Credentials that end


def _everyone(identity: Identity) -> bool:
    return True


async def check_credentials(concerned: Callable[[Identity], bool] = _everyone) -> None:
    """Close the sockets whose credential no longer holds, among those ``concerned``."""
    looked_at = [session for session in _sessions.values() if concerned(session.identity)]
    if not looked_at:
        return
    good = await credentials.holding({session.identity for session in looked_at})
    for session in looked_at:
        if session.identity not in good:
            end_credential(session)


def end_credential(session: Session) -> None:
    """Close a socket whose credential has ended."""
    if not session.ended:
        text = "Your sign-in or token no longer holds. Sign in again, or make a new token."
        payload = {"action": None, "code": "unauthenticated", "message": text}
        session.post("error", payload)
        session.close(UNAUTHENTICATED)


def _check_at_expiry(session: Session) -> None:
    """Look at a credential when it would expire; a session that was used has been prolonged."""
    expires_at = session.identity.expires_at
    if expires_at is not None:
        left = (expires_at - datetime.now(UTC)).total_seconds()
        own = session.identity
        timer = asyncio.get_running_loop().call_later(
            left, recheck_soon, lambda identity: identity == own
        )
        session.on_close(timer.cancel)


def recheck_soon(concerned: Callable[[Identity], bool]) -> None:
    """Have :func:`check_credentials` run now; may be called from any thread."""
    spawn_soon(lambda: check_credentials(concerned))


async def _check_credentials_for_ever() -> None:
    while True:
        await asyncio.sleep(limits.credential_check)
        try:
            await check_credentials()
        except DatabaseFault:
            logger.exception("The sockets' credentials could not be checked; trying again.")


# Start and stop


async def _run_start_hooks() -> None:
    for hook in _start_hooks:
        while True:
            try:
                await hook()
                break
            except DatabaseFault:
                logger.exception("The server is not ready; trying again in %g s.", START_RETRY)
                await asyncio.sleep(START_RETRY)
    _node.ready.set()


def _drain_on_signals() -> None:
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            before = signal.getsignal(number)
            if before != signal.SIG_IGN:  # a shell's background job is not ended by Ctrl+C
                _drain_before(number, before)


def _drain_before(number: int, server_handler: Any) -> None:
    """Say goodbye when the signal comes, then let the server's own handler end it.

    A second signal ends it at once.
    """

    def handle(received: int, frame: FrameType | None) -> None:
        if _node.stopping or _node.loop is None:
            _hand_over(server_handler, received, frame)
        else:
            _node.stopping = True
            drained = _drain(lambda: _hand_over(server_handler, received, None))
            _node.loop.call_soon_threadsafe(lambda: _node.spawn(drained))

    signal.signal(number, handle)


def _hand_over(server_handler: Any, number: int, frame: FrameType | None) -> None:
    if callable(server_handler):
        server_handler(number, frame)
    else:
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)


async def _drain(then: Callable[[], None]) -> None:
    try:
        async with asyncio.timeout(limits.drain):
            for hook in _stop_hooks:
                await hook()
    except TimeoutError:
        logger.warning("Running work did not end within %g s; stopping now.", limits.drain)
    finally:
        leaving = list(_sessions.values())
        for session in leaving:
            delay = round(random.uniform(0.2, RETRY_SPREAD), 2)  # noqa: S311 - no secret
            session.post("goodbye", {"retryAfter": delay})
            session.close(STOPPING)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(_written(leaving), FAREWELL)
        then()


async def _written(sessions: Iterable[Session]) -> None:
    """Wait until the server has what is still to be sent, and has had a moment to send it."""
    for session in sessions:
        await session.written()
    await asyncio.sleep(0.1)
