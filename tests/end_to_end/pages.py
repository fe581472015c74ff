"""What tests do and see on the chat page, in the words of its users."""

import re
from dataclasses import dataclass, field

from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, WebError, expect

from tests.end_to_end.servers import PASSWORD

SLOW = 20_000  # milliseconds for what a busy machine may take long to do
OURS = re.compile(r"(https?|wss?)://(127\.0\.0\.1|remotes\.test):\d+/|data:|blob:|about:")


@dataclass
class Watch:
    """What a browser complained of, and whom it asked."""

    said: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """Patterns of complaints that the test brings about."""

    def over(self, context: BrowserContext) -> None:
        """Watch all pages of ``context``, now and later."""
        context.on("console", self._console)
        context.on("weberror", self._error)
        context.on("request", lambda request: self.requests.append(request.url))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.said.append(message.text)

    def _error(self, error: WebError) -> None:
        self.said.append(str(error.error))

    def check(self) -> None:
        """Nothing was said but what was expected, and no request went to another place."""
        assert [text for text in self.said if not self._is_expected(text)] == []
        assert [url for url in self.requests if not OURS.match(url)] == []

    def _is_expected(self, text: str) -> bool:
        return any(re.search(pattern, text) for pattern in self.expected)


SERVER_AWAY = r"WebSocket connection to|Failed to load resource: net::ERR_CONNECTION_REFUSED"
"""What Chromium says of itself while the server is stopped."""


def sign_in(page: Page, user: str = "ana", password: str = PASSWORD) -> None:
    """Fill in the sign-in page that is shown, and send it."""
    page.get_by_label("Name").fill(user)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def connected(page: Page) -> None:
    """Wait until the page says that it is connected."""
    expect(page.get_by_test_id("connection")).to_have_text("Connected", timeout=SLOW)


def composer(page: Page) -> Locator:
    """Where one types."""
    return page.get_by_role("textbox", name="Message")


def send(page: Page, text: str) -> None:
    """Type a message and send it."""
    composer(page).fill(text)
    page.get_by_role("button", name="Send").click()


def remote(page: Page, name: str) -> Locator:
    """A remote's row in the panel."""
    rows = page.get_by_test_id("remote")
    return rows.filter(has=page.get_by_role("switch", name=f"Use {name} in this chat", exact=True))


def switch(page: Page, name: str) -> Locator:
    """A remote's switch."""
    return page.get_by_role("switch", name=f"Use {name} in this chat", exact=True)


def switch_on(page: Page, name: str) -> None:
    """Let the shown chat use a remote."""
    switch(page, name).check(timeout=SLOW)


def answer(page: Page) -> Locator:
    """The last answer."""
    return messages(page, "assistant").last


def messages(page: Page, role: str) -> Locator:
    """The messages of ``role``, "user" or "assistant"."""
    return page.locator(f'[data-testid="message"][data-role="{role}"]')


def ended(page: Page, status: str = "done") -> None:
    """Wait until the last answer has ended as ``status``."""
    expect(answer(page)).to_have_attribute("data-status", status, timeout=SLOW)


def spoken(page: Page) -> str:
    """The words of the last answer, as they are shown, with one blank between them."""
    texts = answer(page).locator(".text").all_inner_texts()
    return " ".join(" ".join(texts).split())


def thread_of(page: Page) -> str:
    """The id of the shown thread, once it has one."""
    page.wait_for_url(re.compile(r"/t/[^/]+$"))
    return page.url.rpartition("/")[2]


def card(page: Page) -> Locator:
    """The last call's card."""
    return page.get_by_test_id("call").last


def open_card(page: Page) -> Locator:
    """Open the last call's card; returns it."""
    card(page).get_by_role("group").locator("summary").click()
    return card(page)


def thread_link(page: Page, title: str) -> Locator:
    """A thread in the list."""
    return page.get_by_role("navigation", name="Chats").get_by_role("link", name=title)


def choose(page: Page, thread: str, action: str) -> None:
    """Open the menu of a thread in the list, and choose from it."""
    chats = page.get_by_role("navigation", name="Chats")
    thread_link(page, thread).hover()
    chats.get_by_role("button", name=f"More about {thread}").click()
    chats.get_by_role("button", name=action, exact=True).click()
