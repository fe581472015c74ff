"""That Django's admin works in a browser under our Content-Security-Policy."""

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from tests.end_to_end.servers import PASSWORD, Server

PAGES = [
    "/admin/",
    "/admin/auth/user/",
    "/admin/auth/user/add/",
    "/admin/auth/user/1/change/",
    "/admin/auth/user/1/history/",
    "/admin/auth/user/2/delete/",
    "/admin/password_change/",
]


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the browser had to say against the pages it showed."""
    said: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            said.append(message.text)

    page.on("console", listen)
    page.on("pageerror", lambda error: said.append(str(error)))
    return said


def test_staff_find_their_pages_whole(
    page: Page, shared_server: Server, complaints: list[str]
) -> None:
    page.goto(f"{shared_server.url}/admin/")
    page.fill("[name=username]", "admin")
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    expect(page.get_by_role("heading", name="Site administration")).to_be_visible()
    for path in PAGES:
        answer = page.goto(shared_server.url + path)
        assert answer is not None
        assert answer.status == 200, path
    page.goto(f"{shared_server.url}/admin/auth/user/2/change/")
    page.fill("[name=first_name]", "Ana")
    page.click("[name=_continue]")
    expect(page.locator(".messagelist .success")).to_be_visible()
    page.fill("[name=first_name]", "")
    page.click("[name=_save]")
    expect(page.locator("#result_list")).to_be_visible()
    assert complaints == []
