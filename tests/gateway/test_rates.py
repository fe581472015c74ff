"""Which frames count against a socket's rate, and what becomes of who sends too many."""

import asyncio
from collections.abc import Callable

import pytest

from remotes.calls import Call
from tests.support.sites import Site, Socket

BURST = 20


@pytest.fixture(autouse=True)
def _no_more_than_a_burst(limit: Callable[..., None]) -> None:
    limit(burst=BURST, frames_per_second=0)


async def empty_the_bucket(socket: Socket) -> None:
    """Send frames that count until one is refused."""
    while (await socket.refusal("no-such-action"))["code"] != "rate-limited":
        pass


async def test_a_burst_is_served_and_no_frame_more(site: Site) -> None:
    socket = await site.program()
    codes = [(await socket.refusal("no-such-action"))["code"] for _ in range(BURST + 3)]
    assert codes == ["unknown-action"] * BURST + ["rate-limited"] * 3


async def test_an_owner_may_answer_and_report_as_much_as_it_is_asked(site: Site) -> None:
    owner = await site.program()
    user_id = await site.user_id("ana")
    await owner.serve("bench", [{"name": "f"}])
    for number in range(2 * BURST):
        call = asyncio.create_task(Call(user_id, "bench", "f", "{}").outcome())
        request_id = (await owner.asked())["requestId"]
        await owner.send("remote-call-progress", {"requestId": request_id, "progress": number})
        await owner.send("remote-call-result", {"requestId": request_id, "result": number})
        assert await call == str(number)
    await owner.barrier()
    assert owner.frames == []


@pytest.mark.parametrize("action", ["remote-call-result", "remote-call-progress", "pong"])
async def test_what_matches_nothing_pending_counts(site: Site, action: str) -> None:
    socket = await site.program()
    for _ in range(BURST):
        await socket.send(action, {"requestId": "never-was"})
    assert (await socket.refusal("no-such-action"))["code"] == "rate-limited"


async def test_an_answer_that_matches_is_taken_from_a_socket_that_may_send_no_more(
    site: Site,
) -> None:
    owner = await site.program()
    user_id = await site.user_id("ana")
    await owner.serve("bench", [{"name": "f"}])
    call = asyncio.create_task(Call(user_id, "bench", "f", "{}").outcome())
    request_id = (await owner.asked())["requestId"]
    await empty_the_bucket(owner)
    answer = {"requestId": request_id, "result": 1}
    await owner.send("remote-call-result", answer)
    assert await call == "1"
    assert (await owner.refusal("remote-call-result", answer))["code"] == "rate-limited"


async def test_an_answer_that_cannot_be_read_does_not_count_if_it_ends_a_call(site: Site) -> None:
    owner = await site.program()
    user_id = await site.user_id("ana")
    await owner.serve("bench", [{"name": "f"}])
    call = asyncio.create_task(Call(user_id, "bench", "f", "{}").outcome())
    request_id = (await owner.asked())["requestId"]
    await empty_the_bucket(owner)
    text = (
        f'{{"action":"remote-call-result","payload":{{"requestId":"{request_id}","result":NaN}}}}'
    )
    for code in ("invalid-json", "rate-limited"):
        await owner.text(text)
        assert (await owner.event("error"))["code"] == code
    with pytest.raises(Exception, match="could not be read"):
        await call


async def test_a_pong_that_was_asked_for_and_a_ping_do_not_count(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(heartbeat_interval=0.05)
    owner = await site.program()
    await owner.serve("bench", [{"name": "f"}], heartbeat=True)
    await empty_the_bucket(owner)
    await owner.event("ping")
    await owner.send("pong")
    await owner.barrier()
    assert owner.frames == []
    await owner.send("pong")
    assert (await owner.event("error"))["code"] == "rate-limited"


async def test_a_cancel_counts_unless_it_cancels(site: Site) -> None:
    owner, caller = await site.program(), await site.program()
    await owner.serve("bench", [{"name": "f"}])
    call = {"remotename": "bench", "function": "f", "requestId": "mine"}
    outcome = asyncio.create_task(caller.ask("remote-call", call))
    await owner.asked()
    await empty_the_bucket(caller)
    refused = await caller.refusal("remote-call-cancel", {"requestId": "another"})
    assert refused["code"] == "rate-limited"
    await caller.ask("remote-call-cancel", {"requestId": "mine"})
    assert (await outcome)["code"] == "cancelled"


async def test_who_goes_on_without_a_pause_is_closed(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(refusals=5, refusal_pause=60)
    socket = await site.program()
    for _ in range(BURST + 8):
        await socket.send("no-such-action")
    assert await socket.closed() == 4429
    codes = [frame["payload"]["code"] for frame in socket.frames]
    assert codes == ["unknown-action"] * BURST + ["rate-limited"] * 5


async def test_a_pause_makes_the_server_forget_earlier_refusals(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(refusals=5, refusal_pause=0)
    socket = await site.program()
    for _ in range(BURST + 20):
        await socket.send("no-such-action")
    await socket.barrier()
    codes = [frame["payload"]["code"] for frame in socket.frames]
    assert codes.count("rate-limited") == 20
