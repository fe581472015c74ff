"""What a model thinks aloud is kept apart from its answer, however its server tells them apart."""

import pytest

from tests.agents.bench import Bench, run
from tests.support.fake_model import (
    FakeModel,
    Step,
    call,
    delta,
    finish,
    raw,
    says,
    streams,
)


def said(*pieces: str) -> list[Step]:
    """The text in these pieces."""
    return [delta(content=piece) for piece in pieces]


def typed(*parts: object) -> bytes:
    """A content of typed parts."""
    return delta(content=list(parts))


TEXT = {"type": "text", "text": "It is 12."}

STREAMS: dict[str, list[Step]] = {
    "in reasoning_content": [
        delta(reasoning_content="Let me "),
        delta(reasoning_content="see."),
        *said("It is 12."),
    ],
    "in reasoning": [delta(reasoning="Let me see.", content=""), *said("It is 12.")],
    "in both at once": [
        delta(reasoning="Let me see.", reasoning_content="Let me see."),
        *said("It is 12."),
    ],
    "beside the text": [delta(reasoning_content="Let me see.", content="It is 12.")],
    "in a part with parts": [
        typed({"type": "thinking", "thinking": [{"type": "text", "text": "Let me see."}]}),
        typed(TEXT),
    ],
    "in a part with text": [typed({"type": "thinking", "thinking": "Let me see."}, TEXT)],
    "in a part called reasoning": [
        typed({"type": "reasoning", "text": "Let me see."}),
        typed(TEXT),
    ],
    "in tags": said("<think>Let me see.</think>\n\nIt is 12."),
    "in tags, letter by letter": said(*"<think>Let me see.</think>\n\nIt is 12."),
    "in tags after white space": said(
        "\n", "<thi", "nk>Let me see.", "</think", ">", "\n", "\nIt is 12."
    ),
}


@pytest.mark.parametrize("stream", STREAMS)
async def test_thoughts_and_answer_are_told_apart(
    fake_model: FakeModel, bench: Bench, stream: str
) -> None:
    fake_model.script(streams(*STREAMS[stream], finish("stop")))
    ran = await run(bench, "how warm is it?")
    assert (ran.reasoning, ran.text) == ("Let me see.", "It is 12.")
    assert ran.finished.status == "done"


@pytest.mark.parametrize(
    "text",
    ["Use <think> for that.", "<thin air", "<", " \n<b>", "a</think>b", "<thinking>"],
)
async def test_what_only_looks_like_a_tag_is_the_answers_own(
    fake_model: FakeModel, bench: Bench, text: str
) -> None:
    fake_model.script(streams(*said(*text), finish("stop")))
    ran = await run(bench, "go")
    assert (ran.reasoning, ran.text) == ("", text)


@pytest.mark.parametrize(
    "steps",
    [
        [delta(reasoning_content="Hm.")],
        said("<think>Hm."),
        said("<think>Hm.</think>"),
    ],
)
async def test_thoughts_without_an_answer_are_kept_and_the_answer_said_to_be_empty(
    fake_model: FakeModel, bench: Bench, steps: list[Step]
) -> None:
    fake_model.script(streams(*steps, finish("stop")))
    ran = await run(bench, "go")
    assert (ran.reasoning, ran.text) == ("Hm.", "")
    assert "without saying anything" in ran.error


@pytest.mark.parametrize("content", [7, {"type": "text"}, [7, None, {"type": "text"}, []], [[]]])
async def test_content_that_makes_no_sense_is_passed_over(
    fake_model: FakeModel, bench: Bench, content: object
) -> None:
    fake_model.script(streams(delta(content=content), *said("Fine."), finish("stop")))
    assert (await run(bench, "go")).text == "Fine."


async def test_the_thoughts_of_each_round_are_a_paragraph(
    fake_model: FakeModel, bench: Bench
) -> None:
    first = delta(reasoning_content="First "), delta(reasoning_content="this.")
    asked = call("bench__echo", {"n": 1})
    fake_model.script(
        streams(*first, *says("", asked).steps[:-1]),
        streams(delta(reasoning_content="Then that."), *said("Done."), finish("stop")),
    )
    ran = await run(bench, "go")
    assert ran.reasoning == "First this.\n\nThen that."
    assert "First" not in str(fake_model.requests[1].body)


async def test_halves_of_a_character_are_joined_in_thoughts_too(
    fake_model: FakeModel, bench: Bench
) -> None:
    def thought(escaped: str) -> bytes:
        return raw('{"choices":[{"delta":{"reasoning":"' + escaped + '"}}]}')

    fake_model.script(streams(*map(thought, [r"a\ud83d", r"\ude00b\u0000"]), *said("Done.")))
    assert (await run(bench, "go")).reasoning == "a😀b\ufffd"
