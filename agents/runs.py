"""Runs: each a task of its thread on this node, which stores and tells what the agent does.

A run outlives the page that began it. It ends by itself, when it is stopped, or with the server;
whatever happens, its message and each of its calls get exactly one outcome.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing, suppress
from time import monotonic
from typing import Any, Literal, ParamSpec, TypeVar, cast

from django.db import DatabaseError, InterfaceError, OperationalError

from agents import clients
from agents.events import (
    Asked,
    CallChanged,
    CallFinished,
    CallStarted,
    CallStatus,
    Event,
    Finished,
    PastCall,
    PastTurn,
    ReasoningDelta,
    RunInput,
    TextDelta,
)
from agents.live import LiveAnswer
from chat import services, snapshots, topics, turns, wire
from chat.models import MODEL_LENGTH, Call, Message, Run
from chat.turns import Turn
from gateway import nodes
from gateway.database import in_database
from gateway.exceptions import ActionError
from gateway.limits import limits
from gateway.texts import storable

logger = logging.getLogger(__name__)

SAVE_INTERVAL = 0.5  # seconds between two writes of a growing text
HEARTBEAT = 5.0  # seconds between two writes of a run that says nothing
STOP_PATIENCE = 0.3  # seconds that a stopped agent gets to leave
STOP_WAIT = 2.0  # seconds that whoever stops a run waits for its end
DRAIN_RESERVE = 2.0  # seconds of the server's last ones that are kept for storing
RETRY = 1.0  # seconds before an end that could not be stored is tried again

FAILED = "The server failed while it answered; its log says why. Send the message again."
UNSTORED = "The answer could not be stored whole; the server's log says why."

Answering = Callable[[RunInput], AsyncGenerator[Event, None]]
"""What answers: :meth:`agents.expert.ExpertAgent.run`."""

P = ParamSpec("P")
T = TypeVar("T")

_running: dict[str, "LiveRun"] = {}
"""The runs of this node by thread."""

nodes.gauge("runs", lambda: len(_running))


class LiveRun:
    """One run of this node.

    Attributes:
        user_id: Whose thread it is.
        run: Its row.
        answer: The message that it writes.
    """

    def __init__(self, turn: Turn, remotes: Sequence[str], answering: Answering) -> None:
        self.user_id = turn.thread.user_id
        self.run = turn.run
        self.answer = LiveAnswer(turn.answer, turn.answer_siblings)
        self._turn = turn
        self._remotes = remotes
        self._answering = answering
        self._stop: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        self._heartbeat = monotonic()
        self._saved = ("", "")
        self._acting = asyncio.create_task(self._act())
        self.task = asyncio.create_task(self._live())

    def stop(self, status: str = Run.Status.STOPPED, error: str = "") -> None:
        """Have the run end with ``status``; what it has written is kept."""
        if not self._stop.done():
            self._stop.set_result((status, error))
            self._acting.cancel()

    async def _live(self) -> None:
        """Take the run from its start to its stored end, and only then tell that it is over."""
        thread = self.run.thread_id
        try:
            await self._save_until_over()
            await self._end(*await self._outcome())
        finally:
            if _running.get(thread) is self:
                del _running[thread]
        topics.tell(thread, "message-finished", {"message": self.answer.object()})
        topics.tell(thread, "run-finished", {"run": wire.run(self.run)})
        await snapshots.tell_changed(self.user_id, thread)

    async def _outcome(self) -> tuple[str, str]:
        """The status and the error with which the run ends."""
        if self._stop.done():
            await asyncio.wait([self._acting], timeout=STOP_PATIENCE)
            return self._stop.result()
        if self._acting.cancelled():
            logger.error("A run was cancelled by something that it waited for")
            return Run.Status.FAILED, FAILED
        end = self._acting.result()
        self._note(end)
        return end.status, storable(end.error or "")

    async def _act(self) -> Finished:
        """Have the agent answer; the one place where whatever goes wrong becomes an outcome."""
        try:
            async with aclosing(self._answering(await self._input())) as events:
                async for event in events:
                    if isinstance(event, Finished):
                        return event
                    await self._take(event)
        except ActionError as error:
            return Finished("failed", error.message)
        except Exception:  # the run's outermost boundary
            logger.exception("A run failed")
        return Finished("failed", FAILED)

    async def _input(self) -> RunInput:
        messages = await in_database(services.history, self._turn.message)
        return RunInput(
            user_id=self.user_id,
            thread=self.run.thread_id,
            remotes=self._remotes,
            history=[_past_turn(message) for message in messages],
            model=self._turn.thread.model or None,
        )

    async def _take(self, event: Event) -> None:
        """Note and tell one event; a call is also stored before the agent goes on."""
        changed: Call | None = None
        if self.answer.closed:
            return
        match event:
            case Asked():
                self.answer.note_asked(event)
            case TextDelta(text):
                self.answer.add_text(text)
            case ReasoningDelta(text):
                self.answer.add_reasoning(text)
            case CallStarted():
                changed = self.answer.begin_call(event)
            case CallChanged():
                changed = self.answer.change_call(event)
            case CallFinished():
                changed = self.answer.end_call(event)
        if changed is not None:
            content = self.answer.content
            await _completed(in_database(turns.save_call, self.run, changed, content))
            self._saved = content, self._saved[1]

    async def _save_until_over(self) -> None:
        """Store the growing text now and then, until the agent is done or the run is stopped."""
        ends: list[asyncio.Future[Any]] = [self._acting, self._stop]
        while not any(end.done() for end in ends):
            over, _ = await asyncio.wait(
                ends, timeout=SAVE_INTERVAL, return_when=asyncio.FIRST_COMPLETED
            )
            if not over:
                await self._save()

    async def _save(self) -> None:
        content, reasoning = texts = self.answer.content, self.answer.reasoning
        grown = texts != self._saved
        if not grown and monotonic() - self._heartbeat < HEARTBEAT:
            return
        try:
            await in_database(turns.save_text, self.run, content if grown else None, reasoning)
        except (DatabaseError, InterfaceError):
            logger.exception("A run's text could not be stored; trying again")
        else:
            self._saved = texts
            self._heartbeat = monotonic()

    def _note(self, end: Finished) -> None:
        message = self.answer.message
        message.model = storable(end.model or "")[:MODEL_LENGTH]
        message.usage = end.usage

    async def _end(self, status: str, error: str) -> None:
        """Settle everything and store it; where that can't be, store that the run failed."""
        message = self.answer.message
        calls = self.answer.close(status, error)
        self.run.status, self.run.error = status, error
        if not await _stored(turns.end, self.run, message, calls):
            self.run.status = message.status = Run.Status.FAILED
            self.run.error = message.error = UNSTORED
            await _stored(turns.fail, self.run)


async def _stored(store: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> bool:
    """Store an end, however long the database is away; returns whether it takes it."""
    while True:
        try:
            await in_database(store, *args, **kwargs)
            return True
        except (OperationalError, InterfaceError):
            logger.exception("A run's end could not be stored; trying again")
            await asyncio.sleep(RETRY)
        except DatabaseError:
            logger.exception("A run's end is nothing that the database takes")
            return False


def start(turn: Turn, remotes: Sequence[str], answering: Answering) -> None:
    """Begin the run of ``turn`` and tell the thread of its new messages."""
    thread = turn.thread.pk
    _running[thread] = live = LiveRun(turn, remotes, answering)
    if turn.is_first:
        asked = wire.message(turn.message, [], turn.siblings)
        topics.tell(thread, "message-created", {"message": asked})
    topics.tell(thread, "message-created", {"message": live.answer.object()})
    nodes.spawn(snapshots.tell_changed(live.user_id, thread))


def of_thread(thread: str) -> LiveRun | None:
    """The run under way in a thread."""
    return _running.get(thread)


def find_call(user_id: int, call_id: str) -> Call | None:
    """The user's call with that id, if a run under way made it."""
    for live in _running.values():
        if live.user_id == user_id and (call := live.answer.call(call_id)):
            return call
    return None


async def stop(thread: str) -> Run | None:
    """Stop the run under way in a thread and wait for its end; None: there is none."""
    live = _running.get(thread)
    if live is None:
        return None
    live.stop()
    await asyncio.wait([live.task], timeout=STOP_WAIT)
    return live.run


async def thread_deleted(user_id: int, thread: str) -> None:
    """Stop what runs in a thread that is gone, and tell everyone whom it concerns."""
    await stop(thread)
    topics.tell_user(user_id, thread, "thread-deleted", {"thread": thread})


async def lasting(work: Coroutine[Any, Any, T]) -> T:
    """What ``work`` returns; it goes on to its end even if nobody waits for it any more."""
    task = asyncio.ensure_future(work)
    nodes.spawn(_refusal_aside(task))
    return await asyncio.shield(task)


async def _refusal_aside(task: asyncio.Future[Any]) -> None:
    """Wait for ``task``; a refusal is for whoever asked, and no failure of the node."""
    with suppress(ActionError):
        await task


async def _completed(work: Coroutine[Any, Any, T]) -> T:
    """What ``work`` returns; when cancelled, it still ends before the caller does."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def interrupt_left() -> None:
    """Give an end to the runs that an earlier process of this server left behind."""
    count = await in_database(turns.interrupt_left, nodes.boot_id)
    if count:
        logger.warning("%d runs had not ended when the server last stopped.", count)


async def drain() -> None:
    """Let the runs of this node end by themselves for a while, then end them with their texts."""
    tasks = [live.task for live in _running.values()]
    if tasks:
        await asyncio.wait(tasks, timeout=max(limits.drain - DRAIN_RESERVE, 0))
    for live in _running.values():
        live.stop(Run.Status.INTERRUPTED, turns.LOST)
    if _running:
        await asyncio.wait([live.task for live in _running.values()])


async def end() -> None:
    """End what runs, and then the connections to the models."""
    await drain()
    await clients.close()


nodes.on_start(interrupt_left)
nodes.on_stop(end)


def _past_turn(message: Message) -> PastTurn:
    role = cast('Literal["user", "assistant"]', message.role)
    calls = [_past_call(call) for call in message.calls.all()]
    return PastTurn(role, message.content, calls, message.pk)


def _past_call(call: Call) -> PastCall:
    return PastCall(
        remotename=call.remotename,
        function=call.function,
        args=call.args,
        offset=call.offset,
        status=cast("CallStatus", call.status),
        result=call.result or None,
        error=call.error or None,
    )
