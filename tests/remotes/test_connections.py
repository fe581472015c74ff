"""One remote's calls: how long each may last, how large it may be, how many there may be."""

import asyncio
from collections.abc import Callable
from time import monotonic

import pytest

from gateway.exceptions import TooLargeError
from gateway.limits import limits
from remotes.calls import Call
from remotes.exceptions import RemoteTimeoutError
from tests.support.sites import Site, Socket


def call(**more: object) -> dict[str, object]:
    return {"remotename": "bench", "function": "f", **more}


async def bench(site: Site) -> Socket:
    owner = await site.program()
    await owner.serve("bench", [{"name": "f"}])
    return owner


async def test_progress_gives_more_time_but_never_beyond_what_any_call_may_take(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(call_timeout_max=0.6)
    owner, caller = await bench(site), await site.program()
    started = monotonic()
    outcome = asyncio.create_task(caller.ask("remote-call", call(timeout=0.3)))
    request_id = (await owner.asked())["requestId"]
    async with asyncio.timeout(10):
        while not outcome.done():
            await owner.send("remote-call-progress", {"requestId": request_id, "progress": 1})
            await asyncio.wait([outcome], timeout=0.01)
    assert (await outcome)["code"] == "timeout"
    assert monotonic() - started > 0.5
    assert (await owner.event("remote-call-cancel"))["requestId"] == request_id


def test_no_call_may_take_more_than_ten_minutes() -> None:
    assert limits.call_timeout_max == 600


@pytest.mark.parametrize("character", ["x", "ü"])
async def test_a_request_that_is_too_large_for_its_owner_is_not_sent(
    site: Site, character: str
) -> None:
    """Its size counts in bytes; a client could not send so much, the agent can."""
    owner = await bench(site)
    user_id = await site.user_id("ana")
    text = character * (limits.frame_out // len(character.encode()))
    with pytest.raises(TooLargeError, match="nothing was sent"):
        await Call(user_id, "bench", "f", f'{{"text":"{text}"}}').outcome()
    fitting = asyncio.create_task(Call(user_id, "bench", "f", '{"text":"short"}').outcome())
    assert (await owner.answer(result=1))["args"] == {"text": "short"}
    await fitting


async def test_one_call_more_than_a_remote_may_have_is_busy_at_once(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(in_flight_per_remote=2)
    owner, caller = await bench(site), await site.program()
    await owner.serve("other", [{"name": "f"}])
    waiting = [asyncio.create_task(caller.ask("remote-call", call())) for _ in range(2)]
    requests = [await owner.asked() for _ in range(2)]
    assert (await caller.ask("remote-call", call()))["code"] == "busy"
    elsewhere = asyncio.create_task(caller.ask("remote-call", call(remotename="other")))
    await owner.answer(result=1)
    assert (await elsewhere)["result"] == 1
    for request in requests:
        await owner.send("remote-call-result", {"requestId": request["requestId"], "result": 2})
    assert [(await each)["result"] for each in waiting] == [2, 2]
    again = asyncio.create_task(caller.ask("remote-call", call()))
    await owner.answer(result=3)
    assert (await again)["result"] == 3


async def test_the_deadline_runs_from_when_the_request_is_written(site: Site) -> None:
    owner = await bench(site)
    user_id = await site.user_id("ana")
    owner.wire.reading.clear()
    with pytest.raises(RemoteTimeoutError):
        await Call(user_id, "bench", "f", "{}", timeout=0.1).outcome()
    owner.wire.reading.set()
    await owner.barrier()
