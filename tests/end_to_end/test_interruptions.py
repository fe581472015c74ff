"""What is left of a run when the server, the user or a second message comes between."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import Client, bench, socket
from tests.support.fake_model import FakeModel, Hold, calls, delta, says, streams

HALF = streams(delta(role="assistant", content="So far "), delta(content="so good"), Hold())


@pytest.fixture
def model() -> Iterator[FakeModel]:
    with FakeModel() as model:
        yield model
        assert model.complaints == []


@pytest.fixture
def server(start_server: Callable[..., Server], model: FakeModel) -> Server:
    """A server that asks the scripted model."""
    return start_server({"OPENAI_BASE_URL": model.url})


@pytest.fixture
def token(server: Server) -> str:
    return server.token("ana")


@asynccontextmanager
async def asked(server: Server, token: str, content: str) -> AsyncIterator[tuple[Client, str]]:
    """A socket that has sent ``content`` to a new thread with the remote ``bench``."""
    async with socket(server, token=token) as client:
        thread = (await client.ask("thread-create", {"remotes": ["bench"]}))["thread"]["id"]
        await client.ask("message-send", {"thread": thread, "content": content})
        yield client, thread


async def running_call(client: Client) -> Any:
    """The call that the agent has sent."""
    frame = await client.take(
        lambda frame: (
            frame["action"] == "call-updated" and frame["payload"]["call"]["status"] == "running"
        )
    )
    return frame["payload"]["call"]


async def text_is(client: Client, text: str) -> None:
    """Wait until a message that began empty reads ``text``."""
    so_far = ""
    while so_far != text:
        piece = await client.event("message-delta")
        so_far = so_far[: piece["offset"]] + piece["text"]


async def last(client: Client, thread: str) -> Any:
    opened = await client.ask("thread-open", {"thread": thread})
    assert opened["run"] is None
    return opened["messages"][-1]


async def go_on(server: Server, token: str, thread: str, model: FakeModel) -> Any:
    """Say hello in the thread; returns the answer before it, and what the model was sent."""
    async with socket(server, token=token) as client:
        before = await last(client, thread)
        model.script(says("Hello."))
        seen = len(model.requests)
        await client.ask("message-send", {"thread": thread, "content": "hello"})
        assert (await client.event("run-finished"))["run"]["status"] == "done"
        return before, model.requests[seen].messages


async def test_a_server_killed_during_a_call_leaves_a_thread_that_goes_on(
    server: Server, token: str, model: FakeModel
) -> None:
    """G23 (a)."""
    model.script(calls("bench__slow", {"seconds": 20}))
    async with bench(server, token), asked(server, token, "go") as (client, thread):
        await running_call(client)
        server.stop(signal.SIGKILL)
    server.start()
    answer, messages = await go_on(server, token, thread, model)
    assert answer["status"] == "interrupted"
    assert [call["status"] for call in answer["calls"]] == ["interrupted"]
    assert "may have run" in answer["calls"][0]["error"]
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "tool", "user"]
    assert "may have run" in messages[3]["content"]


async def test_a_server_killed_in_mid_text_keeps_what_was_written(
    server: Server, token: str, model: FakeModel
) -> None:
    """G23 (b)."""
    model.script(HALF)
    async with asked(server, token, "go") as (client, thread):
        await text_is(client, "So far so good")
        await stored(client, server, thread, "So far so good")
        server.stop(signal.SIGKILL)
    server.start()
    answer, messages = await go_on(server, token, thread, model)
    assert (answer["status"], answer["content"]) == ("interrupted", "So far so good")
    assert answer["error"]
    assert [message["content"] for message in messages[1:]] == ["go", "So far so good", "hello"]


async def stored(client: Client, server: Server, thread: str, text: str) -> None:
    """Wait until the database holds the text, which may take half a second."""
    async with asyncio.timeout(10):
        while text not in await asyncio.to_thread(_contents, server):
            await client.ask("thread-list", {"query": text})


def _contents(server: Server) -> str:
    code = "from chat.models import Message; print(*Message.objects.values_list('content'))"
    return server.manage("shell", "--verbosity", "0", "--command", code)


async def test_a_server_that_stops_ends_its_runs_in_time(
    server: Server, token: str, model: FakeModel
) -> None:
    """G23 (c)."""
    model.script(calls("bench__slow", {"seconds": 60}))
    async with bench(server, token), asked(server, token, "go") as (client, thread):
        await running_call(client)
        await asyncio.to_thread(server.stop)
        assert (await client.event("run-finished"))["run"]["status"] == "interrupted"
    server.start()
    answer, messages = await go_on(server, token, thread, model)
    assert [call["status"] for call in answer["calls"]] == ["interrupted"]
    assert [message["role"] for message in messages][-2:] == ["tool", "user"]


async def test_a_run_that_ends_soon_is_not_cut_by_a_server_that_stops(
    server: Server, token: str, model: FakeModel
) -> None:
    model.script(HALF)
    async with asked(server, token, "go") as (client, thread):
        await text_is(client, "So far so good")
        stopping = asyncio.create_task(asyncio.to_thread(server.stop))
        await refused_as_stopping(client, thread)
        model.release()
        await stopping
        assert (await client.event("run-finished"))["run"]["status"] == "done"
    server.start()
    async with socket(server, token=token) as client:
        assert (await last(client, thread))["status"] == "done"


async def refused_as_stopping(client: Client, thread: str) -> None:
    """Wait until a message is refused because the server is about to stop."""
    payload = {"thread": thread, "content": "too late?"}
    async with asyncio.timeout(10):
        while (await client.refusal("message-send", payload))["code"] != "unavailable":
            pass


async def test_messages_sent_during_a_call_keep_their_order(
    server: Server, token: str, model: FakeModel
) -> None:
    """G24."""
    model.script(calls("bench__slow", {"seconds": 3}), says("Done."), says("4"), says("6"))
    texts = ["go", "never mind, what is 2+2?", "and 3+3?"]
    async with (
        bench(server, token),
        socket(server, token=token) as tab,
        asked(server, token, texts[0]) as (client, thread),
    ):
        await tab.ask("thread-open", {"thread": thread})
        await running_call(client)
        for sender, text in ((client, texts[1]), (tab, texts[2])):
            payload = {"thread": thread, "content": text}
            assert (await sender.refusal("message-send", payload))["code"] == "busy"
        for sender, text in ((client, texts[1]), (tab, texts[2])):
            await client.event("run-finished")
            await sender.ask("message-send", {"thread": thread, "content": text})
        await client.event("run-finished")
    sent = [message["content"] for message in model.requests[-1].messages]
    assert [content for content in sent if content in texts] == texts
    roles = [message["role"] for message in model.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", *["assistant", "user"] * 2]


async def test_a_run_stopped_before_its_first_word_is_no_empty_turn_for_the_model(
    server: Server, token: str, model: FakeModel
) -> None:
    model.script(streams(Hold()))
    async with asked(server, token, "go") as (client, thread):
        request = await asyncio.to_thread(model.wait_for_request)
        assert (await client.ask("run-stop", {"thread": thread}))["run"]["status"] == "stopped"
        assert await asyncio.to_thread(request.left.wait, 5)
    answer, messages = await go_on(server, token, thread, model)
    assert (answer["status"], answer["content"]) == ("stopped", "")
    assert [message["content"] for message in messages[1:]] == ["go", "hello"]


async def test_an_answer_without_end_is_cut_with_a_sentence(
    server: Server, token: str, model: FakeModel
) -> None:
    model.script(streams(*[delta(content='"' * 10_000)] * 20))
    async with asked(server, token, "go") as (client, thread):
        run = (await client.event("run-finished"))["run"]
        assert (run["status"], "256 KiB" in run["error"]) == ("failed", True)
        answer = await last(client, thread)
        assert 100_000 < len(answer["content"]) <= 128 * 1024
