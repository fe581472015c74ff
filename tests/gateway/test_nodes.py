"""How the process begins, ends, and finds the sockets whose credential has ended."""

import asyncio
import signal
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as SessionRow
from django.db import OperationalError

from gateway import nodes
from gateway.database import in_database
from tests.support.sites import PATIENCE, Site, Socket


async def turned_away(site: Site, token: str) -> Socket:
    """A new socket, which is told to come back."""
    socket = await site.connect({"Authorization": f"Bearer {token}"}, welcome=False)
    assert (await socket.event("error"))["code"] == "unavailable"
    assert await socket.closed() == 4412
    return socket


class DeadDatabase:
    """A start hook that meets no database until it is told to."""

    def __init__(self) -> None:
        self.tries = 0
        self.back = False

    async def __call__(self) -> None:
        self.tries += 1
        if not self.back:
            raise OperationalError("connection refused")


async def test_a_start_that_meets_a_dead_database_is_tried_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodes, "READY_PATIENCE", 0.05)
    monkeypatch.setattr(nodes, "START_RETRY", 0.01)
    dead = DeadDatabase()
    monkeypatch.setattr(nodes, "_start_hooks", [])
    nodes.on_start(dead)
    token = await site.token("ana")
    await turned_away(site, token)
    tried = dead.tries
    assert tried >= 1
    await turned_away(site, token)
    dead.back = True
    monkeypatch.setattr(nodes, "READY_PATIENCE", PATIENCE)
    socket = await site.connect({"Authorization": f"Bearer {token}"})
    await socket.barrier()
    assert dead.tries > tried


async def test_no_socket_is_served_before_the_start_is_over(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, over = asyncio.Event(), asyncio.Event()

    async def slow_start() -> None:
        begun.set()
        await over.wait()

    monkeypatch.setattr(nodes, "_start_hooks", [])
    nodes.on_start(slow_start)
    connecting = asyncio.create_task(site.program())
    await asyncio.wait_for(begun.wait(), PATIENCE)
    assert nodes.gauges()["sockets"] == 0
    over.set()
    await (await connecting).barrier()


async def test_a_stopping_server_turns_new_sockets_away_and_then_says_goodbye(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed_over: list[int] = []
    ended = asyncio.Event()

    def servers_own(number: int, _: object) -> None:
        handed_over.append(number)
        ended.set()

    working, done = asyncio.Event(), asyncio.Event()

    async def last_work() -> None:
        working.set()
        await done.wait()

    monkeypatch.setattr(nodes, "_stop_hooks", [])
    nodes.on_stop(last_work)
    signal.signal(signal.SIGTERM, servers_own)
    served, token = await site.program(), await site.token("ana")
    signal.raise_signal(signal.SIGTERM)
    await asyncio.wait_for(working.wait(), PATIENCE)
    await turned_away(site, token)
    await served.barrier()
    assert handed_over == []
    done.set()
    assert 0 < (await served.event("goodbye"))["retryAfter"] <= nodes.RETRY_SPREAD
    assert await served.closed() == 4412
    await asyncio.wait_for(ended.wait(), PATIENCE)
    assert handed_over == [signal.SIGTERM]


async def test_a_second_signal_ends_the_server_at_once(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed_over: list[int] = []
    working, done = asyncio.Event(), asyncio.Event()

    async def last_work() -> None:
        working.set()
        await done.wait()

    monkeypatch.setattr(nodes, "_stop_hooks", [])
    nodes.on_stop(last_work)
    signal.signal(signal.SIGINT, lambda number, _: handed_over.append(number))
    await site.program()
    signal.raise_signal(signal.SIGINT)
    await asyncio.wait_for(working.wait(), PATIENCE)
    assert handed_over == []
    signal.raise_signal(signal.SIGINT)
    assert handed_over == [signal.SIGINT]
    done.set()


async def closes_as_unauthenticated(socket: Socket) -> None:
    """Wait until the socket is told that its credential has ended, and closed."""
    assert (await socket.event("error"))["code"] == "unauthenticated"
    assert await socket.closed() == 4401


async def test_a_deleted_users_sockets_close_and_nobody_elses(site: Site) -> None:
    page, program, bens = await site.page(), await site.program(), await site.program("ben")
    await in_database(lambda: User.objects.get(username="ana").delete())
    await closes_as_unauthenticated(page)
    await closes_as_unauthenticated(program)
    await bens.barrier()


async def test_a_deactivated_users_sockets_close(site: Site) -> None:
    page, program = await site.page(), await site.program()

    def deactivate() -> None:
        user = User.objects.get(username="ana")
        user.is_active = False
        user.save()

    await in_database(deactivate)
    await closes_as_unauthenticated(page)
    await closes_as_unauthenticated(program)


async def test_what_ends_elsewhere_is_found_by_the_look_at_all(site: Site) -> None:
    page, bens = await site.page(), await site.page("ben")
    await in_database(lambda: User.objects.filter(username="ana").update(is_active=False))
    await nodes.check_credentials()
    await closes_as_unauthenticated(page)
    await bens.barrier()


async def test_a_socket_closes_when_its_session_expires(site: Site) -> None:
    brief = await site.with_session(await site.session_key("ana", lifetime=0.5))
    other = await site.page("ana")
    await closes_as_unauthenticated(brief)
    await other.barrier()


async def test_a_session_that_was_prolonged_keeps_its_socket(site: Site) -> None:
    """One that was opened later and expires later shows that the time has come."""
    key = await site.session_key("ana", lifetime=0.5)
    page = await site.with_session(key)
    later = datetime.now(UTC) + timedelta(hours=1)
    await in_database(lambda: SessionRow.objects.filter(session_key=key).update(expire_date=later))
    brief = await site.with_session(await site.session_key("ana", lifetime=1))
    await closes_as_unauthenticated(brief)
    await page.barrier()


async def test_a_token_that_expires_closes_its_socket(site: Site) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=0.5)
    token = await site.token("ana", expires_at=soon)
    await closes_as_unauthenticated(await site.connect({"Authorization": f"Bearer {token}"}))
