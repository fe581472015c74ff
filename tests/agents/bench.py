"""A remote's functions as tools for the loop, and one run of the loop with all that it told."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from agents.events import (
    Asked,
    CallFinished,
    CallStarted,
    Event,
    Finished,
    PastCall,
    PastTurn,
    ReasoningDelta,
    RunInput,
    TextDelta,
)
from agents.expert import ExpertAgent
from remotes.calls import Change, Watcher
from remotes.exceptions import RemoteError
from remotes.tools import tool_name

Body = Callable[[dict[str, Any], Watcher], Awaitable[object]]


@dataclass(frozen=True)
class BenchFunction:
    """A function's real name."""

    name: str


@dataclass(frozen=True)
class BenchTool:
    """A tool that runs here and notes its calls."""

    function: BenchFunction
    body: Body
    sent: list[tuple[str, dict[str, Any]]]
    parameters: dict[str, Any]
    description: str
    remotename: str
    watcher: Watcher | None = None

    @property
    def name(self) -> str:
        """As the model knows it."""
        return tool_name(self.remotename, self.function.name)

    def to_openai_dict(self) -> dict[str, Any]:
        """The entry of a request's ``tools``."""
        described = f"{self.description} ({self.function.name} on {self.remotename})"
        function = {"name": self.name, "description": described, "parameters": self.parameters}
        return {"type": "function", "function": function}

    def watched(self, watcher: Watcher) -> "BenchTool":
        """The same, watched."""
        return replace(self, watcher=watcher)

    async def execute_async(self, /, **args: Any) -> str:
        """Note the call and run the body."""
        assert self.watcher is not None
        self.sent.append((self.function.name, args))
        self.watcher.changed(Change("running", json.dumps(args)))
        return json.dumps(await self.body(args, self.watcher))


ANY_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}


@dataclass
class Bench:
    """The remotes app of a user who has remotes with these functions.

    Attributes:
        sent: Function and arguments of every call that reached a function.
    """

    tools: list[BenchTool] = field(default_factory=list)
    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def add(
        self,
        name: str,
        body: Body,
        parameters: dict[str, Any] | None = None,
        description: str = "",
        remotename: str = "bench",
    ) -> None:
        """Connect one more function."""
        tool = BenchTool(
            BenchFunction(name), body, self.sent, parameters or ANY_OBJECT, description, remotename
        )
        self.tools.append(tool)

    def getRemoteTools(  # noqa: N802 - the name is given
        self, user_id: int, remotes: Sequence[str]
    ) -> list[BenchTool]:
        """Those on the remotes that are switched on."""
        return [tool for tool in self.tools if tool.remotename in remotes]


async def echo(args: dict[str, Any], watcher: Watcher) -> object:
    """Gives back its arguments."""
    return args


async def fail(args: dict[str, Any], watcher: Watcher) -> object:
    """Answers with the error ``boom``."""
    raise RemoteError("boom")


async def slow(args: dict[str, Any], watcher: Watcher) -> object:
    """Takes its time."""
    await asyncio.sleep(args["seconds"])
    return "slept"


def standard_bench() -> Bench:
    """A bench with ``echo``, ``fail``, ``slow``, and those that the cases name."""
    bench = Bench()
    for name, body in {"echo": echo, "fail": fail, "slow": slow}.items():
        bench.add(name, body)
    for name in ("ping", "weather", "delete_files"):
        bench.add(name, echo)
    return bench


@dataclass
class Ran:
    """What one run told."""

    events: list[Event]

    @property
    def text(self) -> str:
        """The answer."""
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def reasoning(self) -> str:
        """What the model thought aloud."""
        return "".join(event.text for event in self.events if isinstance(event, ReasoningDelta))

    @property
    def asked(self) -> Asked:
        """What was told of the model last."""
        return [event for event in self.events if isinstance(event, Asked)][-1]

    @property
    def finished(self) -> Finished:
        """How it ended."""
        last = self.events[-1]
        assert isinstance(last, Finished)
        return last

    @property
    def error(self) -> str:
        """What the person is told of its end."""
        assert self.finished.error is not None
        return self.finished.error

    @property
    def started(self) -> list[CallStarted]:
        """Its calls."""
        return [event for event in self.events if isinstance(event, CallStarted)]

    @property
    def ends(self) -> list[CallFinished]:
        """Their outcomes, in the order in which they came."""
        return [event for event in self.events if isinstance(event, CallFinished)]

    def turn(self) -> PastTurn:
        """The stored message that a chat makes of it."""
        ends = {end.call_id: end for end in self.ends}
        assert len(ends) == len(self.ends) == len(self.started)
        calls, offset = [], 0
        for event in self.events:
            if isinstance(event, TextDelta):
                offset += len(event.text)
            elif isinstance(event, CallStarted):
                calls.append(_stored(event, ends[event.call_id], offset))
        return PastTurn("assistant", self.text, calls)


def _stored(started: CallStarted, end: CallFinished, offset: int) -> PastCall:
    names = started.remotename, started.function
    return PastCall(*names, started.args, offset, end.status, end.result, end.error)


def user(content: str) -> PastTurn:
    """A message of the user."""
    return PastTurn("user", content)


def run_input(
    *history: PastTurn, remotes: Sequence[str] = ("bench",), model: str | None = None
) -> RunInput:
    """What a run on this history is given."""
    return RunInput(1, "thread-1", remotes, history, model)


async def run(bench: Bench, given: RunInput | str) -> Ran:
    """One run to its end."""
    if isinstance(given, str):
        given = run_input(user(given))
    events = []
    async with aclosing(ExpertAgent(bench).run(given)) as told:
        async for event in told:
            events.append(event)
    return Ran(events)
