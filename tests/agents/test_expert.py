"""The loop: what it does with calls that go well, wrong, side by side, for ever, or too long."""

import asyncio
import time
from contextlib import aclosing
from typing import Any

import pytest

from agents import budget
from agents.events import Asked, CallChanged, CallFinished, CallStarted, Finished, TextDelta
from agents.expert import ExpertAgent
from remotes.calls import Change, Watcher
from remotes.exceptions import DeniedError
from tests.agents.bench import Bench, echo, run, run_input, user
from tests.support.fake_model import (
    Answer,
    FakeModel,
    Hold,
    Request,
    call,
    calls,
    delta,
    finish,
    says,
    streams,
)


async def test_the_answer_comes_word_by_word(fake_model: FakeModel, bench: Bench) -> None:
    fake_model.script(streams(delta(content="One "), Hold(), delta(content="two"), finish("stop")))
    async with aclosing(ExpertAgent(bench).run(run_input(user("count")))) as events:
        assert await anext(events) == Asked("fake-1")
        assert await anext(events) == TextDelta("One ")
        fake_model.release()
        assert await anext(events) == TextDelta("two")
        assert await anext(events) == Finished("done", None, "fake-1", {})


async def test_a_call_is_told_from_its_start_to_its_result(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(says("Let me see.", call("bench__echo", {"n": 1})), says("It is 1."))
    ran = await run(bench, "echo 1")
    started, changed, ended = [
        event for event in ran.events if not isinstance(event, Asked | TextDelta | Finished)
    ]
    assert isinstance(started, CallStarted)
    assert (started.remotename, started.function, started.args) == ("bench", "echo", '{"n": 1}')
    assert changed == CallChanged(started.call_id, "running", '{"n": 1}')
    assert isinstance(ended, CallFinished)
    assert (ended.status, ended.result, ended.error) == ("done", '{"n": 1}', None)
    assert fake_model.requests[1].tool_texts == ['{"n": 1}']
    assert ran.text == "Let me see.It is 1."


async def test_parameters_may_have_any_name(fake_model: FakeModel, bench: Bench) -> None:
    args = {"self": 1, "name": 2, "args": 3, "watcher": 4, "": 5, "class": 6}
    fake_model.script(calls("bench__echo", args), says("Done."))
    ran = await run(bench, "go")
    assert bench.sent == [("echo", args)]
    assert ran.ends[0].status == "done"


async def test_a_function_that_does_not_exist_is_named_to_the_model_with_those_that_do(
    fake_model: FakeModel, bench: Bench
) -> None:
    """G19."""

    async def needs_n(args: dict[str, Any], watcher: Watcher) -> object:
        return {"n": args["n"]}

    bench.add("strict", needs_n)
    bench.add("secret", echo, remotename="other")
    fake_model.script(
        calls("bench_ecko"),
        calls("bench__strict"),
        calls("other__secret"),
        calls("bench__strict", {"n": 1}),
        says("There."),
    )
    ran = await run(bench, "go")
    texts = [request.tool_texts[0] for request in fake_model.requests[1:]]
    assert "no function 'bench_ecko'" in texts[0]
    assert "bench__echo" in texts[0]
    assert texts[1].startswith("Error (internal)")
    assert "no function 'other__secret'" in texts[2]
    assert texts[3] == '{"n": 1}'
    assert [name for name, _ in bench.sent] == ["strict", "strict"]
    assert (ran.started[0].remotename, ran.started[0].function) == ("", "bench_ecko")
    assert "other__secret" not in fake_model.requests[0].offered
    again = run_input(user("go"), ran.turn(), user("again"))
    fake_model.script(says("Hello again."))
    assert (await run(bench, again)).text == "Hello again."


async def test_one_failing_call_leaves_those_beside_it_alone(
    fake_model: FakeModel, bench: Bench
) -> None:
    """G21."""
    fake_model.script(
        says(
            "",
            call("bench__echo", {"n": 1}, "c1"),
            call("bench__fail", {}, "c2"),
            call("bench__nope", {}, "c3"),
            call("bench__slow", {"seconds": 1}, "c4"),
            call("bench__echo", '{"n":', "c5"),
        ),
        says("Done."),
    )
    began = time.monotonic()
    ran = await run(bench, "go")
    assert time.monotonic() - began < 1.9
    answers = fake_model.requests[1].messages[-5:]
    assert [answer["tool_call_id"] for answer in answers] == ["c1", "c2", "c3", "c4", "c5"]
    one, boom, unknown, slept, unreadable = fake_model.requests[1].tool_texts
    assert (one, slept) == ('{"n": 1}', '"slept"')
    assert "boom" in boom
    assert "no function 'bench__nope'" in unknown
    assert "could not be read" in unreadable
    assert '{"n":' in unreadable
    assert ran.ends[-1].call_id == ran.started[3].call_id
    codes = {end.call_id: end.code for end in ran.ends}
    assert [codes[started.call_id] for started in ran.started] == [
        None,
        "remote-error",
        "function-not-found",
        None,
        "invalid-args",
    ]
    fake_model.script(says("Hello again."))
    again = run_input(user("go"), ran.turn(), user("again"))
    assert (await run(bench, again)).text == "Hello again."


@pytest.mark.parametrize(
    "text", ['{"n":1', "[1]", '"n"', '{"n":NaN}', '{"n":1,"n":2}', "n=1", '{"n":1}}', "{'n': 1}"]
)
async def test_arguments_that_are_no_json_object_are_never_run(
    fake_model: FakeModel, bench: Bench, text: str
) -> None:
    fake_model.script(says("", call("bench__echo", text)), says("Sorry."))
    ran = await run(bench, "go")
    assert bench.sent == []
    assert ran.ends[0].code == "invalid-args"
    assert ran.started[0].args == text
    assert ran.text == "Sorry."


async def test_a_tool_that_crashes_is_logged_and_told_without_details(
    fake_model: FakeModel, bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    async def crash(args: dict[str, Any], watcher: Watcher) -> object:
        raise ZeroDivisionError("secret detail")

    bench.add("crash", crash)
    fake_model.script(calls("bench__crash"), says("Sorry."))
    ran = await run(bench, "go")
    assert ran.ends[0].code == "internal"
    assert "secret detail" not in fake_model.requests[1].tool_texts[0]
    assert "secret detail" in caplog.text


async def test_a_denied_call_is_told_as_denied(fake_model: FakeModel, bench: Bench) -> None:
    async def deny(args: dict[str, Any], watcher: Watcher) -> object:
        raise DeniedError("ana did not approve it: not today.")

    bench.add("wipe", deny)
    fake_model.script(calls("bench__wipe"), says("All right."))
    ran = await run(bench, "go")
    assert (ran.ends[0].status, ran.ends[0].code) == ("denied", "denied")
    assert "not today" in fake_model.requests[1].tool_texts[0]


async def test_progress_and_changed_arguments_are_told_and_kept(
    fake_model: FakeModel, bench: Bench
) -> None:
    async def approved(args: dict[str, Any], watcher: Watcher) -> object:
        watcher.changed(Change("awaiting-approval", '{"n":1}'))
        watcher.changed(Change("running", '{"n":2}'))
        watcher.changed(Change("running", '{"n":2}', {"progress": 1, "total": 2}))
        return "done"

    bench.add("approved", approved)
    fake_model.script(calls("bench__approved", {"n": 1}), says("Done."))
    ran = await run(bench, "go")
    changes = [event for event in ran.events if isinstance(event, CallChanged)][1:]
    assert [change.status for change in changes] == ["awaiting-approval", "running", "running"]
    assert changes[-1].progress == {"progress": 1, "total": 2}
    asked = fake_model.requests[1].messages[-2]["tool_calls"][0]
    assert asked["function"]["arguments"] == '{"n":2}'


# For ever


async def test_the_same_failing_call_ends_the_run_the_third_time(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.always(calls("bench__fail"))
    ran = await run(bench, "go")
    assert len(bench.sent) == budget.MAX_SAME_FAILURES
    assert ran.finished.status == "failed"
    assert "failed 3 times in a row" in ran.error
    fake_model.always(says("Usable."))
    again = run_input(user("go"), ran.turn(), user("again"))
    assert (await run(bench, again)).text == "Usable."


async def test_calls_that_go_well_for_ever_end_at_the_last_round(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.always(lambda request: calls("bench__echo", {"k": len(fake_model.requests)}))
    ran = await run(bench, "go")
    assert len(bench.sent) == len(fake_model.requests) == budget.MAX_ROUNDS
    assert "after 20 rounds" in ran.error
    fake_model.always(says("Usable."))
    again = run_input(user("go"), ran.turn(), user("again"))
    assert (await run(bench, again)).text == "Usable."


async def test_two_functions_by_turns_end_at_the_last_round(
    fake_model: FakeModel, bench: Bench
) -> None:
    def by_turns(request: Request) -> Answer:
        return calls("bench__fail" if len(fake_model.requests) % 2 else "bench__ping")

    fake_model.always(by_turns)
    ran = await run(bench, "go")
    assert len(bench.sent) == budget.MAX_ROUNDS
    assert ran.finished.status == "failed"


async def test_too_many_calls_at_once_are_not_begun(fake_model: FakeModel, bench: Bench) -> None:
    fake_model.script(says("", *(call("bench__echo", {"n": n}) for n in range(101))))
    ran = await run(bench, "go")
    assert bench.sent == []
    assert "more than 100 calls" in ran.error


async def test_a_model_that_never_stops_talking_is_stopped(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MAX_SECONDS", 0.3)
    fake_model.script(says("blah " * 1000, every=0.05))
    ran = await run(bench, "go")
    assert "minutes" in ran.error
    assert ran.text.startswith("blah blah")
    assert await asyncio.to_thread(fake_model.requests[0].left.wait, 5)


async def test_the_time_in_which_a_person_is_asked_does_not_count(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MAX_SECONDS", 1.0)

    async def approved(args: dict[str, Any], watcher: Watcher) -> object:
        watcher.changed(Change("awaiting-approval", "{}"))
        await asyncio.sleep(1.2)
        watcher.changed(Change("running", "{}"))
        return None

    bench.add("approved", approved)
    fake_model.script(calls("bench__approved"), says("Done."))
    assert (await run(bench, "go")).text == "Done."


async def test_an_answer_with_nothing_in_it_is_said_to_be_empty(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(says(""), says("Now."))
    ran = await run(bench, "go")
    assert ran.finished.status == "failed"
    assert "without saying anything" in ran.error
    again = run_input(user("go"), ran.turn(), user("again"))
    assert (await run(bench, again)).text == "Now."


# Stop


async def test_stopping_ends_the_models_request_at_once(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(streams(delta(content="One "), Hold()))
    task, told = _start(bench)
    await told.wait()
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(fake_model.requests[0].left.wait, 5)
    assert time.monotonic() - began < 0.5


async def test_stopping_before_the_first_word_ends_the_request(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(streams(Hold()))
    task, _ = _start(bench)
    await asyncio.to_thread(fake_model.wait_for_request)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(fake_model.requests[0].left.wait, 5)


async def test_stopping_ends_the_calls_under_way(fake_model: FakeModel, bench: Bench) -> None:
    began: list[int] = []
    ended: list[int] = []
    both = asyncio.Event()

    async def for_ever(args: dict[str, Any], watcher: Watcher) -> object:
        began.append(args["n"])
        if len(began) == 2:
            both.set()
        try:
            return await asyncio.Event().wait()
        finally:
            ended.append(args["n"])

    bench.add("wait", for_ever)
    fake_model.script(says("", call("bench__wait", {"n": 1}), call("bench__wait", {"n": 2})))
    before = asyncio.all_tasks()
    task, _ = _start(bench)
    await both.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == [1, 2]
    assert asyncio.all_tasks() == before


async def test_closing_the_iterator_ends_the_request_too(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(streams(delta(content="One "), Hold()))
    events = ExpertAgent(bench).run(run_input(user("go")))
    assert isinstance(await anext(events), Asked)
    assert isinstance(await anext(events), TextDelta)
    await events.aclose()
    assert await asyncio.to_thread(fake_model.requests[0].left.wait, 5)


async def test_a_call_whose_own_wait_was_cancelled_is_an_error_and_no_end_of_the_run(
    fake_model: FakeModel, bench: Bench
) -> None:
    async def cancelled(args: dict[str, Any], watcher: Watcher) -> object:
        waiting = asyncio.get_running_loop().create_future()
        waiting.cancel()
        return await waiting

    bench.add("cancelled", cancelled)
    fake_model.script(calls("bench__cancelled"), says("Sorry."))
    ran = await run(bench, "go")
    assert (ran.text, ran.ends[0].code) == ("Sorry.", "cancelled")


def _start(bench: Bench) -> tuple[asyncio.Task[None], asyncio.Event]:
    """A run in a task, and an event that is set when the model has said something."""
    told = asyncio.Event()

    async def consume() -> None:
        async with aclosing(ExpertAgent(bench).run(run_input(user("go")))) as events:
            async for event in events:
                if not isinstance(event, Asked):
                    told.set()

    return asyncio.create_task(consume()), told
