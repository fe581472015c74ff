"""While the server or the model is away the page says so, and nothing typed is lost."""

import re
import signal
import socket
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.end_to_end.pages import (
    SERVER_AWAY,
    SLOW,
    Watch,
    answer,
    composer,
    connected,
    ended,
    messages,
    remote,
    send,
    spoken,
    switch_on,
    thread_of,
)
from tests.end_to_end.programs import Program
from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import function

pytestmark = pytest.mark.usefixtures("watch")

Visit = Callable[..., Page]
Start = Callable[..., Program]
BACK = 60_000  # milliseconds; the page waits longer between its later attempts


def come_back(server: Server, page: Page) -> None:
    """Start the server again, and have the page look for it at once."""
    server.start()
    page.evaluate("dispatchEvent(new Event('online'))")
    is_back(page)


def is_back(page: Page) -> None:
    expect(page.get_by_test_id("connection")).to_have_attribute("data-state", "open", timeout=BACK)


def stop(server: Server, page: Page, watch: Watch, number: int = signal.SIGTERM) -> None:
    """Stop the server, and wait until the page has noticed."""
    watch.expected.append(SERVER_AWAY)
    server.stop(number)
    expect(page.get_by_test_id("connection")).to_have_text("Reconnecting…")
    expect(page.get_by_test_id("connection-strip")).to_contain_text("What you type is kept")


def contents(program: Program, thread: str) -> list[str]:
    """What the user said in a thread, as it is stored."""
    stored = program.ask("thread-open", {"thread": thread})["messages"]
    return [message["content"] for message in stored if message["role"] == "user"]


def test_a_model_that_is_not_there_is_told_with_the_setting_and_the_thread_goes_on(
    visit: Visit, start_server: Callable[..., Server]
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        server = start_server({"OPENAI_BASE_URL": f"http://127.0.0.1:{closed.getsockname()[1]}/v1"})
        page = visit(server)
        for count in (1, 2):
            send(page, f"Question {count}")
            expect(messages(page, "assistant")).to_have_count(count)
            ended(page, "failed")
            expect(answer(page).get_by_test_id("ending")).to_contain_text("OPENAI_BASE_URL")
            expect(messages(page, "user").last).to_contain_text(f"Question {count}")
        page.reload()
        ended(page, "failed")
        expect(answer(page).get_by_test_id("ending")).to_contain_text("OPENAI_BASE_URL")


def test_the_demo_model_is_named_as_such_and_its_error_keeps_the_text_before_it(
    visit: Visit, shared_server: Server
) -> None:
    page = visit(shared_server)
    send(page, "error")
    ended(page, "failed")
    expect(answer(page).get_by_test_id("model")).to_have_text("Demo model")
    expect(answer(page).get_by_test_id("ending")).to_contain_text("nothing is wrong")
    expect(answer(page)).to_contain_text("In a moment this answer breaks off:")
    send(page, "Hello")
    expect(messages(page, "assistant")).to_have_count(2)
    ended(page)


def test_a_restarted_server_is_found_again_by_itself(
    visit: Visit, program: Start, server: Server, watch: Watch
) -> None:
    page = visit(server)
    program(server).serve("lamp", function("echo"))
    send(page, "Hello")
    thread = thread_of(page)
    ended(page)
    said = spoken(page)
    expect(remote(page, "lamp")).to_have_attribute("data-here", "true")
    stop(server, page, watch)
    server.start()
    is_back(page)
    expect(page.get_by_test_id("connection-strip")).to_have_count(0)
    expect(page.get_by_test_id("connection")).to_have_text("Connected")
    expect(remote(page, "lamp")).to_have_attribute("data-here", "false")
    assert thread_of(page) == thread
    assert spoken(page) == said
    expect(messages(page, "user")).to_have_count(1)


def test_what_is_sent_while_the_server_is_away_is_sent_once_when_it_is_back(
    visit: Visit, program: Start, server: Server, watch: Watch
) -> None:
    page = visit(server)
    send(page, "Before")
    thread = thread_of(page)
    ended(page)
    stop(server, page, watch)
    composer(page).fill("Meanwhile")
    composer(page).press("Enter")
    expect(page.get_by_test_id("outgoing")).to_contain_text(
        "sent as soon as the connection is back"
    )
    composer(page).fill("and a draft")
    come_back(server, page)
    expect(messages(page, "user").last).to_contain_text("Meanwhile", timeout=SLOW)
    expect(messages(page, "assistant")).to_have_count(2)
    ended(page)
    expect(page.get_by_test_id("outgoing")).to_have_count(0)
    expect(composer(page)).to_have_value("and a draft")
    assert contents(program(server), thread) == ["Before", "Meanwhile"]


def test_a_new_chat_that_is_sent_while_the_server_is_away_is_made_once_when_it_is_back(
    visit: Visit, program: Start, server: Server, watch: Watch
) -> None:
    page = visit(server)
    stop(server, page, watch)
    send(page, "First words")
    expect(page.get_by_test_id("outgoing")).to_contain_text("First words")
    come_back(server, page)
    thread = thread_of(page)
    ended(page)
    assert contents(program(server), thread) == ["First words"]
    expect(page.get_by_test_id("thread")).to_have_count(1)


def test_what_was_on_its_way_when_the_page_was_closed_is_offered_again(
    visit: Visit, server: Server, watch: Watch
) -> None:
    page = visit(server)
    stop(server, page, watch)
    send(page, "Do not lose me")
    expect(page.get_by_test_id("outgoing")).to_be_visible()
    page.close()
    server.start()
    later = visit(server)
    unsent = later.get_by_test_id("outgoing")
    expect(unsent.get_by_role("alert")).to_contain_text("Not sent")
    unsent.get_by_role("button", name="Edit").click()
    expect(composer(later)).to_have_value("Do not lose me")
    later.get_by_role("button", name="Send").click()
    thread_of(later)
    ended(later)
    expect(messages(later, "user")).to_have_count(1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
def test_an_answer_that_the_server_left_half_done_is_kept_and_marked(
    visit: Visit, server: Server, watch: Watch, number: int
) -> None:
    page = visit(server)
    send(page, "slow")
    expect(answer(page)).to_contain_text("This answer is slow", timeout=SLOW)
    stop(server, page, watch, number)
    come_back(server, page)
    ended(page, "interrupted")
    expect(answer(page).get_by_test_id("ending")).to_contain_text("The server stopped")
    send(page, "Hello")
    expect(messages(page, "assistant")).to_have_count(2)
    ended(page)


def test_this_tab_is_offered_again_once_the_server_is_back(
    visit: Visit, server: Server, watch: Watch
) -> None:
    page = visit(server)
    tab = page.get_by_test_id("this-tab")
    page.get_by_role("switch", name="Use this tab in this chat").check()
    expect(tab).to_have_attribute("data-here", "true")
    stop(server, page, watch)
    expect(tab).to_have_attribute("data-here", "false")
    come_back(server, page)
    expect(tab).to_have_attribute("data-here", "true", timeout=SLOW)
    send(page, "Use timezone_and_locale.")
    ended(page)
    expect(page.get_by_test_id("call")).to_have_attribute("data-status", "done")


def test_a_page_whose_browser_is_somebody_elses_by_now_becomes_theirs(
    visit: Visit,
    context: BrowserContext,
    cookies: Callable[[Server, str], str],
    server: Server,
    watch: Watch,
) -> None:
    bens = [pair.partition("=") for pair in cookies(server, "ben").split("; ")]
    page = visit(server)
    stop(server, page, watch)
    send(page, "From ana")
    expect(page.get_by_test_id("outgoing")).to_contain_text("From ana")
    context.add_cookies(
        [{"name": name, "value": value, "url": server.url} for name, _, value in bens]
    )
    server.start()
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.get_by_role("button", name="ben")).to_be_visible(timeout=BACK)
    connected(page)
    expect(page.get_by_text("From ana")).to_have_count(0)
    expect(page.get_by_test_id("thread")).to_have_count(0)


@pytest.mark.parametrize(
    ("text", "why"),
    [("x" * 300 * 1024, "300 KiB"), ("\x01" * 200 * 1024, "bytes")],
    ids=["message", "frame"],
)
def test_a_message_that_is_too_long_is_not_sent_and_can_be_shortened(
    visit: Visit, shared_server: Server, text: str, why: str
) -> None:
    page = visit(shared_server)
    send(page, text)
    unsent = page.get_by_test_id("outgoing")
    expect(unsent.get_by_role("alert")).to_contain_text(why, timeout=SLOW)
    expect(unsent.get_by_role("button", name="Try again")).to_be_visible()
    unsent.get_by_role("button", name="Edit").click()
    expect(composer(page)).to_have_value(text)
    send(page, "Hello")
    ended(page)
    expect(messages(page, "user")).to_have_count(1)


def test_a_question_that_is_written_anew_too_long_stays_in_its_field(
    visit: Visit, shared_server: Server
) -> None:
    page = visit(shared_server)
    send(page, "Hello")
    ended(page)
    messages(page, "user").hover()
    page.get_by_role("button", name="Edit your message").click()
    page.get_by_role("textbox", name="Edit your message").fill("x" * 300 * 1024)
    page.get_by_role("button", name="Ask this instead").click()
    expect(page.get_by_test_id("rewrite").get_by_role("alert")).to_contain_text("300 KiB")
    page.get_by_role("textbox", name="Edit your message").fill("Hello again")
    page.get_by_role("button", name="Ask this instead").click()
    expect(messages(page, "user")).to_contain_text("Hello again")
    ended(page)


def test_a_device_that_is_offline_is_told_apart_from_a_server_that_is_away(
    visit: Visit, shared_server: Server, watch: Watch
) -> None:
    page = visit(shared_server)
    watch.expected.append(r"ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    expect(page.get_by_test_id("connection")).to_have_text("Offline")
    expect(page.get_by_test_id("connection-strip")).to_contain_text("This device is offline")
    page.context.set_offline(False)
    connected(page)


def test_a_remote_that_is_switched_on_and_away_is_no_obstacle(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    lamp = program(shared_server)
    lamp.serve("brief", function("shine"))
    switch_on(page, "brief")
    lamp.leave()
    send(page, "shine, please")
    ended(page)
    expect(answer(page)).to_contain_text(re.compile("No function can be called"))
