"""Who may open a socket, and when it ends with its credential."""

import asyncio
import contextlib
import http.client
import time
from collections.abc import Mapping
from urllib.parse import urlencode

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.end_to_end.servers import PASSWORD, Server
from tests.end_to_end.sockets import bench, function, socket


async def status_of(server: Server, headers: Mapping[str, str], **options: object) -> int:
    """The HTTP status that a handshake is answered with."""
    try:
        async with connect(server.ws_url, additional_headers=headers, **options):  # type: ignore[arg-type]
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


async def test_a_cookie_counts_only_from_the_sites_own_origin(shared_server: Server) -> None:
    """G27."""
    cookie = shared_server.sign_in()
    port = shared_server.port
    own = f"http://127.0.0.1:{port}"
    for origin, status in {
        own: 101,
        own.upper().replace("HTTP", "http"): 101,
        "https://evil.example": 403,
        f"http://127.0.0.1.evil.example:{port}": 403,
        "null": 403,
        f"http://127.0.0.1:{port + 1}": 403,
        f"https://127.0.0.1:{port}": 403,
        f"http://localhost:{port}": 403,
        f"{own}/": 403,
    }.items():
        assert await status_of(shared_server, {"Cookie": cookie, "Origin": origin}) == status, (
            origin
        )
    assert await status_of(shared_server, {"Cookie": cookie}) == 403
    for unreadable in ("", "http://[bad", f"http://evil.example#@127.0.0.1:{port}"):
        headers = {"Cookie": cookie, "Origin": unreadable}
        assert await status_of(shared_server, headers) in (400, 403)
    twice = [("Cookie", cookie), ("Origin", own), ("Origin", "https://evil.example")]
    assert await status_of(shared_server, twice) in (400, 403)  # type: ignore[arg-type]


async def test_a_foreign_host_is_refused_even_with_a_token(shared_server: Server) -> None:
    headers = {"Authorization": f"Bearer {shared_server.token()}"}
    url = f"ws://evil.example:{shared_server.port}/ws/"
    with pytest.raises(InvalidStatus) as refused:
        await connect(url, host="127.0.0.1", additional_headers=headers)
    assert refused.value.response.status_code == 403


async def test_without_a_credential_a_socket_is_told_so_and_closed(shared_server: Server) -> None:
    own = {"Origin": shared_server.url}
    wrong = {"Authorization": "Bearer rmt_wrong"}
    stale = {"Cookie": "remotes_session=abcdefghijklmnopqrstuvwxyz012345", **own}
    for headers in (own, wrong, stale):
        async with socket(shared_server, welcome=False, headers=headers) as client:
            error = await client.event("error")
            assert error["code"] == "unauthenticated"
            assert await client.closed() == 4401


async def test_a_token_decides_alone(shared_server: Server) -> None:
    """With a token any Origin is allowed, and a good cookie does not make up for a bad one."""
    token = shared_server.token("ben")
    cookie = shared_server.sign_in("ana")
    headers = {"Origin": "https://evil.example", "Cookie": cookie}
    async with socket(shared_server, token=token, headers=headers, welcome=False) as client:
        assert (await client.event("welcome"))["user"]["name"] == "ben"
    headers = {"Origin": shared_server.url, "Cookie": cookie}
    async with socket(shared_server, token="rmt_wrong", headers=headers, welcome=False) as client:
        assert await client.closed() == 4401


async def test_a_token_may_come_as_a_subprotocol(shared_server: Server) -> None:
    protocols = ["remotes.v1", f"bearer.{shared_server.token()}"]
    async with socket(shared_server, subprotocols=protocols, welcome=False) as client:
        assert client.connection.subprotocol == "remotes.v1"
        welcome = await client.event("welcome")
        assert welcome["protocol"] == 1
        assert welcome["user"]["name"] == "ana"
        assert welcome["limits"]["frame"] == 960 * 1024
    protocols = ["remotes.v1", "bearer.wrong"]
    async with socket(shared_server, subprotocols=protocols, welcome=False) as client:
        assert client.connection.subprotocol == "remotes.v1"
        assert await client.closed() == 4401


async def test_a_token_in_the_address_is_not_accepted(shared_server: Server) -> None:
    token = shared_server.token()
    url = f"{shared_server.ws_url}?token={token}"
    with pytest.raises(InvalidStatus) as refused:
        await connect(url)
    assert refused.value.response.status_code == 403
    assert token not in shared_server.log()


async def test_nothing_sent_before_the_refusal_is_served(shared_server: Server) -> None:
    async with socket(
        shared_server, welcome=False, headers={"Origin": shared_server.url}
    ) as client:
        with contextlib.suppress(ConnectionClosed):
            await client.send("remote-list", id="early")
        assert await client.closed() == 4401
        assert [frame["action"] for frame in client.frames] == ["error"]


def post(server: Server, path: str, cookie: str, fields: Mapping[str, str]) -> int:
    """Send a form as the signed-in page does; returns the status."""
    csrf = next(part for part in cookie.split("; ") if part.startswith("csrftoken="))
    headers = {
        "Cookie": cookie,
        "X-CSRFToken": csrf.removeprefix("csrftoken="),
        "Content-Type": "application/x-www-form-urlencoded",
    }
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port)) as connection:
        connection.request("POST", path, urlencode(fields), headers)
        return connection.getresponse().status


async def test_signing_out_closes_the_socket_and_unlists_what_it_served(server: Server) -> None:
    """G28 (e)."""
    cookie = server.sign_in()
    async with (
        socket(server, token=server.token()) as other,
        socket(server, cookie=cookie) as page,
        socket(server, cookie=server.sign_in()) as second_browser,
    ):
        await page.serve("tab", [function("f")])
        assert (await other.ask("remote-list"))["remotes"]
        assert await asyncio.to_thread(post, server, "/accounts/logout/", cookie, {}) in (200, 302)
        assert await page.closed(2) == 4401
        await other.event("remotes-changed")
        assert (await other.ask("remote-list"))["remotes"] == []
        assert await second_browser.ask("remote-list")


async def test_a_deactivated_users_sockets_close_within_35_seconds(server: Server) -> None:
    """G28 (f): from another program on the database, so it is found by the periodic look."""
    async with (
        socket(server, token=server.token()) as program,
        socket(server, cookie=server.sign_in()) as page,
        socket(server, token=server.token("ben")) as bystander,
    ):
        started = time.monotonic()
        change = "User.objects.filter(username='ana').update(is_active=False)"
        await asyncio.to_thread(
            server.manage,
            "shell",
            "--command",
            f"from django.contrib.auth.models import User; {change}",
        )
        assert await program.closed(35) == 4401
        assert await page.closed(2) == 4401
        assert time.monotonic() - started < 36
        assert await bystander.ask("remote-list")


def revoke_in_admin(server: Server, name: str) -> None:
    cookie = server.sign_in("admin")
    page = server.get(f"/admin/remotes/accesstoken/?q={name}", cookie)
    pk = page.split('name="_selected_action" value="')[1].split('"')[0]
    fields = {"action": "revoke", "_selected_action": pk}
    assert post(server, "/admin/remotes/accesstoken/", cookie, fields) == 302


async def test_a_token_revoked_in_the_admin_closes_its_socket_within_2_seconds(
    server: Server,
) -> None:
    kept, revoked = server.token(name="kept"), server.token(name="doomed")
    async with (
        socket(server, token=kept) as stays,
        bench(server, revoked) as goes,
    ):
        await asyncio.to_thread(revoke_in_admin, server, "doomed")
        assert await goes.closed(2) == 4401
        assert (await stays.ask("remote-list"))["remotes"] == []
    async with socket(server, token=revoked, welcome=False) as again:
        assert await again.closed() == 4401


async def test_an_expired_token_closes_its_socket(server: Server) -> None:
    token = server.manage("create_token", "ana", "--name", "brief", "--days", str(4 / 86400))
    async with socket(server, token=token.splitlines()[-1]) as client:
        assert await client.closed(10) == 4401


async def test_a_stopping_server_says_goodbye(server: Server) -> None:
    async with bench(server, server.token()) as client:
        await asyncio.to_thread(server.stop)
        assert 0 < (await client.event("goodbye"))["retryAfter"] <= 10
        assert await client.closed() == 4412


async def test_a_changed_password_ends_cookies_but_not_tokens(server: Server) -> None:
    cookie = server.sign_in()
    new = "another horse staple 7"
    fields = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    async with (
        socket(server, cookie=cookie) as page,
        socket(server, cookie=server.sign_in()) as second_browser,
        socket(server, token=server.token()) as program,
    ):
        path = "/accounts/password_change/"
        assert await asyncio.to_thread(post, server, path, cookie, fields) == 302
        assert await page.closed(2) == 4401
        assert await second_browser.closed(2) == 4401
        assert await program.ask("remote-list")
