"""What a caller gets from functions that a remote serves."""

import asyncio
import dataclasses
import enum
import math
import threading
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Literal, NamedTuple, TypedDict

import pytest
from scripted_server import PATIENCE, ScriptedServer, serving

from remotes_client import Remote, cancelled, progress


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Place:
    name: str
    height: float = 0.0
    within: "Place | None" = None


class Point(NamedTuple):
    x: int
    y: int


class Options(TypedDict, total=False):
    since: date


async def outcome_of(server: ScriptedServer, remote: Remote, function, /, **args) -> dict:
    """Serve one function and call it once."""
    remote.function(function)
    async with serving(remote):
        owner = await server.owner()
        return await owner.call(function.__name__, **args)


async def test_a_plain_and_an_async_function_answer(server, bench):
    @bench.function
    def add(a: int, b: int = 1) -> int:
        return a + b

    @bench.function
    async def shout(text: str) -> str:
        await asyncio.sleep(0)
        return text.upper()

    async with serving(bench):
        owner = await server.owner()
        assert await owner.call("add", a=2) == {"result": 3}
        assert await owner.call("shout", text="hé") == {"result": "HÉ"}
    assert add(1, 2) == 3  # decorating changes nothing for the program itself


async def test_plain_functions_run_at_the_same_time_and_answer_as_they_end(server, bench):
    both_run = threading.Barrier(2, timeout=10)

    @bench.function
    def meet(n: int) -> int:
        both_run.wait()
        return n

    async with serving(bench):
        owner = await server.owner()
        await owner.begin("meet", "first", n=1)
        await owner.begin("meet", "second", n=2)
        answers = [(await owner.receive("remote-call-result"))["payload"] for _ in range(2)]
    assert sorted((answer["requestId"], answer["result"]) for answer in answers) == [
        ("first", 1),
        ("second", 2),
    ]


async def test_a_busy_plain_function_does_not_hold_up_the_heartbeat(server, bench):
    go_on = threading.Event()

    @bench.function
    def wait() -> bool:
        return go_on.wait(10)

    async with serving(bench):
        owner = await server.owner()
        await owner.begin("wait")
        await owner.send("ping")
        await owner.receive("pong")
        go_on.set()
        assert (await owner.receive("remote-call-result"))["payload"]["result"] is True


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, None),
        ({"a": [1, 2.5, True, "é"]}, {"a": [1, 2.5, True, "é"]}),
        (Place("here", 1.5, Place("there")), None),
        (Point(1, 2), {"x": 1, "y": 2}),
        ((1, 2), [1, 2]),
        ({3, 1, 2}, [1, 2, 3]),
        ({1: "a", Color.RED: "b"}, {"1": "a", "red": "b"}),
        ([Color.BLUE, Path("a/b")], ["blue", str(Path("a/b"))]),
        (datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc), "2026-01-02T03:04:00+00:00"),
        (date(2026, 1, 2), "2026-01-02"),
        (timedelta(minutes=1), 60.0),
        (Decimal("1.10"), "1.10"),
        ("lone \udc80 surrogate", "lone \ufffd surrogate"),
        (2**80, 2**80),
    ],
)
async def test_a_result_is_written_as_json(server, bench, value, written):
    if isinstance(value, Place):
        there = {"name": "there", "height": 0.0, "within": None}
        written = {"name": "here", "height": 1.5, "within": there}

    def give():
        return value

    assert await outcome_of(server, bench, give) == {"result": written}


def nested(levels: int) -> list:
    value: list = []
    for _ in range(levels - 1):
        value = [value]
    return value


def cyclic() -> list:
    value: list = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (math.nan, "The result is nan, which JSON does not know."),
        ({"a": [1, math.inf]}, "The result.a[1] is inf, which JSON does not know."),
        (b"raw", "The result is of type bytes, which has no JSON form. Return text instead"),
        ([object()], "The result[0] is of type object, which has no JSON form."),
        (cyclic(), "The result[0] contains itself."),
        (nested(127), "lies deeper than 126 levels."),
        ({1: "a", "1": "b"}, "The result has two keys that JSON writes as '1'."),
        ({(1, 2): "a"}, "The result has a key that is of type tuple; JSON's keys are text."),
        ([10**5000], "Exceeds the limit"),
    ],
)
async def test_a_result_without_a_json_form_is_an_error_that_says_where(
    server, bench, value, error
):
    def give():
        return value

    outcome = await outcome_of(server, bench, give)
    assert error in outcome["error"]


async def test_a_result_as_deep_as_the_server_takes_is_sent(server, bench):
    def deep() -> list:
        return nested(126)

    assert "result" in await outcome_of(server, bench, deep)


async def test_a_result_larger_than_the_server_takes_is_an_error_that_says_so(server, bench):
    def much() -> str:
        return "x" * 1_000_000

    outcome = await outcome_of(server, bench, much)
    assert outcome["error"].startswith("The result of much is too large: 1,000,0")
    assert "983,040" in outcome["error"]


async def test_an_exception_is_an_error_without_a_trace_and_the_trace_is_printed(
    server, bench, capsys
):
    def divide(by: int) -> float:
        return 1 / by

    outcome = await outcome_of(server, bench, divide, by=0)
    assert outcome == {"error": "ZeroDivisionError: division by zero"}
    printed = capsys.readouterr().err
    assert printed.startswith("divide failed:\nTraceback (most recent call last):\n")
    assert "return 1 / by" in printed
    assert "remotes_client" not in printed  # the trace is of the user's own code


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (SystemExit(3), "SystemExit: 3"),
        (StopIteration("end"), "StopIteration: end"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
    ],
)
async def test_whatever_a_plain_function_raises_ends_only_its_call(server, bench, raised, error):
    def stop():
        raise raised

    @bench.function
    def still_there() -> bool:
        return True

    bench.function(stop)
    async with serving(bench):
        owner = await server.owner()
        assert error in (await owner.call("stop"))["error"]
        assert await owner.call("still_there") == {"result": True}


async def test_an_async_function_that_cancels_itself_is_an_error(server, bench):
    async def give_up():
        raise asyncio.CancelledError

    outcome = await outcome_of(server, bench, give_up)
    assert outcome == {"error": "give_up was cancelled by its own program."}


async def test_arguments_arrive_as_the_hinted_types(server, bench):
    def describe(
        when: datetime,
        file: Path,
        color: Color,
        place: Place,
        options: Options,
        sizes: set[int],
        pair: tuple[int, date],
        mode: Literal["fast", "slow"] = "fast",
        until: date | None = None,
        /,
        **more: Color,
    ) -> list[str]:
        values = [when, file, color, place, options, sizes, pair, mode, until, more]
        return [repr(value) for value in values]

    outcome = await outcome_of(
        server,
        bench,
        describe,
        when="2026-01-02T03:04:05Z",
        file="a.txt",
        color="red",
        place={"name": "here", "within": {"name": "there"}},
        options={"since": "2026-01-02", "other": 1},
        sizes=[1, 2.0],
        pair=[1, "2026-01-02"],
        until="2026-01-03",
        extra="blue",
    )
    assert outcome["result"] == [
        repr(datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)),
        repr(Path("a.txt")),
        repr(Color.RED),
        repr(Place("here", within=Place("there"))),
        repr({"since": date(2026, 1, 2), "other": 1}),
        repr({1, 2}),
        repr((1, date(2026, 1, 2))),
        repr("fast"),
        repr(date(2026, 1, 3)),
        repr({"extra": Color.BLUE}),
    ]


async def test_parameters_may_have_any_name(server, bench):
    def names(self: int, name: int, function: int, args: int, call: int) -> int:
        return self + name + function + args + call

    values = {"self": 1, "name": 2, "function": 3, "args": 4, "call": 5}
    bench.function(names)
    async with serving(bench):
        owner = await server.owner()
        request = {"requestId": "r", "remotename": "bench", "function": "names", "args": values}
        await owner.send("remote-call", request)
        assert (await owner.receive("remote-call-result"))["payload"]["result"] == 15


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({"when": "soon"}, "when: Invalid isoformat string: 'soon'"),
        ({"when": 5}, "when: 5 is not text"),
        ({}, "when is missing"),
        ({"when": "2026-01-02", "x": 1}, "There is no parameter x."),
    ],
)
async def test_arguments_that_do_not_fit_are_an_error_that_names_them(server, bench, args, error):
    def plan(when: date) -> str:
        return "planned"

    outcome = await outcome_of(server, bench, plan, **args)
    assert error in outcome["error"]


async def test_a_function_that_is_not_served_is_an_error(server, bench):
    def known() -> None:
        return None

    bench.function(known)
    async with serving(bench):
        owner = await server.owner()
        assert await owner.call("unknown") == {"error": "bench has no function unknown."}


async def test_progress_reaches_the_caller_before_the_result(server, bench):
    def copy(files: int) -> str:
        for done in range(files + 1):
            progress(done, files, "copying")
        return "copied"

    bench.function(copy)
    async with serving(bench):
        owner = await server.owner()
        assert await owner.call("copy", files=1000) == {"result": "copied"}
        told = [frame["payload"] for frame in owner.passed("remote-call-progress")]
    assert told[-1] == {"requestId": "r1", "progress": 1000, "total": 1000, "message": "copying"}
    assert len(told) < 100  # what nobody could read is not sent


async def test_progress_outside_a_call_does_nothing():
    progress(1, 2)
    assert cancelled() is False


async def test_a_cancelled_async_function_is_stopped_and_sends_no_result(server, bench):
    started, stopped = asyncio.Event(), asyncio.Event()

    @bench.function
    async def wait() -> str:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.set()
        return "nobody wants this"

    async with serving(bench):
        owner = await server.owner()
        await owner.begin("wait")
        await asyncio.wait_for(started.wait(), PATIENCE)
        await owner.send("remote-call-cancel", {"requestId": "r1", "reason": "timeout"})
        await asyncio.wait_for(stopped.wait(), PATIENCE)
        assert await owner.is_quiet()


async def test_a_cancelled_plain_function_can_see_it_and_sends_no_result(server, bench):
    started, saw_it = threading.Event(), threading.Event()

    @bench.function
    def work() -> str:
        started.set()
        while not cancelled():
            threading.Event().wait(0.01)
        progress(1)
        saw_it.set()
        return "nobody wants this"

    async with serving(bench):
        owner = await server.owner()
        await owner.begin("work")
        assert await asyncio.to_thread(started.wait, PATIENCE)
        await owner.send("remote-call-cancel", {"requestId": "r1", "reason": "stopped"})
        assert await asyncio.to_thread(saw_it.wait, PATIENCE)
        assert await owner.is_quiet()


async def test_a_large_call_arrives_whole(server, bench):
    def measure(text: str) -> int:
        return len(text)

    assert await outcome_of(server, bench, measure, text="é" * 900_000) == {"result": 900_000}
