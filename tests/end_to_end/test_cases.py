"""Faults that other projects met in public, seen through a run of the agent."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import Client, bench, function, socket
from tests.support.fake_model import FakeModel, call, calls, says


@pytest.fixture
def model() -> Iterator[FakeModel]:
    with FakeModel() as model:
        yield model
        assert model.complaints == []


@pytest.fixture
def server(start_server: Callable[..., Server], model: FakeModel) -> Server:
    """A server that asks the scripted model."""
    return start_server({"OPENAI_BASE_URL": model.url})


@asynccontextmanager
async def chat(server: Server) -> AsyncIterator[tuple[Client, str]]:
    """A socket with a new thread in which ``bench`` is switched on."""
    async with socket(server, token=server.token()) as client:
        thread = (await client.ask("thread-create", {"remotes": ["bench"]}))["thread"]["id"]
        yield client, thread


async def answer(client: Client, thread: str, content: str) -> Any:
    """The finished answer to ``content``."""
    await client.ask("message-send", {"thread": thread, "content": content})
    finished = await client.event("message-finished")
    assert (await client.event("run-finished"))["run"]["status"] == "done"
    return finished["message"]


def resident(server: Server) -> int:
    """The server's memory, in MiB."""
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


async def test_a_frame_of_64_mib_is_refused_and_nobody_else_notices(server: Server) -> None:
    """G03 (a): Daphne drops a socket that sends more than 4 MiB in one message."""
    async with bench(server, server.token()) as bystander:
        before = resident(server)
        async with socket(server, token=server.token("ben")) as flooder:
            with suppress(ConnectionClosed):
                await flooder.text('{"action":"ping","x":"' + "x" * (64 * 1024 * 1024) + '"}')
            await flooder.closed()
            echoed = {"remotename": "bench", "function": "echo", "args": {"n": 1}}
            assert (await bystander.ask("remote-call", echoed))["result"] == {"n": 1}
        assert resident(server) - before < 100


async def test_a_long_result_is_cut_for_the_model_and_says_so(
    server: Server, model: FakeModel
) -> None:
    """G03 (b)."""
    model.script(calls("bench__echo", {"text": "x" * 300_000}), says("Long."), says("Still here."))
    async with bench(server, server.token()), chat(server) as (client, thread):
        finished = await answer(client, thread, "go")
        assert finished["calls"][0]["status"] == "done"
        (told,) = [
            message["content"]
            for message in model.requests[1].messages
            if message["role"] == "tool"
        ]
        assert len(told) < 40_000
        assert "300,0" in told or "3000" in told or "300 0" in told
        assert (await answer(client, thread, "and now?"))["content"] == "Still here."


async def test_a_remote_that_leaves_is_told_to_the_model_and_the_run_goes_on(
    server: Server, model: FakeModel
) -> None:
    """G04 (a), seen by the agent: two calls in parallel."""
    model.script(
        says("", call("bench__slow", {"seconds": 20}), call("bench__slow", {"seconds": 21})),
        says("It left."),
    )
    async with chat(server) as (client, thread):
        async with bench(server, server.token()) as owner:
            await client.ask("message-send", {"thread": thread, "content": "go"})
            for _ in range(2):
                await client.take(
                    lambda frame: (
                        frame["action"] == "call-updated"
                        and frame["payload"]["call"]["status"] == "running"
                    )
                )
            await owner.close()
        started = time.monotonic()
        finished = await client.event("message-finished")
        assert time.monotonic() - started < 2
        assert finished["message"]["content"] == "It left."
        assert [each["code"] for each in finished["message"]["calls"]] == [
            "remote-disconnected",
            "remote-disconnected",
        ]


async def test_a_function_that_is_gone_by_the_next_round_is_an_error_for_the_model(
    server: Server, model: FakeModel
) -> None:
    """G05 (c)."""
    model.script(calls("bench__slow", {"seconds": 0.3}), calls("bench__slow", {}), says("Gone."))
    async with bench(server, server.token()), chat(server) as (client, thread):
        await client.ask("message-send", {"thread": thread, "content": "go"})
        await client.take(
            lambda frame: (
                frame["action"] == "call-updated"
                and frame["payload"]["call"]["status"] == "running"
            )
        )
        async with socket(server, token=server.token()) as newer:
            await newer.serve("bench", [function("echo")])
            finished = await client.event("message-finished")
            assert finished["message"]["content"] == "Gone."
            assert [each["status"] for each in finished["message"]["calls"]] == ["done", "error"]
            assert finished["message"]["calls"][1]["code"] == "function-not-found"
            assert not [frame for frame in newer.frames if frame["action"] == "remote-call"]


async def test_the_page_that_serves_the_remote_may_run_the_agent_on_it(
    server: Server, model: FakeModel
) -> None:
    """G07 (b) and (c): calls to the asking socket overlap, and end when it closes."""
    slow = {"seconds": 1}
    model.script(
        says("", *[call("bench__slow", {**slow, "n": n}) for n in range(3)]),
        says("All three."),
        calls("bench__slow", {"seconds": 20}),
        says("It left."),
    )
    token = server.token()
    async with socket(server, token=token) as watcher:
        async with bench(server, token) as both:
            thread = (await both.ask("thread-create", {"remotes": ["bench"]}))["thread"]["id"]
            started = time.monotonic()
            running = asyncio.create_task(answer(both, thread, "go"))
            await both.ask("remote-list")
            assert time.monotonic() - started < 1
            assert (await running)["content"] == "All three."
            assert time.monotonic() - started < 3
            await watcher.ask("thread-open", {"thread": thread})
            await both.ask("message-send", {"thread": thread, "content": "again"})
            await watcher.take(
                lambda frame: (
                    frame["action"] == "call-updated"
                    and frame["payload"]["call"]["status"] == "running"
                )
            )
            await both.close()
        finished = await watcher.event("message-finished")
        assert finished["message"]["content"] == "It left."
        assert finished["message"]["calls"][0]["code"] == "remote-disconnected"
    assert "took too long" not in server.log()
