"""Signs of life: who is asked for them, and what becomes of who gives none."""

from collections.abc import Callable

from tests.support.sites import Site

FUNCTIONS = [{"name": "f"}]


async def test_a_ping_is_answered_with_its_own_id(site: Site) -> None:
    socket = await site.program()
    await socket.send("ping", id="mine")
    answer = await socket.take(lambda frame: frame["action"] == "ping")
    assert answer == {"action": "ping", "id": "mine", "payload": {}}


async def test_an_owner_that_asked_for_it_is_asked_and_closed_when_it_stays_silent(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(heartbeat_interval=0.05, heartbeat_timeout=0.2)
    silent, quiet, caller = [await site.program() for _ in range(3)]
    await quiet.serve("quiet", FUNCTIONS)
    await silent.serve("silent", FUNCTIONS, heartbeat=True)
    await silent.event("ping")
    await caller.send("remote-call", {"remotename": "silent", "function": "f"}, id="c")
    await silent.asked()
    assert await silent.closed() == 4408
    ended = await caller.take(lambda frame: frame.get("id") == "c")
    assert ended["payload"]["code"] == "remote-disconnected"
    listed = (await quiet.ask("remote-list"))["remotes"]
    assert [remote["remotename"] for remote in listed] == ["quiet"]
    assert not [frame for frame in quiet.frames if frame["action"] == "ping"]


async def test_an_owner_that_answers_stays(site: Site, limit: Callable[..., None]) -> None:
    limit(heartbeat_interval=0.05, heartbeat_timeout=0.4)
    owner = await site.program()
    await owner.serve("lively", FUNCTIONS, heartbeat=True)
    for _ in range(3):
        await owner.event("ping")
        await owner.send("pong")
    assert (await owner.ask("remote-list"))["remotes"][0]["own"]


async def test_any_frame_is_a_sign_of_life(site: Site, limit: Callable[..., None]) -> None:
    limit(heartbeat_interval=0.05, heartbeat_timeout=0.4)
    owner = await site.program()
    await owner.serve("busy", FUNCTIONS, heartbeat=True)
    for _ in range(3):
        await owner.event("ping")
        await owner.text("no frame at all")
    assert (await owner.ask("remote-list"))["remotes"][0]["own"]
