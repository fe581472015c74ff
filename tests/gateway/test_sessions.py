"""What a client that reads slowly, or no more, costs the server and its user."""

import asyncio
from collections.abc import Callable

import pytest

from gateway import nodes
from tests.support.sites import Site, Socket

ECHO = [{"name": "echo"}]
CALL = {"remotename": "bench", "function": "echo"}


async def stop_reading(socket: Socket, waiting: int) -> None:
    """Have the client take nothing any more while ``waiting`` bytes at least are sent to it."""
    socket.wire.reading.clear()
    for _ in range(waiting // 100 + 2):
        await socket.send("ping", id="p" * 100)


async def test_a_client_that_reads_no_more_is_closed_and_its_frames_are_dropped(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(outbox=20_000)
    reader = await site.program()
    other = await site.program()
    await reader.serve("bench", ECHO)
    assert (await other.ask("remote-list"))["remotes"]
    seen = len(reader.texts)
    await stop_reading(reader, 20_000)
    await other.event("remotes-changed")
    assert (await other.ask("remote-list"))["remotes"] == []
    assert nodes.gauges()["sockets"] == 1
    reader.wire.reading.set()
    assert await reader.closed() == 4409
    assert len(reader.texts) - seen <= 1  # the one that was on its way


async def test_a_call_that_waits_for_such_a_client_fails(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(outbox=20_000)
    reader, caller = await site.program(), await site.program()
    await reader.serve("bench", ECHO)
    await stop_reading(reader, 10_000)
    await caller.send("remote-call", CALL, id="waits")
    await caller.send("remote-call", {**CALL, "args": {"long": "x" * 20_000}}, id="one too many")
    for _ in range(2):
        outcome = await caller.take(lambda frame: frame["action"] == "remote-call-result")
        assert outcome["payload"]["code"] == "remote-disconnected"
    reader.wire.reading.set()
    assert await reader.closed() == 4409


async def test_requests_wait_while_more_is_on_its_way_than_should_be_sent_at_once(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(outbox_room=5_000)
    owner, slow, quick = [await site.program() for _ in range(3)]
    await owner.serve("bench", ECHO)
    await stop_reading(slow, 5_000)
    await slow.send("remote-call", {**CALL, "args": {"from": "slow"}}, id="s")
    answered = asyncio.create_task(owner.answer(result=1))
    await quick.ask("remote-call", {**CALL, "args": {"from": "quick"}})
    assert (await answered)["args"] == {"from": "quick"}
    slow.wire.reading.set()
    assert (await owner.answer(result=2))["args"] == {"from": "slow"}
    assert (await slow.take(lambda frame: frame.get("id") == "s"))["payload"]["result"] == 2


@pytest.mark.parametrize("fault", [OSError("gone"), RuntimeError("refused")])
@pytest.mark.parametrize("sending", ["a reply", "a request", "a request after others"])
async def test_a_socket_whose_server_program_refuses_a_frame_ends(
    site: Site, fault: Exception, sending: str
) -> None:
    owner, other = await site.program(), await site.program()
    await owner.serve("bench", ECHO)
    assert (await other.ask("remote-list"))["remotes"]
    owner.wire.fault = fault
    if sending == "a reply":
        await owner.send("ping", id="p")
    else:
        owner.wire.refused = "remote-call"
        if sending == "a request after others":
            owner.wire.reading.clear()
            await owner.send("ping", id="p")
        call = asyncio.create_task(other.ask("remote-call", CALL))
        await other.barrier()
        owner.wire.reading.set()
        assert (await call)["code"] == "remote-disconnected"
    await other.event("remotes-changed")
    assert (await other.ask("remote-list"))["remotes"] == []
    assert nodes.gauges()["sockets"] == 1


async def test_frames_to_a_client_keep_their_order(site: Site) -> None:
    """A request to run something is written past the outbox only where that is empty."""
    both = await site.program()
    await both.serve("bench", ECHO)
    seen = len(both.texts)
    both.wire.reading.clear()
    for number in range(20):
        await both.send("ping", id=str(number))
    call = asyncio.create_task(both.ask("remote-call", CALL))
    both.wire.reading.set()
    await both.answer(result=1)
    await call
    sent = [text for text in both.texts[seen:] if '"ping"' in text]
    assert sent == [f'{{"action":"ping","id":"{number}","payload":{{}}}}' for number in range(20)]
