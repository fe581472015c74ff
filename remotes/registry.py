"""The connected remotes, by (user_id, name), in this process's memory."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gateway import nodes
from gateway.exceptions import BusyError, TooManyError
from gateway.limits import limits
from gateway.sessions import Session
from remotes.connections import RemoteConnection, awaited
from remotes.exceptions import RemoteClosedError, RemoteNotFoundError

_connections: dict[tuple[int, str], RemoteConnection] = {}
_owned: dict[str, set[RemoteConnection]] = {}
"""By session id: all connections it serves or still has calls of."""
_in_flight: Counter[int] = Counter()
_left_hooks: list[Callable[[RemoteConnection], None]] = []

nodes.gauge("remotes", lambda: len(_connections))
nodes.gauge("pending", lambda: len(awaited))


def topic(user_id: int) -> str:
    """The topic on which ``remotes-changed`` is told."""
    return f"remotes:{user_id}"


def find(user_id: int, name: str) -> RemoteConnection:
    """The user's remote called ``name``.

    Raises:
        RemoteNotFoundError: It is not connected.
    """
    try:
        return _connections[user_id, name]
    except KeyError:
        raise RemoteNotFoundError(name) from None


def of_user(user_id: int) -> list[RemoteConnection]:
    """The user's remotes, by name."""
    mine = [entry for (owner, _), entry in _connections.items() if owner == user_id]
    return sorted(mine, key=lambda entry: entry.name)


def everything() -> list[RemoteConnection]:
    """All remotes of all users, by user and name."""
    return [connection for _, connection in sorted(_connections.copy().items())]


def connect(connection: RemoteConnection) -> bool:
    """Register ``connection``; the newest owner of a name wins.

    Returns:
        Whether another session owned the name; it has been told.
    Raises:
        TooManyError: The user has as many remotes as allowed.
    """
    key = (connection.user_id, connection.name)
    before = _connections.get(key)
    if before is None and len(of_user(connection.user_id)) >= limits.remotes:
        raise TooManyError(f"You have {limits.remotes} remotes connected already.")
    if before is not None and before.session is connection.session:
        before.redefine(connection)
        replaced = False
    else:
        _connections[key] = connection
        _own(connection)
        replaced = before is not None
        if before is not None:
            _tell(before, "replaced", {"by": {"client": connection.client}})
            if not before.pending:
                _owned[before.session.id].discard(before)
    nodes.publish(topic(connection.user_id), "remotes-changed", {})
    return replaced


def on_left(hook: Callable[[RemoteConnection], None]) -> None:
    """Call ``hook`` with every remote that leaves and that nobody took over."""
    _left_hooks.append(hook)


def disconnect(user_id: int, name: str, by: Session) -> None:
    """Take a remote away; its calls in flight fail at once.

    Raises:
        RemoteNotFoundError: It is not connected.
    """
    connection = find(user_id, name)
    _remove(connection)
    _owned[connection.session.id].discard(connection)
    connection.close(RemoteClosedError(name))
    if connection.session is not by:
        _tell(connection, "disconnected", {})


@contextmanager
def call_slot(user_id: int) -> Iterator[None]:
    """Count one call of the user for as long as the block runs.

    Raises:
        BusyError: The user has as many calls under way as allowed.
    """
    if _in_flight[user_id] >= limits.in_flight:
        raise BusyError(f"You have {limits.in_flight} calls under way; wait for some to end.")
    _in_flight[user_id] += 1
    try:
        yield
    finally:
        _in_flight[user_id] -= 1
        if not _in_flight[user_id]:
            del _in_flight[user_id]


def _own(connection: RemoteConnection) -> None:
    session = connection.session
    if session.id not in _owned:
        _owned[session.id] = set()
        session.on_close(lambda: _release(session))
    _owned[session.id].add(connection)


def _release(session: Session) -> None:
    """End what a closed session served; a registration that another took over stays."""
    for connection in _owned.pop(session.id):
        if _connections.get((connection.user_id, connection.name)) is connection:
            _remove(connection)
        connection.close()


def _remove(connection: RemoteConnection) -> None:
    del _connections[connection.user_id, connection.name]
    for hook in _left_hooks:
        hook(connection)
    nodes.publish(topic(connection.user_id), "remotes-changed", {})


def _tell(connection: RemoteConnection, reason: str, more: dict[str, object]) -> None:
    payload = {"remotename": connection.name, "reason": reason, **more}
    connection.session.post("remote-disconnected", payload)
