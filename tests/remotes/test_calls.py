"""A call's one outcome where a cancel, an approval or the network comes between."""

import asyncio

import pytest

from gateway.database import in_database
from remotes import registry
from remotes.models import RememberedApproval
from tests.support.sites import Site, Socket

ASKING = {"name": "f", "confirm": True}
PLAIN = {"name": "f"}
TIMES = 20


async def remember(user_id: int) -> None:
    """Approve Ana's function for good."""
    digest = registry.find(user_id, "bench").function("f").digest
    await in_database(RememberedApproval.remember, user_id, "bench", "f", digest, "")


async def cancelled_straight_away(caller: Socket, request_id: str) -> str:
    """Send a call and its cancel in one go; the code of the call's outcome."""
    call = {"remotename": "bench", "function": "f", "requestId": request_id}
    await caller.send("remote-call", call, id=request_id)
    await caller.send("remote-call-cancel", {"requestId": request_id})
    outcome = await caller.take(lambda frame: frame.get("id") == request_id)
    assert outcome["payload"]["requestId"] == request_id
    code: str = outcome["payload"]["code"]
    return code


@pytest.mark.parametrize("function", [PLAIN, ASKING])
async def test_a_cancel_straight_after_its_call_always_cancels_it(
    site: Site, function: dict[str, object]
) -> None:
    owner, caller = await site.program(), await site.program()
    await owner.serve("bench", [function])
    codes = [await cancelled_straight_away(caller, str(number)) for number in range(TIMES)]
    assert codes == ["cancelled"] * TIMES


async def test_a_cancel_while_a_remembered_approval_is_looked_up_keeps_it_from_being_sent(
    site: Site,
) -> None:
    owner, caller = await site.program(), await site.program()
    await owner.serve("bench", [ASKING])
    await remember(await site.user_id("ana"))
    codes = [await cancelled_straight_away(caller, str(number)) for number in range(TIMES)]
    assert codes == ["cancelled"] * TIMES
    await owner.barrier()
    assert owner.frames == []
    served = asyncio.create_task(
        caller.ask("remote-call", {"remotename": "bench", "function": "f"})
    )
    await owner.answer(result=1)
    assert (await served)["result"] == 1


async def test_what_was_cancelled_before_it_was_sent_says_so(site: Site) -> None:
    owner, caller, page = await site.program(), await site.program(), await site.page()
    await owner.serve("bench", [ASKING])
    call = {"remotename": "bench", "function": "f", "requestId": "mine"}
    outcome = asyncio.create_task(caller.ask("remote-call", call))
    await page.event("call-created")
    await caller.ask("remote-call-cancel", {"requestId": "mine"})
    assert (await outcome)["error"] == "f was cancelled. Nothing was sent."
    assert (await page.event("call-updated"))["call"]["status"] == "error"


async def test_a_caller_that_leaves_while_the_request_is_written_stops_the_call(
    site: Site,
) -> None:
    owner, caller = await site.program(), await site.program()
    await owner.serve("bench", [PLAIN])
    owner.wire.reading.clear()
    await caller.send("remote-call", {"remotename": "bench", "function": "f"})
    await caller.barrier()
    await caller.close()
    owner.wire.reading.set()
    listed = await owner.ask("remote-list")
    assert [remote["remotename"] for remote in listed["remotes"]] == ["bench"]
    requests = [frame["payload"]["requestId"] for frame in owner.frames][:1]
    assert requests == [
        frame["payload"]["requestId"]
        for frame in owner.frames
        if frame["action"] == "remote-call-cancel"
    ]
