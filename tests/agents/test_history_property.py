"""Whatever has happened in a thread, the next request is valid for the strictest server.

The fake model refuses what OpenAI's API refuses, and the tests fail with what it complained of.
"""

import asyncio
import json
from contextlib import aclosing, suppress
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.events import CallFinished, CallStarted, CallStatus, Event, PastCall, PastTurn
from agents.expert import ExpertAgent
from remotes.calls import Watcher
from remotes.exceptions import DeniedError, RemoteError, RemoteTimeoutError
from tests.agents.bench import Bench, Ran, run, run_input, user
from tests.support.fake_model import (
    Answer,
    FakeModel,
    Hold,
    Step,
    call,
    delta,
    finish,
    raw,
    refuses,
    says,
    streams,
)

IMAGE = '"data:image/png;base64,iVBORw0KGgo="'
PATIENCE = 0.3  # seconds until a run that waits for something is stopped
MODEST = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

texts = st.text(max_size=20) | st.sampled_from(["", " ", "\n", "Let me see 🎉."])
names = st.text(min_size=1, max_size=12) | st.sampled_from(["bench", "søk/all", "x" * 120])
arguments = (
    st.sampled_from(["{}", '{"n":1}', "", "{", "null", "[1]", '{"n":NaN}', '{"a":1,"a":2}', "{}{}"])
    | st.dictionaries(st.text(max_size=5), st.integers(), max_size=3).map(json.dumps)
    | st.text(max_size=10)
)
results = st.none() | st.sampled_from(["null", '""', "12", IMAGE, f"[{IMAGE}, {IMAGE}]", "", "{"])
past_calls = st.builds(
    PastCall,
    remotename=names | st.just(""),
    function=names,
    args=arguments,
    offset=st.integers(0, 30),
    status=st.sampled_from(get_args(CallStatus)),
    result=results,
    error=st.none() | texts,
)
past_turns = st.builds(
    PastTurn,
    role=st.sampled_from(["user", "assistant"]),
    content=texts,
    calls=st.lists(past_calls, max_size=5),
)


@MODEST
@given(turns=st.lists(past_turns, max_size=8), seeing=st.booleans())
async def test_any_history_makes_a_valid_request(
    fake_model: FakeModel, turns: list[PastTurn], seeing: bool
) -> None:
    fake_model.script(says("Yes."))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REMOTES_IMAGE_MODELS", "fake-*" if seeing else "")
        ran = await run(Bench(), run_input(*turns, user("now")))
    assert ran.text == "Yes."
    calls = [past for turn in turns if turn.role == "assistant" for past in turn.calls]
    answers = [each for each in fake_model.requests[-1].messages if each["role"] == "tool"]
    assert len(answers) == len(calls)
    assert "base64" not in json.dumps([answer["content"] for answer in answers])


# Live


def capricious(outcome: str) -> Bench:
    """A bench whose function ``act`` ends in this way."""

    async def act(args: dict[str, Any], watcher: Watcher) -> object:
        match outcome:
            case "denied":
                raise DeniedError("Not today.")
            case "failed":
                raise RemoteError("boom")
            case "late":
                raise RemoteTimeoutError("act", 1)
            case "crashed":
                raise ZeroDivisionError
            case "hangs":
                await asyncio.Event().wait()
            case "image":
                return json.loads(IMAGE)
        return {"n": 1}

    bench = Bench()
    bench.add("act", act)
    return bench


OUTCOMES = ["done", "denied", "failed", "late", "crashed", "hangs", "image"]
wanted = st.builds(
    call,
    st.sampled_from(["bench__act", "bench__nope", "", "a b"]),
    st.sampled_from([{}, {"n": 1}, "", "{", "[1]", '{"n":1}{"n":2}']),
    st.sampled_from(["", "c1", "c2", "x" * 60, "\u00e9"]),
)
ENDS: list[list[Step]] = [
    [finish("stop")],
    [finish("tool_calls")],
    [finish("length")],
    [],
    [Hold()],
]
BROKEN = streams(delta(content="Let me "), raw("{broken"))


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    """Something that a model streams: words, calls, and an end of any kind."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from([BROKEN, refuses(400), refuses(500)]))
    whole = says(draw(texts), *draw(st.lists(wanted, max_size=3)))
    ends = draw(st.sampled_from(ENDS))
    done = draw(st.booleans())
    return streams(*whole.steps[:-2], *ends, done=done)


@MODEST
@given(
    script=st.lists(answers(), min_size=1, max_size=3),
    outcome=st.sampled_from(OUTCOMES),
    stop_after=st.integers(1, 12),
)
async def test_any_run_leaves_a_thread_that_goes_on(
    fake_model: FakeModel, script: list[Answer], outcome: str, stop_after: int
) -> None:
    """The run is stopped at an event, if it does not end before; then the user writes again."""
    left = [*script]
    fake_model.always(lambda request: left.pop(0) if left else says("That is all."))
    events: list[Event] = []
    with suppress(TimeoutError):
        async with (
            aclosing(ExpertAgent(capricious(outcome)).run(run_input(user("go")))) as told,
            asyncio.timeout(PATIENCE),
        ):
            async for event in told:
                events.append(event)
                if len(events) == stop_after:
                    break
    fake_model.always(says("Here I am."))
    again = run_input(user("go"), stored(events), user("still there?"))
    assert (await run(Bench(), again)).text == "Here I am."


def stored(events: list[Event]) -> PastTurn:
    """The message that a chat keeps of a run that was ended after these events."""
    ended = {event.call_id for event in events if isinstance(event, CallFinished)}
    stops = [
        CallFinished(event.call_id, "stopped", 0.0)
        for event in events
        if isinstance(event, CallStarted) and event.call_id not in ended
    ]
    return Ran([*events, *stops]).turn()
