"""Which remotes there are, and that those which left are forgotten."""

import asyncio
import gc
import weakref
from collections.abc import Callable

from gateway import nodes
from remotes import registry
from remotes.connections import RemoteConnection
from tests.support.sites import Site

FUNCTIONS = [{"name": "f"}]
CALL = {"remotename": "bench", "function": "f"}


async def found(site: Site) -> weakref.ref[RemoteConnection]:
    """Ana's remote ``bench``, without holding it."""
    return weakref.ref(registry.find(await site.user_id("ana"), "bench"))


def is_gone(connection: weakref.ref[RemoteConnection]) -> bool:
    gc.collect()
    return connection() is None


async def test_a_remote_that_is_disconnected_is_forgotten_while_its_socket_lives(
    site: Site,
) -> None:
    owner = await site.program()
    for _ in range(3):
        await owner.serve("bench", FUNCTIONS)
        connection = await found(site)
        await owner.ask("remote-disconnect", {"remotename": "bench"})
        await owner.barrier()
        assert is_gone(connection)
    assert nodes.gauges()["remotes"] == 0


async def test_a_remote_that_is_taken_over_is_forgotten_while_its_socket_lives(
    site: Site,
) -> None:
    first, second = await site.program(), await site.program()
    await first.serve("bench", FUNCTIONS)
    for newer in (second, first) * 3:
        connection = await found(site)
        assert (await newer.serve("bench", FUNCTIONS))["replaced"]
        await newer.barrier()
        assert is_gone(connection)
    assert nodes.gauges()["remotes"] == 1


async def test_a_remote_that_was_taken_over_in_a_call_still_answers_it_or_fails_it(
    site: Site,
) -> None:
    old, new, caller = [await site.program() for _ in range(3)]
    await old.serve("bench", FUNCTIONS)
    calls = [asyncio.create_task(caller.ask("remote-call", CALL)) for _ in range(2)]
    requests = [await old.asked() for _ in range(2)]
    await new.serve("bench", FUNCTIONS)
    await old.send("remote-call-result", {"requestId": requests[0]["requestId"], "result": 1})
    assert (await calls[0])["result"] == 1
    await old.close()
    assert (await calls[1])["code"] == "remote-disconnected"
    assert (await caller.ask("remote-list"))["remotes"][0]["remotename"] == "bench"


async def test_one_call_more_than_a_user_may_have_is_busy_at_once(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(in_flight=2)
    owner, caller = await site.program(), await site.program()
    bens = await site.program("ben")
    await bens.serve("bench", FUNCTIONS)
    for name in ("bench", "other"):
        await owner.serve(name, FUNCTIONS)
    waiting = [
        asyncio.create_task(caller.ask("remote-call", {**CALL, "remotename": name}))
        for name in ("bench", "other")
    ]
    requests = [await owner.asked() for _ in range(2)]
    for each in (caller, owner):
        assert (await each.ask("remote-call", CALL))["code"] == "busy"
    his = asyncio.create_task(bens.ask("remote-call", CALL))
    await bens.answer(result="his")
    assert (await his)["result"] == "his"
    assert not [frame for frame in owner.frames if frame["action"] == "remote-call"]
    for request in requests:
        await owner.send("remote-call-result", {"requestId": request["requestId"], "result": 1})
    await asyncio.gather(*waiting)
    again = asyncio.create_task(caller.ask("remote-call", CALL))
    await owner.answer(result="again")
    assert (await again)["result"] == "again"


async def test_a_call_that_waits_for_approval_counts_too(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(in_flight=1)
    owner, caller, page = await site.program(), await site.program(), await site.page()
    await owner.serve("bench", [{"name": "f", "confirm": True}])
    waiting = asyncio.create_task(caller.ask("remote-call", CALL))
    shown = await page.event("call-created")
    assert (await caller.ask("remote-call", CALL))["code"] == "busy"
    await page.ask("call-deny", {"call": shown["call"]["id"]})
    assert (await waiting)["code"] == "denied"
