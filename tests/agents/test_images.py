"""Images that functions return: a part of a message for models that see, a note for the others."""

import base64
import json
from typing import Any

import pytest

from agents.events import PastCall, PastTurn
from remotes.calls import Watcher
from tests.agents.bench import Bench, run, run_input, user
from tests.support.fake_model import FakeModel, calls, says

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(12 * 1024 - 8)).decode()
JPEG = base64.b64encode(b"\xff\xd8\xff\xe0" + bytes(20)).decode()
URL = f"data:image/png;base64,{PNG}"
PART = {"type": "image", "mimeType": "image/png", "data": PNG}
NOTE = "[image/png, 12 KiB, shown to the user]"
WORDS = {"type": "text", "text": "Here it is."}
SHAPES: dict[str, tuple[object, object]] = {
    "an address": (URL, NOTE),
    "a part": (PART, NOTE),
    "a list": ([WORDS, PART], [WORDS, NOTE]),
    "a list of addresses": ([URL], [NOTE]),
    "content": ({"content": [WORDS, PART], "isError": False}, None),
    "a field": ({"picture": URL, "width": 3}, {"picture": NOTE, "width": 3}),
}


@pytest.fixture
def seeing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model takes images."""
    monkeypatch.setenv("REMOTES_IMAGE_MODELS", "fake-*")


def returning(value: object) -> Bench:
    """A bench whose function ``look`` returns this."""

    async def look(args: dict[str, Any], watcher: Watcher) -> object:
        return value

    bench = Bench()
    bench.add("look", look)
    return bench


def pictures(messages: list[dict[str, Any]]) -> list[str]:
    """The addresses of the images in a request."""
    return [
        part["image_url"]["url"]
        for message in messages
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_model_that_sees_gets_the_image_after_the_answers(
    fake_model: FakeModel, seeing: None, shape: str
) -> None:
    value, _ = SHAPES[shape]
    fake_model.script(calls("bench__look"), says("A picture."))
    ran = await run(returning(value), "look")
    messages = fake_model.requests[1].messages
    assert [message["role"] for message in messages[-3:]] == ["assistant", "tool", "user"]
    assert pictures(messages) == [URL]
    assert NOTE in messages[-2]["content"]
    assert PNG[:100] not in messages[-2]["content"]
    assert json.loads(ran.ends[0].result or "") == value


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_model_that_does_not_see_reads_that_the_user_does(
    fake_model: FakeModel, shape: str
) -> None:
    value, noted = SHAPES[shape]
    fake_model.script(calls("bench__look"), says("A picture."))
    await run(returning(value), "look")
    assert "base64" not in json.dumps(fake_model.requests[1].messages)
    (text,) = fake_model.requests[1].tool_texts
    assert NOTE in text
    assert noted is None or json.loads(text) == noted


async def test_earlier_images_are_seen_again(fake_model: FakeModel, seeing: None) -> None:
    call = PastCall(
        "bench", "look", "{}", 0, "done", json.dumps([PART, f"data:image/jpeg;base64,{JPEG}"])
    )
    fake_model.script(says("Yes."))
    turn = PastTurn("assistant", "There.", [call])
    await run(returning(None), run_input(user("look"), turn, user("and now?")))
    messages = fake_model.requests[0].messages
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "tool", "user", "user", "assistant", "user"]
    assert pictures(messages) == [URL, f"data:image/jpeg;base64,{JPEG}"]


async def test_earlier_images_are_no_text_for_a_model_that_does_not_see(
    fake_model: FakeModel,
) -> None:
    call = PastCall("bench", "look", "{}", 0, "done", json.dumps(URL))
    fake_model.script(says("Yes."))
    turn = PastTurn("assistant", "", [call])
    await run(returning(None), run_input(user("look"), turn, user("and now?")))
    assert fake_model.requests[0].messages[3]["content"] == json.dumps(NOTE)


async def test_only_the_latest_images_go_along(fake_model: FakeModel, seeing: None) -> None:
    call = PastCall("bench", "look", "{}", 0, "done", json.dumps([URL] * 5))
    fake_model.script(says("Yes."))
    turn = PastTurn("assistant", "", [call])
    await run(returning(None), run_input(user("a"), turn, user("b"), turn, user("c")))
    messages = fake_model.requests[0].messages
    assert len(pictures(messages)) == 8
    told = [m for m in messages if m["role"] == "user" and "no longer shown" in str(m["content"])]
    assert len(told) == 2


@pytest.mark.parametrize(
    "value",
    [
        {"deep": {"deeper": [URL]}},
        f"![a picture]({URL})",
        {"type": "image", "mimeType": "image/png", "data": "AAAA" * 100},
        {"type": "image", "mimeType": "image/png", "data": "no base64!" * 100},
        {"type": "image", "mimeType": "image/svg+xml", "data": PNG},
        {"content": [{"type": "audio", "mimeType": "audio/wav", "data": PNG}]},
        {"content": [{"type": "resource", "resource": {"uri": "x://y", "blob": PNG}}]},
        f"data:application/pdf;base64,{PNG}",
        f"data:image/png;name=x.png;base64,{PNG}"[:200],
    ],
)
async def test_a_file_that_is_no_image_to_show_is_only_mentioned(
    fake_model: FakeModel, seeing: None, value: object
) -> None:
    fake_model.script(calls("bench__look"), says("A file."))
    await run(returning(value), "look")
    messages = fake_model.requests[1].messages
    assert pictures(messages) == []
    (text,) = fake_model.requests[1].tool_texts
    assert "left out]" in text
    assert len(text) < 200


@pytest.mark.parametrize(
    "value", ["data", {"data": 1}, {"data": "x"}, {"type": "image"}, [{}, 1.5]]
)
async def test_other_results_stay_as_they_are(fake_model: FakeModel, value: object) -> None:
    fake_model.script(calls("bench__look"), says("Words."))
    await run(returning(value), "look")
    assert fake_model.requests[1].tool_texts == [json.dumps(value)]
