"""A thread longer than its model can read goes on: what is left out, and that it stays valid."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import windows
from agents.events import PastCall, PastTurn
from agents.history import Conversation
from tests.agents.bench import Bench, run, run_input
from tests.support import openai_rules
from tests.support.fake_model import FakeModel, calls, raw, refuses, says, streams

WINDOW = 2000  # tokens


def turns(number: int, size: int = 300) -> list[PastTurn]:
    """So many messages of the user, each with a call and an answer of ``size`` bytes."""
    result = json.dumps("r" * size)
    told = []
    for index in range(number):
        told.append(PastTurn("user", f"question {index}", id=f"u{index}"))
        call = PastCall("bench", "echo", "{}", 0, "done", result)
        told.append(PastTurn("assistant", f"answer {index}", [call], id=f"a{index}"))
    return told


def asks(text: str = "and now?") -> PastTurn:
    """The message to answer."""
    return PastTurn("user", text, id="last")


def questions(messages: Sequence[dict[str, Any]]) -> list[str]:
    """What the user says in a request."""
    return [message["content"] for message in messages if message["role"] == "user"]


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> int:
    """A small window, as the settings say."""
    monkeypatch.setenv("REMOTES_MODEL_WINDOW", str(WINDOW))
    return WINDOW


async def test_a_thread_that_fits_is_sent_whole(
    fake_model: FakeModel, bench: Bench, window: int
) -> None:
    fake_model.script(says("Yes."))
    ran = await run(bench, run_input(*turns(2), asks()))
    assert questions(fake_model.requests[0].messages) == ["question 0", "question 1", "and now?"]
    assert ran.asked.history_from == ""


async def test_the_oldest_turns_are_left_out_whole_and_the_first_one_kept_is_told(
    fake_model: FakeModel, bench: Bench, window: int
) -> None:
    fake_model.script(says("Yes."))
    ran = await run(bench, run_input(*turns(40), asks()))
    assert ran.text == "Yes."
    system, first, *_ = fake_model.requests[0].messages
    assert system["role"] == "system"
    kept = questions(fake_model.requests[0].messages)
    assert kept == [*(f"question {index}" for index in range(41 - len(kept), 40)), "and now?"]
    assert 3 < len(kept) < 20
    assert first["content"] == kept[0]
    assert ran.asked.history_from == f"u{41 - len(kept)}"


async def test_a_message_that_is_too_long_by_itself_loses_its_middle(
    fake_model: FakeModel, bench: Bench, window: int
) -> None:
    fake_model.script(says("Yes."))
    text = "beginning " + "ä" * 20_000 + " end"
    ran = await run(bench, run_input(*turns(2), asks(text)))
    assert ran.asked.history_from == "last"
    (sent,) = questions(fake_model.requests[0].messages)
    assert sent.startswith("beginning ä")
    assert sent.endswith("ä end")
    assert "Left out here" in sent
    assert len(sent.encode()) < WINDOW * 3


async def test_in_a_long_run_the_first_outcomes_make_room_for_the_last(
    fake_model: FakeModel, bench: Bench, window: int
) -> None:
    names = [f"round {number}" for number in range(8)]
    fake_model.script(
        *(calls("bench__echo", {"n": n, "x": "x" * 600}) for n in names), says("Done.")
    )
    ran = await run(bench, run_input(asks()))
    assert ran.text == "Done."
    last = fake_model.requests[-1]
    assert questions(last.messages) == ["and now?"]
    assert json.loads(last.tool_texts[-1])["n"] == "round 7"
    assert "Left out here" in json.dumps(last.messages)


async def test_without_a_setting_the_endpoint_may_tell_the_window(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeModel(window=1500) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        model.script(says("Yes."), says("Again."))
        ran = await run(bench, run_input(*turns(40), asks()))
        assert (ran.text, ran.finished.status) == ("Yes.", "done")
        assert ran.asked.history_from
        refused = len(model.requests) - 1
        assert 1 <= refused <= 3
        again = await run(bench, run_input(*turns(40), asks()))
        assert again.text == "Again."
        assert len(model.requests) == refused + 2
    assert model.complaints == []


@pytest.mark.parametrize(
    "words",
    [
        "the request exceeds the available context size, try increasing it",
        "Trying to keep the first 9000 tokens when context the overflows. However, the model is "
        "loaded with context length of only 4096 tokens, which is not enough.",
        "prompt is too long: 9000 tokens > 4096 maximum",
        "The decoder prompt (length 9000) is longer than the maximum model length of 4096.",
    ],
)
@pytest.mark.parametrize("in_the_stream", [False, True])
async def test_whatever_words_say_that_it_is_too_long_it_is_shortened(
    fake_model: FakeModel, bench: Bench, words: str, in_the_stream: bool
) -> None:
    error = raw(json.dumps({"error": {"message": words}}))
    fake_model.script(
        streams(error, done=False) if in_the_stream else refuses(400, words), says("Yes.")
    )
    assert (await run(bench, run_input(*turns(40), asks()))).text == "Yes."
    first, second = (len(request.messages) for request in fake_model.requests)
    assert second < first


async def test_what_can_not_be_shortened_further_is_said(
    fake_model: FakeModel, bench: Bench
) -> None:
    fake_model.always(refuses(400, "maximum context length is 10 tokens"))
    assert "too long for fake-1" in (await run(bench, run_input(asks("hi")))).error
    assert len(fake_model.requests) <= 4


TEXTS = st.text(max_size=40) | st.builds(
    lambda text, n: text * n, st.text(max_size=3), st.integers(0, 2000)
)
CALLS = st.builds(
    lambda offset, args, result: PastCall(
        "bench", "echo", json.dumps(args), offset, "done", result
    ),
    st.integers(0, 30),
    st.dictionaries(st.sampled_from("ab"), TEXTS, max_size=1),
    TEXTS,
)
ANSWERS = st.builds(
    lambda text, made: PastTurn("assistant", text, made), TEXTS, st.lists(CALLS, max_size=3)
)
ASKED = st.builds(lambda text, id: PastTurn("user", text, id=str(id)), TEXTS, st.uuids())


@given(
    history=st.lists(st.tuples(ASKED, ANSWERS), max_size=6),
    last=ASKED,
    rounds=st.lists(st.lists(CALLS, min_size=1, max_size=3), max_size=3),
    room=st.integers(0, 3000),
)
def test_whatever_is_left_out_the_rest_is_a_valid_request(
    history: list[tuple[PastTurn, PastTurn]],
    last: PastTurn,
    rounds: list[list[PastCall]],
    room: int,
) -> None:
    told = [*(turn for pair in history for turn in pair), last]
    conversation = Conversation("You help.", told)
    for made in rounds:
        earlier = PastTurn("assistant", "", made)
        conversation._add_past(earlier)
    fitted = windows.fit(conversation, room)
    body = {"model": "m", "messages": list(fitted.messages)}
    assert openai_rules.faults(body) == []
    assert fitted.messages[0] == conversation.messages[0]
    assert fitted.tokens == sum(map(windows.tokens, fitted.messages))
    if sum(map(windows.tokens, conversation.messages)) <= room:
        assert fitted.messages == conversation.messages
    elif fitted.tokens > room:  # nothing more can be left out
        assert len(questions(fitted.messages)) == 1
        assert sum("tool_calls" in message for message in fitted.messages) <= 1
        texts = [windows.tokens(message["content"]) for message in fitted.messages]
        assert max(texts) <= windows.LEAST_TEXT + 1
    if fitted.history_from:
        kept = questions(fitted.messages)
        assert fitted.history_from == [turn.id for turn in told[::2]][-len(kept)]
