"""From where and with what a socket may be opened."""

from typing import Any

import pytest
from django.contrib.sessions.models import Session as SessionRow
from pytest_django import Settings

from gateway.database import in_database
from tests.support.sites import HOST, ORIGIN, Site

ANOTHER = "https://chat.example.org"


async def opens(site: Site, origin: str, **options: Any) -> bool:
    """Whether a page at ``origin`` may open a socket with a good cookie."""
    key = await site.session_key("ana")
    socket = await site.with_session(key, origin=origin, welcome=False, **options)
    if socket.wire.denied:
        return False
    await socket.event("welcome")
    return True


async def test_a_page_of_another_origin_may_not_open_one(site: Site) -> None:
    assert await opens(site, ORIGIN)
    for origin in (ANOTHER, "null", "", "http://", "http://[bad", f"http://evil.example#@{HOST}"):
        assert not await opens(site, origin), origin


@pytest.mark.parametrize("entry", [ANOTHER, ANOTHER + "/", ANOTHER + ":443"])
async def test_a_trusted_origin_may(site: Site, settings: Settings, entry: str) -> None:
    settings.CSRF_TRUSTED_ORIGINS = [entry]
    assert await opens(site, ANOTHER)
    for other in (
        "http://chat.example.org",
        ANOTHER + ":8443",
        "https://example.org",
        "https://a.chat.example.org",
        "https://chat.example.org.evil.example",
    ):
        assert not await opens(site, other), other


async def test_a_wildcard_trusts_all_hosts_below_it(site: Site, settings: Settings) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://*.example.org"]
    for host in ("chat.example.org", "a.b.example.org"):
        assert await opens(site, f"https://{host}"), host
    for origin in (
        "http://chat.example.org",
        "https://evilexample.org",
        "https://example.org.evil.example",
        "https://chat.example.org:8443",
    ):
        assert not await opens(site, origin), origin


@pytest.mark.parametrize(
    "mistyped", ["chat.example.org", "https://", "https://[bad", "https://x:port", "*", ""]
)
async def test_a_mistyped_entry_shuts_nobody_else_out_and_lets_nobody_in(
    site: Site, settings: Settings, mistyped: str
) -> None:
    settings.CSRF_TRUSTED_ORIGINS = [mistyped, "https://other.example.org"]
    assert await opens(site, "https://other.example.org")
    assert await opens(site, ORIGIN)
    assert not await opens(site, ANOTHER)


async def test_a_proxys_word_for_https_counts_only_where_it_is_configured(
    site: Site, settings: Settings
) -> None:
    said = {"X-Forwarded-Proto": "https"}
    secure = f"https://{HOST}"
    assert not await opens(site, secure, headers=said)
    assert await opens(site, ORIGIN, headers=said)
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert await opens(site, secure, headers=said)
    assert not await opens(site, ORIGIN, headers=said)
    assert await opens(site, ORIGIN)


async def test_a_socket_that_came_encrypted_belongs_to_the_https_page(site: Site) -> None:
    assert await opens(site, f"https://{HOST}", scheme="wss")
    assert not await opens(site, ORIGIN, scheme="wss")


async def test_default_ports_count_as_equal(site: Site) -> None:
    assert await opens(site, "http://localhost:80", headers={"Host": "localhost"})
    assert await opens(site, "http://localhost", headers={"Host": "localhost:80"})
    assert not await opens(site, "http://localhost:443", headers={"Host": "localhost"})


async def test_a_session_made_under_an_older_key_is_taken_and_kept(
    site: Site, settings: Settings
) -> None:
    """Cycling its key would sign the browser out, which a socket cannot tell of the new one."""
    key = await site.session_key("ana")
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a newer key"
    page = await site.with_session(key)
    await page.barrier()
    exists = SessionRow.objects.filter(session_key=key).exists
    assert await in_database(exists)
    again = await site.with_session(key)
    await again.barrier()
    settings.SECRET_KEY_FALLBACKS = []
    forgotten = await site.with_session(key, welcome=False)
    assert await forgotten.closed() == 4401


async def test_a_session_of_a_backend_that_is_switched_off_is_none(
    site: Site, settings: Settings
) -> None:
    key = await site.session_key("ana")
    settings.AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.RemoteUserBackend"]
    socket = await site.with_session(key, welcome=False)
    assert await socket.closed() == 4401
