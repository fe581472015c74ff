"""Which failures of an endpoint are tried again, and how long that may take."""

import asyncio
import time
from contextlib import aclosing

import pytest

from agents import retries
from agents.expert import ExpertAgent
from tests.agents.bench import Bench, run, run_input, user
from tests.support.fake_model import (
    Answer,
    FakeModel,
    calls,
    drops,
    refuses,
    refuses_for_now,
    says,
    says_nothing,
)


@pytest.fixture(autouse=True)
def _short_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_DELAY", 0.01)


@pytest.mark.parametrize(
    "failure",
    [
        refuses_for_now(429),
        refuses_for_now(500),
        refuses_for_now(503, "Retry-After: 0\r\n"),
        drops(),
    ],
    ids=["too much to do", "failing", "asking for a moment", "dropping the connection"],
)
async def test_what_may_pass_is_tried_again(
    fake_model: FakeModel, bench: Bench, failure: Answer
) -> None:
    fake_model.script(failure, failure, says("Here."))
    ran = await run(bench, "hello")
    assert (ran.text, ran.finished.status) == ("Here.", "done")
    assert len(fake_model.requests) == 3


async def test_the_third_failure_is_said(fake_model: FakeModel, bench: Bench) -> None:
    fake_model.always(refuses_for_now(503))
    assert "HTTP 503" in (await run(bench, "hello")).error
    assert len(fake_model.requests) == 3


@pytest.mark.parametrize(
    "refusal",
    [refuses(400), refuses_for_now(404), refuses_for_now(401), refuses(503)],
    ids=["bad", "unknown", "no key", "asking not to"],
)
async def test_what_will_not_pass_is_asked_once(
    fake_model: FakeModel, bench: Bench, refusal: Answer
) -> None:
    fake_model.always(refusal)
    assert (await run(bench, "hello")).finished.status == "failed"
    assert len(fake_model.requests) == 1


async def test_a_wait_that_is_asked_for_and_too_long_is_left_to_the_person(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.always(refuses_for_now(429, "Retry-After: 3600\r\n"))
    assert "Wait 3600 s" in (await run(bench, "hello")).error
    assert len(fake_model.requests) == 1


async def test_an_endpoint_that_says_nothing_is_asked_once_and_waited_for_once(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMOTES_MODEL_TIMEOUT", "0.4")
    fake_model.script(says_nothing())
    began = time.monotonic()
    error = (await run(bench, "hello")).error
    assert "no answer within 0.4 s" in error
    assert len(fake_model.requests) == 1
    assert time.monotonic() - began < 3


async def test_the_second_round_is_tried_again_and_the_calls_are_not(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(calls("bench__echo", {"n": 1}), refuses_for_now(500), says("Done."))
    ran = await run(bench, "echo 1")
    assert ran.text == "Done."
    assert bench.sent == [("echo", {"n": 1})]


@pytest.mark.parametrize("answer", [says_nothing(), refuses_for_now(500)])
async def test_stopping_while_it_is_tried_ends_it_at_once(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    monkeypatch.setattr(retries, "FIRST_DELAY", 5)
    fake_model.always(answer)

    async def consume() -> None:
        async with aclosing(ExpertAgent(bench).run(run_input(user("go")))) as events:
            async for _ in events:
                pass

    task = asyncio.create_task(consume())
    await asyncio.to_thread(fake_model.wait_for_request)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 0.5
    assert len(fake_model.requests) == 1


async def test_an_endpoint_that_refuses_to_count_tokens_is_asked_without(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(
        refuses(400, "Unrecognized request argument supplied: stream_options"),
        says("Here."),
        says("Again."),
    )
    assert (await run(bench, "hello")).text == "Here."
    assert (await run(bench, "hello")).text == "Again."
    assert ["stream_options" in request.body for request in fake_model.requests] == [
        True,
        False,
        False,
    ]
