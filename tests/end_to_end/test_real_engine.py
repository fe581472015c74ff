"""A real engine's stream through the whole server: llama.cpp with a very small model.

The model is fluent and often wrong, so nothing is asserted of what it says.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import Client, bench, socket
from tests.support import real_engine
from tests.support.real_engine import RealEngine

pytestmark = pytest.mark.skipif(real_engine.missing() != "", reason=real_engine.missing())

PATIENCE = 120.0  # seconds; on a busy machine even a small model is slow


async def event(client: Client, action: str) -> Any:
    """The payload of the next such event, however long the model takes."""
    frame = await client.take(lambda frame: frame["action"] == action, PATIENCE)
    return frame["payload"]


@pytest.fixture(scope="module")
def engine() -> Iterator[RealEngine]:
    with RealEngine() as engine:
        yield engine


@pytest.fixture
def server(start_server: Callable[..., Server], engine: RealEngine) -> Server:
    return start_server(env={"OPENAI_BASE_URL": engine.url})


@pytest.fixture
async def ana(server: Server) -> AsyncIterator[Client]:
    async with socket(server, token=server.token("ana")) as client:
        yield client


async def test_a_real_model_answers_word_by_word_with_a_function_on_offer(
    server: Server, ana: Client
) -> None:
    listed = await ana.ask("model-list")
    assert [(each["id"], each["default"]) for each in listed["models"]] == [
        ("smollm2", True),
        ("demo", False),
    ]
    async with bench(server, server.token("ana")):
        thread = (await ana.ask("thread-create", {"remotes": ["bench"]}))["thread"]["id"]
        await ana.ask("message-send", {"thread": thread, "content": "Say hello to me."})
        finished = (await event(ana, "message-finished"))["message"]
    assert finished["status"] == "done", finished
    assert finished["model"] == "smollm2"
    assert finished["usage"]["completion"] > 0
    deltas = [frame for frame in ana.frames if frame["action"] == "message-delta"]
    assert "".join(frame["payload"]["text"] for frame in deltas) == finished["content"] != ""


async def test_a_thread_longer_than_the_engines_window_goes_on(ana: Client) -> None:
    thread = (await ana.ask("thread-create"))["thread"]["id"]
    finished: dict[str, object] = {}
    for number in range(3):
        content = f"Answer in one word. {number} " + "The cat sat on the mat. " * 80
        await ana.ask("message-send", {"thread": thread, "content": content})
        finished = (await event(ana, "message-finished"))["message"]
        await event(ana, "run-finished")
        assert finished["status"] == "done", finished
    assert finished["historyFrom"]


async def test_a_real_answer_can_be_stopped(ana: Client) -> None:
    thread = (await ana.ask("thread-create"))["thread"]["id"]
    content = "Write a very long story about a cat, with many chapters."
    await ana.ask("message-send", {"thread": thread, "content": content})
    await event(ana, "message-delta")
    assert (await ana.ask("run-stop", {"thread": thread}))["run"]["status"] == "stopped"
    finished = (await event(ana, "message-finished"))["message"]
    await event(ana, "run-finished")
    assert (finished["status"], finished["model"]) == ("stopped", "smollm2")
    await ana.ask("message-send", {"thread": thread, "content": "Say one word."})
    assert (await event(ana, "run-finished"))["run"]["status"] == "done"


def test_the_check_of_a_real_model_streams_a_line(server: Server) -> None:
    try:
        told = server.manage("check_model")
    except AssertionError as failed:  # a model this small may not call the function
        told = str(failed)
    assert "ok  List of models: 1 can be chosen; smollm2 is one of them." in told
    assert "ok  Streaming: " in told
