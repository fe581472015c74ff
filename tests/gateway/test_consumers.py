"""One socket from handshake to end, and what its frames may cost."""

from collections.abc import Callable
from time import monotonic

import pytest

from gateway import nodes
from gateway.limits import limits
from tests.support.sites import Site


async def test_one_socket_more_than_a_user_may_have_is_told_so_and_closed(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(sockets=2)
    first, second = await site.program(), await site.page()
    token = await site.token("ana")
    third = await site.connect({"Authorization": f"Bearer {token}"}, welcome=False)
    error = await third.event("error")
    assert (error["code"], "2 open connections" in error["message"]) == ("too-many", True)
    assert await third.closed() == 4429
    await (await site.program("ben")).barrier()
    await second.close()
    await (await site.program()).barrier()
    await first.barrier()


async def test_a_socket_that_is_turned_away_is_served_nothing(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(sockets=1)
    first = await site.program()
    token = await site.token("ana")
    second = await site.connect({"Authorization": f"Bearer {token}"}, welcome=False)
    await second.send("remote-connect", {"remotename": "late", "functions": []}, id="late")
    assert await second.closed() == 4429
    await second.close()
    assert [frame["action"] for frame in second.frames] == ["error"]
    assert (await first.ask("remote-list"))["remotes"] == []


async def test_a_socket_that_leaves_leaves_nothing_behind(site: Site) -> None:
    stays = await site.program()
    before = nodes.gauges()
    goes = await site.program()
    await goes.serve("bench", [{"name": "f"}])
    await goes.send("remote-call", {"remotename": "bench", "function": "f"})
    await goes.asked()
    assert nodes.gauges() != before
    await goes.close()
    assert nodes.gauges() == before
    await stays.barrier()


@pytest.mark.parametrize(
    "inside",
    [
        pytest.param('"k":1,' * 150_000 + '"k":1', id="one key again and again"),
        pytest.param(
            ",".join(f'"k{number}":1' for number in range(75_000)) + ',"k74999":2',
            id="the last key",
        ),
    ],
)
async def test_a_key_that_is_repeated_in_a_large_object_is_told_at_once(
    site: Site, inside: str
) -> None:
    text = '{"action":"remote-list","payload":{' + inside + "}}"
    assert 800_000 < len(text) <= limits.frame
    socket = await site.program()
    started = monotonic()
    await socket.text(text)
    assert (await socket.event("error"))["code"] == "invalid-json"
    assert monotonic() - started < 1


async def test_the_subprotocol_is_selected_even_to_be_closed(site: Site) -> None:
    token = await site.token("ana")
    offered = ["remotes.v1", f"bearer.{token}"]
    good = await site.connect({}, subprotocols=offered)
    bad = await site.connect({}, subprotocols=["remotes.v1", "bearer.wrong"], welcome=False)
    assert (good.wire.subprotocol, bad.wire.subprotocol) == ("remotes.v1", "remotes.v1")
    assert await bad.closed() == 4401
    plain = await site.program()
    assert plain.wire.subprotocol is None
