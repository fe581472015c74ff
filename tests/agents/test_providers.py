"""Which model is asked, and the sentence that a person reads when that goes wrong."""

import asyncio
import socket
import time

import pytest

from agents import budget
from tests.agents.bench import Bench, run, run_input, user
from tests.support.fake_model import (
    DONE,
    Answer,
    BreakOff,
    FakeModel,
    Hold,
    Pause,
    Step,
    calls,
    delta,
    raw,
    refuses,
    says,
    streams,
)
from tests.support.stalls import bystander


@pytest.fixture
def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


async def test_the_named_model_is_asked_with_the_key(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeModel(models=["one", "two"], key="sk-secret") as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/")
        monkeypatch.setenv("OPENAI_API_KEY", " sk-secret\n")
        monkeypatch.setenv("OPENAI_MODEL", "two")
        model.script(says("Hello."), says("Hi."))
        assert (await run(bench, "hello")).finished.model == "two"
        assert (await run(bench, run_input(user("hello"), model="one"))).finished.model == "one"
    assert [request.body["model"] for request in model.requests] == ["two", "one"]


async def test_without_a_name_the_first_listed_model_is_asked(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeModel(models=["first", "second"]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        model.script(says("Hello."))
        assert (await run(bench, "hello")).finished.model == "first"


async def test_without_key_and_address_the_demo_model_answers(bench: Bench) -> None:
    ran = await run(bench, "hello")
    assert ran.finished.model == "demo"
    assert "demo model" in ran.text


async def test_a_thread_may_choose_the_demo_model_beside_a_real_one(
    fake_model: FakeModel, bench: Bench
) -> None:
    ran = await run(bench, run_input(user("hello"), model="demo"))
    assert ran.finished.model == "demo"
    assert fake_model.requests == []


async def test_nothing_listening_names_the_address_and_its_setting(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, free_port: int
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://ana:pw@127.0.0.1:{free_port}/v1?key=pw")
    for name in ("", "some-model"):
        monkeypatch.setenv("OPENAI_MODEL", name)
        error = (await run(bench, "hello")).error
        assert f"http://127.0.0.1:{free_port}/v1" in error
        assert "OPENAI_BASE_URL" in error
        assert "pw" not in error


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1:11434/v1",
        "localhost",
        "ftp://a/v1",
        "http://",
        "http://[::1",
        "http:x",
        "http://a b",
    ],
)
async def test_an_address_that_is_none_names_its_setting(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    assert "OPENAI_BASE_URL" in (await run(bench, "hello")).error


async def test_an_address_of_something_else_names_its_setting(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", fake_model.url.removesuffix("/v1"))
    assert "OPENAI_BASE_URL" in (await run(bench, "hello")).error
    monkeypatch.setenv("OPENAI_MODEL", "")
    error = (await run(bench, "hello")).error
    assert "OPENAI_BASE_URL" in error
    assert "OPENAI_MODEL" in error


@pytest.mark.parametrize("key", ["sk-wrong", ""])
@pytest.mark.parametrize("name", ["fake-1", ""])
async def test_a_wrong_or_missing_key_names_its_setting_and_shows_no_key(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, key: str, name: str
) -> None:
    with FakeModel(key="sk-right") as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", key)
        monkeypatch.setenv("OPENAI_MODEL", name)
        error = (await run(bench, "hello")).error
    assert "OPENAI_API_KEY" in error
    assert "sk-" not in error


async def test_a_key_that_cannot_be_sent_names_its_setting(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-schlüssel")
    error = (await run(bench, "hello")).error
    assert "OPENAI_API_KEY" in error
    assert "schlüssel" not in error


async def test_a_key_alone_asks_for_the_models_name(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert "OPENAI_MODEL" in (await run(bench, "hello")).error


async def test_an_unknown_model_names_its_setting(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "fake-9")
    error = (await run(bench, "hello")).error
    assert "'fake-9'" in error
    assert "OPENAI_MODEL" in error


REFUSALS = {
    "busy": (refuses(429), "too much to do"),
    "out of quota": (refuses(429, code="insufficient_quota"), "quota"),
    "broken": (refuses(503), "failed (HTTP 503)"),
    "refused": (refuses(400, "Too\nlong: sk-key-1"), "Too long: …"),
    "without words": (Answer([b"gone"], 418, "text/plain"), "HTTP 418"),
    "error in the stream": (
        streams(delta(content="I "), raw('{"error":{"message":"overheated"}}'), done=False),
        "overheated",
    ),
    "error as text": (streams(raw('{"error":"overheated"}'), done=False), "overheated"),
    "error of another shape": (
        streams(raw('{"object":"error","message":"overheated"}'), done=False),
        "overheated",
    ),
    "no functions, Ollama": (refuses(400, "model:1b does not support tools"), "can't call them"),
    "no functions, vLLM": (
        refuses(
            400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'
        ),
        "vLLM must be started with --enable-auto-tool-choice",
    ),
    "no functions, llama.cpp": (refuses(500, "tools param requires --jinja flag"), "with --jinja"),
    "broken off": (streams(delta(content="I "), BreakOff()), "broke off"),
}


@pytest.mark.parametrize("kind", REFUSALS)
async def test_each_failure_of_the_endpoint_is_a_sentence_and_the_thread_goes_on(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-key-1")
    answer, words = REFUSALS[kind]
    fake_model.script(answer, says("Back."))
    ran = await run(bench, "hello")
    assert ran.finished.status == "failed"
    assert words in ran.error
    assert "sk-key-1" not in ran.error
    assert ran.text in ("", "I ")
    again = run_input(user("hello"), ran.turn(), user("again"))
    assert (await run(bench, again)).text == "Back."


async def test_a_silent_model_is_given_up_and_its_text_kept(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMOTES_MODEL_TIMEOUT", "0.3")
    fake_model.script(streams(delta(content="I "), Hold()))
    ran = await run(bench, "hello")
    assert ran.text == "I "
    assert "nothing for 0.3 s" in ran.error


COMMENT = b": keep-alive\n\n"


async def test_comments_are_signs_of_life(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMOTES_MODEL_TIMEOUT", "0.6")
    waiting: list[Step] = [Pause(0.2), COMMENT] * 5
    fake_model.script(streams(*waiting, delta(content="At last.")))
    assert (await run(bench, "hello")).text == "At last."


async def test_comments_without_end_do_not_outlast_the_run(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MAX_SECONDS", 0.4)
    waiting: list[Step] = [Pause(0.05), COMMENT] * 200
    fake_model.script(streams(*waiting))
    assert "ended after" in (await run(bench, "hello")).error
    assert await asyncio.to_thread(fake_model.requests[0].left.wait, 5)


async def test_the_rounds_and_runs_share_a_connection(fake_model: FakeModel, bench: Bench) -> None:
    fake_model.script(calls("bench__echo"), says("One."), says("Two."))
    await run(bench, "hello")
    await run(bench, "hello")
    assert len(fake_model.requests) == 3
    assert fake_model.connections == 1


async def test_a_stream_that_stays_open_after_its_end_is_not_waited_for(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(streams(delta(content="One."), DONE, Hold(), done=False), says("Two."))
    assert (await run(bench, "hello")).finished.status == "done"
    assert (await run(bench, "hello")).text == "Two."


@pytest.mark.parametrize("text", ["soon", "-1", "nan"])
async def test_a_wrong_timeout_names_its_setting(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("REMOTES_MODEL_TIMEOUT", text)
    assert "REMOTES_MODEL_TIMEOUT" in (await run(bench, "hello")).error


@pytest.mark.parametrize("piece", [b"x", b"event: ping\n", b"data: x\n"])
async def test_an_event_that_never_ends_does_not_outlast_the_run(
    fake_model: FakeModel, bench: Bench, monkeypatch: pytest.MonkeyPatch, piece: bytes
) -> None:
    monkeypatch.setattr(budget, "MAX_SECONDS", 0.4)
    waiting: list[Step] = [Pause(0.05), piece] * 200
    fake_model.script(streams(delta(content="So far"), b"data: ", *waiting))
    ran = await run(bench, "hello")
    assert "ended after" in ran.error
    assert ran.text == "So far"
    assert await asyncio.to_thread(fake_model.requests[0].left.wait, 5)


@pytest.mark.parametrize("piece", [b"x" * 1024, b"data: %s\n" % (b"x" * 1024)])
async def test_an_event_without_bounds_ends_the_run_and_holds_nobody_up(
    fake_model: FakeModel, bench: Bench, piece: bytes
) -> None:
    endless: list[Step] = [piece] * 10_000
    fake_model.script(streams(delta(content="So far"), b"data: ", *endless))
    async with bystander() as stalls:
        before = time.thread_time()
        ran = await run(bench, "hello")
        took = time.thread_time() - before
    assert "more than 4 MiB in one piece" in ran.error
    assert ran.text == "So far"
    assert stalls.longest < 0.2
    assert took < 3.0


async def test_an_answer_in_one_piece_has_a_bound(fake_model: FakeModel, bench: Bench) -> None:
    endless: list[Step] = [b"x" * 65_536] * 100
    fake_model.script(Answer([b'{"choices": "', *endless], content_type="application/json"))
    assert "more than 4 MiB in one piece" in (await run(bench, "hello")).error


async def test_the_arguments_of_a_call_have_a_bound(fake_model: FakeModel, bench: Bench) -> None:
    begun = {"index": 0, "id": "c1", "function": {"name": "bench__echo", "arguments": '{"a": "'}}
    more = {"index": 0, "function": {"arguments": "x" * 65_536}}
    fake_model.script(
        streams(delta(tool_calls=[begun]), *[delta(tool_calls=[more])] * 20, delta(content="Hm."))
    )
    assert "more than 1 MiB of arguments" in (await run(bench, "hello")).error
    assert bench.sent == []
