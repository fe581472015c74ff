"""Who hears what happens in a thread, and how a snapshot of it is kept in step with the events.

Sockets that opened a thread hear all its events. The user's other pages, which are sockets with a
cookie, hear ``thread-changed`` and ``thread-deleted`` as well, so that their thread lists follow;
programs, which have a token, hear nothing that they did not ask for.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from gateway import nodes
from gateway.sessions import Session

# A snapshot that was read while one of these was told may lack what it told.
_STRUCTURAL = {
    "message-created",
    "message-finished",
    "run-finished",
    "thread-changed",
    "thread-deleted",
}


class Reading:
    """A look at a thread's rows that is under way.

    Attributes:
        stale: Whether the thread changed meanwhile, so that it must be read again.
    """

    stale = False


_readings: defaultdict[str, set[Reading]] = defaultdict(set)


@contextmanager
def reading(thread: str) -> Iterator[Reading]:
    """Notice whether the thread changes while the block runs."""
    look = Reading()
    _readings[thread].add(look)
    try:
        yield look
    finally:
        _readings[thread].discard(look)
        if not _readings[thread]:
            del _readings[thread]


def subscribe(session: Session, thread: str) -> None:
    """Let ``session`` hear the thread's events from now on."""
    nodes.subscribe(session, _topic(thread))


def unsubscribe(session: Session, thread: str) -> None:
    """Let ``session`` hear the thread's events no longer."""
    nodes.unsubscribe(session, _topic(thread))


def tell(thread: str, action: str, payload: Mapping[str, object]) -> None:
    """Send an event to everyone who has the thread open."""
    if action in _STRUCTURAL:
        for look in _readings.get(thread, ()):
            look.stale = True
    nodes.publish(_topic(thread), action, payload)


def tell_user(user_id: int, thread: str, action: str, payload: Mapping[str, object]) -> None:
    """Send an event to everyone who has the thread open and to the user's other pages."""
    tell(thread, action, payload)
    told = set(nodes.subscribers(_topic(thread)))
    nodes.publish(
        nodes.user_topic(user_id),
        action,
        payload,
        to=lambda session: session.identity.kind == "cookie" and session not in told,
    )


def announce(session: Session, payload: Mapping[str, object]) -> None:
    """Tell the user's other pages of a thread that ``session`` has just made."""
    nodes.publish(
        nodes.user_topic(session.user_id),
        "thread-changed",
        payload,
        to=lambda other: other.identity.kind == "cookie" and other is not session,
    )


def _topic(thread: str) -> str:
    return f"thread:{thread}"
