"""The page by keyboard: shortcuts, the palette, and chats saved as files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.end_to_end.pages import (
    answer,
    choose,
    composer,
    ended,
    send,
    switch,
    switch_on,
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
def lathe(program: Start, shared_server: Server) -> Program:
    lathe = program(shared_server)
    lathe.serve("lathe", function("turn", {"degrees": {"type": "integer"}}))
    return lathe


@pytest.fixture
def page(visit: Visit, shared_server: Server, lathe: Program) -> Page:
    return visit(shared_server)


def palette(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Search and commands")


def find(page: Page, words: str) -> None:
    """Open the palette and type."""
    page.keyboard.press("Control+k")
    field = palette(page).get_by_role("combobox")
    expect(field).to_be_focused()
    field.fill(words)


def chosen(page: Page) -> Locator:
    return palette(page).get_by_role("option", selected=True)


def new_thread(program: Program, title: str) -> str:
    thread: str = program.ask("thread-create", {"title": title})["thread"]["id"]
    return thread


def test_the_palette_goes_to_a_chat_that_its_words_are_in(page: Page, lathe: Program) -> None:
    new_thread(lathe, "Threads of the lead screw")
    find(page, "lead screw")
    expect(chosen(page)).to_have_text("Threads of the lead screw")
    page.keyboard.press("Enter")
    expect(palette(page)).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_text("Threads of the lead screw")
    expect(composer(page)).to_be_focused()


def test_the_palette_switches_a_remote_on_and_off(page: Page) -> None:
    expect(switch(page, "lathe")).not_to_be_checked()
    find(page, "lathe on")
    expect(chosen(page)).to_have_text("Switch lathe on in this chat")
    page.keyboard.press("Enter")
    expect(switch(page, "lathe")).to_be_checked()
    find(page, "switch lathe")
    expect(chosen(page)).to_have_text("Switch lathe off in this chat")
    chosen(page).click()
    expect(switch(page, "lathe")).not_to_be_checked()


def test_the_arrows_go_around_in_the_palette_and_escape_leaves_it(page: Page) -> None:
    find(page, "theme")
    options = palette(page).get_by_role("option")
    expect(options).to_have_text(["Light theme", "Dark theme"])
    page.keyboard.press("ArrowDown")
    expect(chosen(page)).to_have_text("Dark theme")
    page.keyboard.press("ArrowDown")
    expect(chosen(page)).to_have_text("Light theme")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    find(page, "zebra")
    expect(palette(page)).to_contain_text("Nothing has “zebra”.")
    page.keyboard.press("Escape")
    expect(palette(page)).to_have_count(0)
    expect(composer(page)).to_be_focused()


def test_a_command_of_the_palette_may_open_a_dialog(page: Page) -> None:
    find(page, "keyboard")
    expect(chosen(page)).to_contain_text("Keyboard shortcuts")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_contain_text("Copy the last code")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.press("Control+/")
    expect(dialog).to_be_visible()


def test_the_keys_for_a_new_chat_the_field_and_the_list(page: Page, lathe: Program) -> None:
    thread = new_thread(lathe, "Old chat")
    thread_link(page, "Old chat").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Old chat")
    assert thread_of(page) == thread
    page.keyboard.press("Control+Shift+O")
    expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
    chats = page.get_by_role("navigation", name="Chats")
    page.get_by_role("searchbox", name="Search chats").focus()
    page.keyboard.press("Shift+Escape")
    expect(composer(page)).to_be_focused()
    page.keyboard.press("Control+Shift+S")
    expect(chats).to_be_hidden()
    page.reload()
    expect(composer(page)).to_be_focused()
    expect(chats).to_be_hidden()
    page.get_by_role("button", name="Chats").click()
    expect(chats).to_be_visible()


def test_no_shortcut_fires_in_another_field_or_over_a_dialog(page: Page) -> None:
    search = page.get_by_role("searchbox", name="Search chats")
    search.focus()
    page.keyboard.press("Control+/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(search).to_be_focused()
    composer(page).focus()
    page.keyboard.press("Control+/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_have_count(1)
    expect(palette(page)).to_have_count(0)


def test_a_chat_is_saved_as_a_document_and_as_data_with_its_calls(
    page: Page, lathe: Program
) -> None:
    switch_on(page, "lathe")
    send(page, 'turn {"degrees": 90}')
    lathe.answer(lathe.next_call(), {"chips": "s" * 20_000})
    ended(page)
    expect(answer(page)).to_contain_text("turn")
    title = page.get_by_role("heading", level=1).inner_text()
    document = saved(page, title, "Export as Markdown")
    assert document.suffix == ".md"
    text = document.read_text()
    assert text.startswith(f"# {title}\n\n## You\n\nturn")
    assert "**lathe · turn** (done in " in text
    data = json.loads(saved(page, title, "Export as JSON").read_text())
    call = data["messages"][1]["calls"][0]
    assert call["args"] == {"degrees": 90}
    assert call["result"] == {"chips": "s" * 20_000}
    assert [message["role"] for message in data["messages"]] == ["user", "assistant"]


def saved(page: Page, title: str, action: str) -> Path:
    """Choose from the chat's menu what saves a file; returns its place, under its name."""
    with page.expect_download() as download:
        choose(page, title, action)
    file = Path(download.value.path())
    return file.rename(file.with_name(download.value.suggested_filename))
