"""What servers really stream: every oddity still gives the right text and the right calls.

Each answer goes through the real client and the whole loop; the strict server then also reads
what the next rounds and the next message make of it.
"""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.agents.bench import Bench, run, run_input, user
from tests.support.fake_model import (
    DONE,
    Answer,
    FakeModel,
    Step,
    delta,
    finish,
    page,
    raw,
    says,
    streams,
)

OSLO = '{"city":"Oslo"}'
BERGEN = '{"city":"Bergen"}'
ABSENT = object()


def part(index: int | None = 0, **entry: Any) -> dict[str, Any]:
    """A piece of a call as it stands in a delta; ``name`` and ``arguments`` go inside."""
    names = ("name", "arguments")
    function = {key: entry.pop(key) for key in names if key in entry and entry[key] is not ABSENT}
    for key in names:
        entry.pop(key, None)
    piece = {**entry, "function": function}
    return piece if index is None else {"index": index, **piece}


def parts(*pieces: dict[str, Any]) -> bytes:
    """A chunk with these pieces of calls."""
    return delta(tool_calls=list(pieces))


WEATHER: dict[str, Any] = {"name": "bench__weather"}
END = finish("tool_calls")

TWO_CALLS = [("weather", {"city": "Oslo"}), ("weather", {"city": "Bergen"})]
ONE_CALL = TWO_CALLS[:1]
PING: list[tuple[str, dict[str, Any]]] = [("ping", {})]

CASES: dict[str, tuple[list[Step], list[tuple[str, dict[str, Any]]]]] = {
    "empty arguments": (
        [parts(part(id="c1", name="bench__ping", arguments="")), END],
        PING,
    ),
    "absent arguments": (
        [parts(part(id="c1", name="bench__ping")), END],
        PING,
    ),
    "null arguments": (
        [parts(part(id="c1", name="bench__ping", arguments=None)), END],
        PING,
    ),
    "blank arguments": (
        [parts(part(id="c1", name="bench__ping", arguments="  ")), END],
        PING,
    ),
    "the word null for arguments": (
        [parts(part(id="c1", name="bench__ping", arguments="null")), END],
        PING,
    ),
    "a call without a name beside one with": (
        [
            parts(part(0, id="c1", arguments="{}"), part(1, id="c2", **WEATHER, arguments=OSLO)),
            END,
        ],
        ONE_CALL,
    ),
    "arguments in pieces": (
        [
            parts(part(id="c2", **WEATHER, arguments="")),
            parts(part(arguments='{"ci')),
            parts(part(arguments='ty":"Oslo"}')),
            END,
        ],
        ONE_CALL,
    ),
    "arguments as an object": (
        [parts(part(id="c3", **WEATHER, arguments={"city": "Oslo"})), END],
        ONE_CALL,
    ),
    "two calls with index 0": (
        [
            parts(part(id="c1", **WEATHER, arguments=OSLO)),
            parts(part(id="c2", **WEATHER, arguments=BERGEN)),
            END,
        ],
        TWO_CALLS,
    ),
    "two calls with index 0 in one chunk": (
        [
            parts(
                part(id="c1", **WEATHER, arguments=OSLO), part(id="c2", **WEATHER, arguments=BERGEN)
            ),
            END,
        ],
        TWO_CALLS,
    ),
    "two calls without index": (
        [
            parts(part(None, id="c1", **WEATHER, arguments=OSLO)),
            parts(part(None, id="c2", **WEATHER, arguments=BERGEN)),
            END,
        ],
        TWO_CALLS,
    ),
    "two calls with neither index nor id": (
        [
            parts(part(None, **WEATHER, arguments=OSLO), part(None, **WEATHER, arguments=BERGEN)),
            END,
        ],
        TWO_CALLS,
    ),
    "two calls with the same id": (
        [
            parts(part(0, id="c", **WEATHER, arguments=OSLO)),
            parts(part(1, id="c", **WEATHER, arguments=BERGEN)),
            END,
        ],
        TWO_CALLS,
    ),
    "two calls with empty ids": (
        [
            parts(part(0, id="", **WEATHER, arguments=OSLO)),
            parts(part(1, id="", **WEATHER, arguments=BERGEN)),
            END,
        ],
        TWO_CALLS,
    ),
    "two calls interleaved": (
        [
            parts(part(0, id="c1", **WEATHER), part(1, id="c2", **WEATHER)),
            parts(part(1, arguments='{"city":')),
            parts(part(0, arguments='{"city":"Os')),
            parts(part(1, arguments='"Bergen"}')),
            parts(part(0, arguments='lo"}')),
            END,
        ],
        TWO_CALLS,
    ),
    "null and empty names and ids in later pieces": (
        [
            parts(part(id="c1", **WEATHER, arguments="")),
            parts(part(id=None, type=None, name=None, arguments='{"city":')),
            parts(part(id="", name="", arguments='"Oslo"}')),
            END,
        ],
        ONE_CALL,
    ),
    "the name comes late": (
        [
            parts(part(id="c1", name="")),
            parts(part(id="c1", **WEATHER, arguments=OSLO)),
            END,
        ],
        ONE_CALL,
    ),
    "the name in every piece": (
        [
            parts(part(id="c1", **WEATHER, arguments="")),
            parts(part(id="c1", **WEATHER, arguments='{"city":')),
            parts(part(id="c1", **WEATHER, arguments='"Oslo"}')),
            END,
        ],
        ONE_CALL,
    ),
    "id and name again at the end": (
        [
            parts(part(id="c1", **WEATHER, arguments=OSLO)),
            parts(part(id="c1", **WEATHER, arguments="")),
            END,
        ],
        ONE_CALL,
    ),
    "the whole call again at the end": (
        [
            parts(part(id="c1", **WEATHER, arguments=OSLO)),
            parts(part(id="c1", **WEATHER, arguments=OSLO)),
            END,
        ],
        ONE_CALL,
    ),
    "the reason stop although there is a call": (
        [parts(part(id="c1", **WEATHER, arguments=OSLO)), finish("stop")],
        ONE_CALL,
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_calls_are_put_together_whatever_the_server_leaves_out(
    fake_model: FakeModel, bench: Bench, case: str
) -> None:
    steps, expected = CASES[case]
    fake_model.script(streams(*steps), says("Done."), says("Hello."))
    ran = await run(bench, "go")
    assert sorted(bench.sent, key=str) == sorted(expected, key=str)
    assert [call.function for call in ran.started] == [name for name, _ in expected]
    assert ran.text == "Done."
    assert ran.finished.status == "done"
    again = await run(bench, run_input(user("go"), ran.turn(), user("hello")))
    assert again.text == "Hello."


async def test_the_outcomes_go_back_under_the_models_own_ids(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(streams(*CASES["two calls with index 0"][0]), says("Done."))
    await run(bench, "go")
    answers = [message for message in fake_model.requests[1].messages if message["role"] == "tool"]
    assert [answer["tool_call_id"] for answer in answers] == ["c1", "c2"]


async def test_chunks_with_nothing_in_them_leave_no_trace(
    fake_model: FakeModel, bench: Bench
) -> None:
    usage = '{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}'
    fake_model.script(
        streams(
            raw('{"id":"x","choices":[],"prompt_filter_results":[]}'),
            delta(role="assistant", content=None, tool_calls=None, function_call=None),
            delta(content="Hi"),
            delta(content=""),
            delta(content=" there", tool_calls=[]),
            parts({"index": 0, "function": None}),
            raw('{"id":"x","choices":[{"index":0,"delta":null,"finish_reason":"stop"}]}'),
            raw('{"id":"x","choices":[],"usage":' + usage + "}"),
            raw('{"id":"x","choices":null}'),
        )
    )
    ran = await run(bench, "go")
    assert ran.text == "Hi there"
    assert ran.started == []
    assert ran.finished.status == "done"
    assert ran.finished.usage == {"prompt": 3, "completion": 2, "total": 5}


THINKING = [
    delta(reasoning_content="I should look it up. "),
    delta(content="Let me check "),
    delta(content="Oslo."),
    parts(part(id="c1", **WEATHER, arguments=OSLO)),
    finish("stop"),
]


async def test_thoughts_are_no_part_of_the_answer(fake_model: FakeModel, bench: Bench) -> None:
    fake_model.script(streams(*THINKING), says("12 degrees."))
    ran = await run(bench, "go")
    assert ran.text == "Let me check Oslo.12 degrees."
    assert bench.sent == ONE_CALL
    asked = fake_model.requests[1].messages[-2]
    assert asked["content"] == "Let me check Oslo."
    assert len(asked["tool_calls"]) == 1
    assert "reasoning_content" not in asked


async def test_thoughts_go_back_to_a_model_that_wants_them(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeModel(models=["thinker-2"], extra_keys=["reasoning_content"]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("REMOTES_RETURN_REASONING", "other thinker-*")
        model.script(streams(*THINKING), says("12 degrees."))
        await run(bench, "go")
    assert model.requests[1].messages[-2]["reasoning_content"] == "I should look it up. "
    assert model.complaints == []


async def test_an_answer_without_a_reason_for_its_end_is_kept(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(streams(delta(content="That is all.")))
    ran = await run(bench, "go")
    assert (ran.text, ran.finished.status) == ("That is all.", "done")


async def test_an_answer_that_just_stops_is_kept_and_said_to_be_broken_off(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(streams(delta(content="That is"), done=False))
    ran = await run(bench, "go")
    assert (ran.text, ran.finished.status) == ("That is", "failed")
    assert "ended too early" in ran.error


CUT_OFF = parts(part(id="c1", name="bench__delete_files", arguments='{"paths":["/srv/a",'))


@pytest.mark.parametrize(
    "answer",
    [streams(CUT_OFF, finish("length")), streams(CUT_OFF, done=False)],
    ids=["at the token limit", "without a word"],
)
async def test_a_call_that_was_cut_off_is_never_run(
    fake_model: FakeModel, bench: Bench, answer: Any
) -> None:
    fake_model.always(answer)
    ran = await run(bench, "clean up")
    assert bench.sent == []
    assert "cut off and not run" in fake_model.requests[1].tool_texts[0]
    assert len(fake_model.requests) == 3
    assert ran.finished.status == "failed"
    assert "cut off 3 times" in ran.error
    fake_model.always(says("Fine."))
    assert (await run(bench, run_input(user("go"), ran.turn(), user("ok")))).text == "Fine."


async def test_a_whole_call_before_a_cut_off_is_not_run_either(
    fake_model: FakeModel, bench: Bench
) -> None:
    whole = part(0, id="c0", **WEATHER, arguments=OSLO)
    fake_model.script(streams(parts(whole), finish("length")), says("I stop."))
    await run(bench, "go")
    assert bench.sent == []


async def test_text_cut_off_at_the_token_limit_is_kept_and_said_to_be_so(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(says("Once upon a", reason="length"))
    ran = await run(bench, "tell me")
    assert ran.text == "Once upon a"
    assert ran.finished.status == "done"
    assert "cut off" in ran.error


async def test_halves_of_a_character_are_joined_across_chunks(
    fake_model: FakeModel, bench: Bench
) -> None:
    def said(escaped: str) -> bytes:
        return raw('{"choices":[{"delta":{"content":"' + escaped + '"}}]}')

    fake_model.script(
        streams(
            *map(said, [r"a\ud83d", r"\ude00b", r"\ud83d", r"c\u0000", r"\ud83d"]),
        )
    )
    ran = await run(bench, "go")
    assert ran.text == "a😀b\ufffdc\ufffd\ufffd"


def _bytes_of(*chunks: bytes) -> list[Step]:
    """The same stream, sent byte by byte."""
    return [b"%c" % byte for chunk in chunks for byte in chunk]


HELLO = delta(content="Héllo"), finish("stop"), DONE

SEVERAL_LINES = (
    b'data: {"choices":\ndata: [{"delta":{"content":"H\xc3\xa9llo"},\n'
    b'data: "finish_reason":"stop"}]}\n\n'
)

SPELLINGS: dict[str, list[Step]] = {
    "byte by byte": _bytes_of(*HELLO),
    "with CRLF": [chunk.replace(b"\n", b"\r\n") for chunk in HELLO],
    "with CRLF, byte by byte": _bytes_of(*(chunk.replace(b"\n", b"\r\n") for chunk in HELLO)),
    "with CR": [chunk.replace(b"\n", b"\r") for chunk in HELLO],
    "without a space": [chunk.replace(b"data: ", b"data:") for chunk in HELLO],
    "with comments and other fields": [
        b": keep-alive\n\n",
        *(b"event: message\nid: 1\n: x\n" + chunk for chunk in HELLO),
    ],
    "with data over several lines": [SEVERAL_LINES],
    "with data over several lines and CRLF, byte by byte": _bytes_of(
        SEVERAL_LINES.replace(b"\n", b"\r\n")
    ),
    "with a byte order mark": [b"\xef\xbb\xbf", *HELLO],
    "without an end": [*HELLO[:1], HELLO[1].rstrip()],
}


@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_events_are_read_in_every_spelling_of_the_format(
    fake_model: FakeModel, bench: Bench, spelling: str
) -> None:
    fake_model.script(streams(*SPELLINGS[spelling], done=False))
    ran = await run(bench, "go")
    assert (ran.text, ran.finished.status) == ("Héllo", "done")


async def test_an_endpoint_that_does_not_stream_is_understood(
    fake_model: FakeModel, bench: Bench
) -> None:
    message = {"role": "assistant", "content": "", "tool_calls": [part(None, id="c", **WEATHER)]}
    whole = streams(_completion(message), done=False)
    plain = streams(_completion({"role": "assistant", "content": "Done."}), done=False)
    fake_model.script(*(_as_json(answer) for answer in (whole, plain)))
    ran = await run(bench, "go")
    assert ran.text == "Done."
    assert bench.sent == [("weather", {})]


def _completion(message: dict[str, Any]) -> bytes:
    chunk = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    return json.dumps(chunk).encode()


def _as_json(answer: Answer) -> Answer:
    return replace(answer, content_type="application/json")


async def test_a_web_page_in_place_of_an_answer_is_not_taken_for_one(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.script(page("<html><body>Welcome</body></html>"))
    ran = await run(bench, "go")
    assert ran.text == ""
    assert "web page" in ran.error
    assert "OPENAI_BASE_URL" in ran.error


@pytest.mark.parametrize("data", ["hello", "[1", '"text"', "[]", "7", "null"])
async def test_an_event_that_is_no_chunk_does_not_hang_or_break_the_thread(
    fake_model: FakeModel, bench: Bench, data: str
) -> None:
    fake_model.script(streams(raw(data)), says("Back."))
    assert (await run(bench, "go")).finished.status == "failed"
    assert (await run(bench, "again")).text == "Back."
