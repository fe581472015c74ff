"""The calls of one round: made side by side, each with exactly one answer for the model."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from time import monotonic
from typing import Any, Literal, Protocol

from agents import history, streams
from agents.budget import Budget
from agents.events import CallChanged, CallFinished, CallStarted, Event
from agents.streams import ModelCall
from gateway.exceptions import ActionError, InternalError
from remotes.calls import Change, Watcher, new_call_id
from remotes.exceptions import CancelledCallError, DeniedError, InvalidArgsError

logger = logging.getLogger(__name__)

Tell = Callable[[Event], None]


class Function(Protocol):
    """What is needed of a tool's function: its real name."""

    @property
    def name(self) -> str: ...


class Tool(Protocol):
    """What is needed of a tool; ``remotes.tools.RemoteToolSpec`` has it."""

    @property
    def name(self) -> str: ...
    @property
    def remotename(self) -> str: ...
    @property
    def function(self) -> Function: ...
    def to_openai_dict(self) -> dict[str, Any]: ...
    def watched(self, watcher: Watcher, /) -> "Tool": ...
    async def execute_async(self, /, **args: object) -> str: ...


class UnknownToolError(ActionError):
    """The model made up a function, or means one that is not switched on; nothing was sent."""

    code = "function-not-found"

    def __init__(self, name: str, known: Iterable[str]) -> None:
        there = ", ".join(known) or "none"
        super().__init__(f"There is no function {name!r} in this chat. Those there are: {there}.")


class CutOffCallError(ActionError):
    """The model had not finished writing when its answer ended; nothing was sent."""

    code = "invalid-args"

    def __init__(self) -> None:
        super().__init__("The answer ended in the middle: this call was cut off and not run.")


class ToolCall:
    """A call that the model asked for, from there to its outcome.

    Args:
        tools: Those that there are in the run, by the model's names.
        cut_off: Whether the model's answer ended before it was whole: then nothing is sent.

    Attributes:
        asked: What the model wrote.
        id: The id under which it is stored and can be approved.
        arguments: JSON text, as the model wrote it or as a person changed it when approving.
        answer: What the model is to read of the outcome, once there is one.
        failed: Whether the outcome is an error.
    """

    def __init__(
        self,
        asked: ModelCall,
        tools: Mapping[str, Tool],
        thread: str,
        budget: Budget,
        cut_off: bool,
    ) -> None:
        self.id = new_call_id()
        self.asked = asked
        self.arguments = asked.arguments
        self.answer = ""
        self.failed = False
        self._tools = tools
        self._thread = thread
        self._budget = budget
        self._cut_off = cut_off
        self._since = monotonic()
        self._sent = False

    @property
    def started(self) -> CallStarted:
        """The event with which it begins."""
        tool = self._tools.get(self.asked.name)
        names = (tool.remotename, tool.function.name) if tool else ("", self.asked.name)
        return CallStarted(self.id, *names, self.asked.arguments)

    async def make(self, tell: Tell) -> None:
        """Make the call and tell how it goes, up to its end."""
        try:
            self._succeed(await self._result(tell), tell)
        except ActionError as error:
            self._fail(error, tell)
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            self._fail(CancelledCallError(self.asked.name), tell)
        except Exception:  # whatever a tool raises, the model is told and the run goes on
            logger.exception("A call of %s failed unexpectedly", self.asked.name)
            self._fail(InternalError("The server failed to make this call."), tell)
        finally:
            self._budget.resume(self.id)

    async def _result(self, tell: Tell) -> str:
        if self._cut_off:
            raise CutOffCallError
        tool = self._tools.get(self.asked.name)
        if tool is None:
            raise UnknownToolError(self.asked.name, self._tools)
        try:
            args = streams.read_arguments(self.asked.arguments)
        except ActionError as error:
            raise InvalidArgsError(
                f"The arguments could not be read, so nothing was run. {error.message}"
            ) from error
        watcher = Watcher(self.id, self._thread, lambda change: self._changed(change, tell))
        return await tool.watched(watcher).execute_async(**args)

    def _changed(self, change: Change, tell: Tell) -> None:
        self.arguments = change.args
        if change.status == "awaiting-approval":
            self._budget.pause(self.id)
        else:
            self._budget.resume(self.id)
            if not self._sent:
                self._sent, self._since = True, monotonic()
        tell(CallChanged(self.id, change.status, change.args, change.progress))

    def _succeed(self, result: str, tell: Tell) -> None:
        self.answer = result
        tell(CallFinished(self.id, "done", monotonic() - self._since, result=result))

    def _fail(self, error: ActionError, tell: Tell) -> None:
        self.failed = True
        self.answer = history.failure(error.message, error.code)
        status: Literal["denied", "error"] = "denied" if isinstance(error, DeniedError) else "error"
        seconds = monotonic() - self._since
        tell(CallFinished(self.id, status, seconds, error=error.message, code=error.code))


async def side_by_side(calls: Sequence[ToolCall]) -> AsyncGenerator[Event]:
    """Make all ``calls`` at once and tell what happens, as it happens, until each has its end.

    Closing the generator or cancelling the task that iterates over it cancels the calls.
    """
    for call in calls:
        yield call.started
    happened: asyncio.Queue[Event] = asyncio.Queue()
    tasks = [asyncio.create_task(call.make(happened.put_nowait)) for call in calls]
    under_way = len(tasks)
    try:
        while under_way:
            event = await happened.get()
            under_way -= isinstance(event, CallFinished)
            yield event
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _is_cancelled() -> bool:
    """Whether the current task is to end, rather than something that it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
