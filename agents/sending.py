"""From a client's request to the turn that the agent answers: checked, begun once, replied to."""

from collections.abc import Callable

from agents import runs
from agents.agent import Agent
from chat import services, topics, turns, wire
from chat.models import Message
from chat.turns import Turn
from gateway import nodes
from gateway.actions import Reply
from gateway.database import in_database
from gateway.exceptions import InvalidPayloadError, TooLargeError, UnavailableError
from gateway.frames import detail
from gateway.limits import KIB, limits
from gateway.sessions import Session

Begin = Callable[[str, str], Turn]
"""What stores a turn, given the sender's key, which may be empty, and this process's boot id."""


def check_content(content: str) -> None:
    """Refuse what can't be a user's message.

    Raises:
        InvalidPayloadError: It is blank.
        TooLargeError: It is longer than a message may be.
    """
    if not content.strip():
        message = "A message needs some text."
        raise InvalidPayloadError(message, detail("content", message))
    if len(content.encode()) > limits.content:
        message = f"A message may have {limits.content // KIB} KiB; shorten it or send it in parts."
        raise TooLargeError(message, detail("content", message))


async def message_of(session: Session, message: str, role: Message.Role) -> Message:
    """The user's message with that id.

    Raises:
        MessageNotFoundError: The user has none.
        InvalidPayloadError: It is the other side's.
    """
    row = await in_database(services.message_of, session.user_id, message)
    if row.role != role:
        fault = f"This needs a message of the {role.label.lower()}'s."
        raise InvalidPayloadError(fault, detail("message", fault))
    return row


async def begun(session: Session, thread: str, key: str | None, begin: Begin) -> Turn:
    """The turn that ``begin`` stores, or the one that the same key began before.

    From then on the session hears the thread's events. The turn goes on to its end even if the
    session has ended meanwhile.

    Raises:
        BusyError: A run is under way in the thread; nothing is stored.
        UnavailableError: The server is about to stop.
    """
    if nodes.stopping():
        raise UnavailableError("The server is about to stop; send it again in a moment.")
    return await runs.lasting(_begun(session, thread, key or "", begin))


async def _begun(session: Session, thread: str, key: str, begin: Begin) -> Turn:
    turn = await _stored(session.user_id, thread, key, begin)
    if not session.ended:
        topics.subscribe(session, thread)
    if not turn.repeated:
        await Agent().received_message(turn)
    return turn


async def _stored(user_id: int, thread: str, key: str, begin: Begin) -> Turn:
    live = runs.of_thread(thread)
    if live is None or live.user_id != user_id:
        return await in_database(begin, key, nodes.boot_id)
    before = await in_database(turns.repeated, user_id, thread, key)
    if before is None:
        raise turns.busy()
    return before


def asked(turn: Turn) -> Reply:
    """The reply that shows the user's message."""
    return {"message": wire.message(turn.message, [], turn.siblings), "run": wire.run(turn.run)}


async def answered(turn: Turn) -> Reply:
    """The reply that shows the answer as it is now; nothing is awaited after that look."""
    run = wire.run(turn.run)
    live = runs.of_thread(turn.thread.pk)
    if live is not None and live.run.pk == turn.run.pk:
        return {"message": live.answer.object(), "run": run}
    return {"message": await in_database(services.message_object, turn.answer), "run": run}
