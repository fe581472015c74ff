"""The list of chats, and what is typed in each."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocketRoute, expect

from tests.end_to_end.pages import (
    SLOW,
    choose,
    composer,
    ended,
    messages,
    send,
    switch,
    thread_link,
    thread_of,
)
from tests.end_to_end.programs import Program
from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import function

pytestmark = pytest.mark.usefixtures("watch")

Visit = Callable[..., Page]
Start = Callable[..., Program]


@pytest.fixture
def ben(program: Start, shared_server: Server) -> Program:
    """A program of ben, who has no chats but those of these tests."""
    return program(shared_server, user="ben")


@pytest.fixture
def page(visit: Visit, shared_server: Server) -> Page:
    return visit(shared_server, user="ben")


def new_thread(program: Program, title: str) -> str:
    thread: str = program.ask("thread-create", {"title": title})["thread"]["id"]
    return thread


def test_a_chat_is_listed_under_its_first_words_at_once(page: Page) -> None:
    send(page, "Name the moons of Mars.")
    expect(thread_link(page, "Name the moons of Mars.")).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("heading", level=1)).to_have_text("Name the moons of Mars.")
    ended(page)
    page.get_by_test_id("new-chat").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
    thread_link(page, "Name the moons of Mars.").click()
    expect(messages(page, "user")).to_have_text(re.compile("Name the moons of Mars."))


def test_an_address_that_is_no_text_is_told_like_one_of_no_chat(
    visit: Visit, shared_server: Server
) -> None:
    page = visit(shared_server, "/t/%E0", user="ben")
    expect(page.get_by_role("alert")).to_contain_text("There is no such thread")
    page.get_by_test_id("new-chat").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New chat")


def test_a_change_that_is_refused_takes_no_later_one_back(
    visit: Visit, context: BrowserContext, shared_server: Server, ben: Program
) -> None:
    ben.serve("fan", function("spin"))
    thread = new_thread(ben, "First name")
    held: list[tuple[WebSocketRoute, str]] = []

    def between(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def pass_on(text: str | bytes) -> None:
            frame = json.loads(text)
            if frame["action"] == "thread-update" and "remotes" in frame["payload"]:
                held.append((socket, frame["id"]))
            elif not held or frame["action"] != "thread-open":  # reading it anew would heal it
                server.send(text)

        socket.on_message(pass_on)

    context.route_web_socket(re.compile("/ws/"), between)
    page = visit(shared_server, f"/t/{thread}", user="ben")
    switch(page, "fan").check(timeout=SLOW)
    choose(page, "First name", "Rename")
    page.get_by_role("dialog", name="Rename chat").get_by_label("Title").fill("New name")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("New name")
    [(socket, request)] = held
    refusal = {"code": "busy", "message": "Not now."}
    socket.send(json.dumps({"action": "error", "payload": refusal, "id": request}))
    expect(page.get_by_test_id("note")).to_contain_text("fan could not be switched: Not now.")
    expect(page.get_by_role("heading", level=1)).to_have_text("New name")
    expect(switch(page, "fan")).not_to_be_checked()


def test_a_chat_is_renamed_from_the_list_for_every_tab_and_after_a_reload(
    page: Page, visit: Visit, shared_server: Server, ben: Program
) -> None:
    thread = new_thread(ben, "Old name")
    first = visit(shared_server, f"/t/{thread}", user="ben")
    second = visit(shared_server, f"/t/{thread}", user="ben")
    choose(first, "Old name", "Rename")
    dialog = first.get_by_role("dialog", name="Rename chat")
    expect(dialog.get_by_label("Title")).to_be_focused()
    first.keyboard.type("Moons & planets")
    first.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    for each in (first, second):
        expect(thread_link(each, "Moons & planets")).to_be_visible()
        expect(each.get_by_role("heading", level=1)).to_have_text("Moons & planets")
    first.reload()
    expect(thread_link(first, "Moons & planets")).to_be_visible(timeout=SLOW)
    expect(thread_link(first, "Old name")).to_have_count(0)


def test_a_chat_is_deleted_only_after_a_second_word(page: Page, ben: Program) -> None:
    new_thread(ben, "Precious")
    page.reload()
    choose(page, "Precious", "Delete")
    dialog = page.get_by_role("dialog", name="Delete this chat?")
    expect(dialog).to_contain_text("Precious")
    expect(dialog.get_by_role("button", name="Keep it")).to_be_focused()
    dialog.get_by_role("button", name="Keep it").click()
    expect(thread_link(page, "Precious")).to_be_visible()
    choose(page, "Precious", "Delete")
    dialog.get_by_role("button", name="Delete").click()
    expect(thread_link(page, "Precious")).to_have_count(0)
    page.reload()
    expect(page.get_by_test_id("thread").first).to_be_visible(timeout=SLOW)
    expect(thread_link(page, "Precious")).to_have_count(0)


def test_deleting_the_shown_chat_leads_to_a_new_one_in_every_tab(
    page: Page, visit: Visit, shared_server: Server, ben: Program
) -> None:
    thread = new_thread(ben, "Here today")
    tabs = [visit(shared_server, f"/t/{thread}", user="ben") for _ in range(2)]
    choose(tabs[0], "Here today", "Delete")
    tabs[0].get_by_role("dialog").get_by_role("button", name="Delete").click()
    for each in tabs:
        expect(each).to_have_url(f"{shared_server.url}/")
        expect(each.get_by_role("heading", level=1)).to_have_text("New chat")
        expect(thread_link(each, "Here today")).to_have_count(0)


def test_the_search_finds_chats_by_their_words_and_says_when_there_is_none(
    page: Page, ben: Program
) -> None:
    new_thread(ben, "Invoices of spring")
    new_thread(ben, "Bicycle repair")
    page.reload()
    search = page.get_by_role("searchbox", name="Search chats")
    search.fill("INVOICES")
    expect(thread_link(page, "Bicycle repair")).to_have_count(0)
    expect(thread_link(page, "Invoices of spring")).to_be_visible()
    search.fill("zebra")
    expect(page.get_by_text("No chat has “zebra”.")).to_be_visible()
    search.fill("")
    expect(thread_link(page, "Bicycle repair")).to_be_visible()


def test_each_chat_keeps_its_own_draft_over_a_reload(page: Page, ben: Program) -> None:
    new_thread(ben, "Draft one")
    new_thread(ben, "Draft two")
    page.reload()
    drafts = {"Draft one": "first thought", "Draft two": "second\nthought"}
    for title, text in drafts.items():
        thread_link(page, title).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        composer(page).fill(text)
    page.get_by_test_id("new-chat").click()
    expect(composer(page)).to_have_value("")
    composer(page).fill("third thought")
    page.reload()
    expect(composer(page)).to_have_value("third thought", timeout=SLOW)
    for title, text in drafts.items():
        thread_link(page, title).click()
        expect(composer(page)).to_have_value(text)


def test_what_was_sent_is_no_draft_any_more(page: Page) -> None:
    send(page, "Away with it.")
    thread_of(page)
    ended(page)
    expect(composer(page)).to_have_value("")
    page.reload()
    ended(page)
    expect(composer(page)).to_have_value("")
    page.get_by_test_id("new-chat").click()
    expect(composer(page)).to_have_value("")


def test_a_thread_made_elsewhere_appears_without_a_reload(
    page: Page, visit: Visit, shared_server: Server
) -> None:
    second = visit(shared_server, user="ben")
    send(second, "Written in another tab.")
    expect(thread_link(second, "Written in another tab.")).to_be_visible()
    expect(thread_link(page, "Written in another tab.")).to_be_visible()


def test_a_very_long_line_never_makes_the_page_scroll_sideways(page: Page) -> None:
    send(page, "w" * 3_000)
    ended(page)
    for width in (1280, 800, 360):
        page.set_viewport_size({"width": width, "height": 720})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
