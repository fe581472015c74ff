"""The browser tab as a remote: what it offers, what it can't, and whose its name is."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.end_to_end.pages import (
    SLOW,
    Watch,
    answer,
    card,
    connected,
    ended,
    remote,
    send,
    sign_in,
)
from tests.end_to_end.programs import Program
from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import function

pytestmark = pytest.mark.usefixtures("watch")

Visit = Callable[..., Page]
Start = Callable[..., Program]
HOST = "remotes.test"
AS_NAME = ["--no-sandbox", "--disable-dev-shm-usage", f"--host-resolver-rules=MAP {HOST} 127.0.0.1"]


def row(page: Page) -> Locator:
    return page.get_by_test_id("this-tab")


def switch(page: Page) -> Locator:
    return page.get_by_role("switch", name="Use this tab in this chat")


def offer(page: Page) -> Page:
    """Switch this tab on, and wait until it is there."""
    switch(page).check()
    expect(row(page)).to_have_attribute("data-here", "true", timeout=SLOW)
    return page


@pytest.fixture
def page(visit: Visit, shared_server: Server) -> Page:
    """A new chat that may use the tab it is shown in."""
    return offer(visit(shared_server))


def question(page: Page) -> Locator:
    return page.get_by_role("region", name="Waiting for you").get_by_test_id("ask-user")


def test_the_agent_asks_in_the_page_and_reads_what_is_answered(page: Page) -> None:
    send(page, 'ask_user question="Which colour do you like best?"')
    expect(question(page)).to_contain_text("Which colour do you like best?")
    expect(question(page).get_by_label("Your answer")).to_be_focused()
    page.keyboard.type("Teal, I think")
    page.keyboard.press("Enter")
    expect(question(page)).to_have_count(0)
    expect(card(page)).to_have_attribute("data-status", "done")
    ended(page)
    expect(answer(page)).to_contain_text("Teal, I think")


def test_a_question_with_choices_is_answered_by_a_click(page: Page) -> None:
    send(page, 'ask_user {"question": "Tea?", "choices": ["Green", "Black"]}')
    question(page).get_by_role("button", name="Green").click()
    ended(page)
    expect(answer(page)).to_contain_text("Green")


def test_a_declined_question_is_an_error_that_the_model_reads(page: Page) -> None:
    send(page, 'ask_user question="How old are you?"')
    question(page).get_by_role("button", name="Decline").click()
    expect(page.get_by_test_id("call-error")).to_contain_text("declined")
    ended(page)
    expect(answer(page)).to_contain_text("declined")


def test_a_stopped_answer_takes_its_question_along(page: Page) -> None:
    send(page, 'ask_user question="Still there?"')
    expect(question(page)).to_be_visible()
    page.get_by_role("button", name="Stop the answer").click()
    ended(page, "stopped")
    expect(question(page)).to_have_count(0)


@pytest.mark.browser_context_args(timezone_id="Asia/Kathmandu", locale="de-AT")
def test_the_agent_learns_the_time_zone_and_the_locale(page: Page) -> None:
    send(page, "What is my time zone? Use timezone_and_locale.")
    ended(page)
    expect(answer(page)).to_contain_text("Asia/Kat")
    expect(answer(page)).to_contain_text("345")
    expect(answer(page)).to_contain_text("de-AT")


def test_a_notification_is_shown_and_the_agent_is_told_where(page: Page) -> None:
    send(page, 'notify {"title": "Tea is ready", "body": "Two cups"}')
    expect(page.get_by_test_id("note")).to_contain_text("Tea is ready: Two cups")
    ended(page)
    expect(answer(page)).to_contain_text(re.compile("in the page|by the system"))


@pytest.mark.browser_context_args(
    geolocation={"latitude": 48.2, "longitude": 16.4, "accuracy": 5}, permissions=["geolocation"]
)
def test_the_location_is_offered_only_once_it_is_shared(page: Page) -> None:
    row(page).locator("summary").click()
    location = row(page).get_by_role("listitem").filter(has_text="location")
    expect(row(page).get_by_role("listitem")).to_have_count(3)
    expect(location).to_have_count(0)
    row(page).get_by_role("button", name="Share my location too").click()
    expect(location).to_be_visible()
    send(page, "location")
    ended(page)
    expect(answer(page)).to_contain_text("48.2")
    expect(answer(page)).to_contain_text("16.4")


def test_the_tab_is_offered_again_after_a_reload_and_no_more_once_disconnected(page: Page) -> None:
    page.reload()
    expect(row(page)).to_have_attribute("data-here", "true", timeout=SLOW)
    expect(row(page)).to_contain_text("connected as this-tab")
    row(page).locator("summary").click()
    row(page).get_by_role("button", name="Disconnect this tab").click()
    expect(row(page)).to_have_attribute("data-here", "false")
    page.reload()
    connected(page)
    expect(row(page)).to_have_attribute("data-here", "false")


def test_a_second_tab_gets_a_name_of_its_own_and_takes_nothing_away(
    page: Page, visit: Visit, shared_server: Server
) -> None:
    second = offer(visit(shared_server))
    expect(row(second)).to_contain_text("connected as this-tab-2")
    expect(row(page)).to_contain_text("connected as this-tab")
    expect(remote(second, "this-tab")).to_have_attribute("data-here", "true")
    expect(remote(page, "this-tab-2")).to_have_attribute("data-here", "true")
    expect(page.get_by_test_id("replaced")).to_have_count(0)


def test_a_program_that_takes_the_tabs_name_is_named_and_the_name_can_be_taken_back(
    page: Page, program: Start, shared_server: Server
) -> None:
    thief = program(shared_server)
    thief.serve("this-tab", function("echo"), client={"program": "thief.py", "host": "old-pc"})
    told = page.get_by_test_id("replaced")
    expect(told).to_contain_text("this-tab was taken over by thief.py on old-pc")
    expect(row(page)).to_have_attribute("data-here", "false")
    told.get_by_role("button", name="Take it back").click()
    expect(row(page)).to_have_attribute("data-here", "true")
    expect(told).to_have_count(0)
    lost = thief.event("remote-disconnected")
    assert lost["reason"] == "replaced"
    assert "browser tab" in str(lost["by"])
    send(page, 'ask_user question="Is it you again?"')
    question(page).get_by_label("Your answer").fill("Yes")
    page.keyboard.press("Enter")
    ended(page)


def test_two_tabs_that_fight_for_one_name_say_so_and_never_take_turns_by_themselves(
    page: Page, visit: Visit, shared_server: Server
) -> None:
    """A tab that takes its lost name back from another tab is told of by that one."""
    second = visit(shared_server)
    second.evaluate(
        "sessionStorage.setItem(`remotes.${document.body.dataset.userId}.tab`, '\"this-tab\"')"
    )
    second.reload()
    expect(row(second)).to_have_attribute("data-here", "true", timeout=SLOW)
    expect(page.get_by_test_id("replaced")).to_contain_text("a browser tab")
    page.get_by_test_id("take-back").click()
    expect(row(page)).to_have_attribute("data-here", "true")
    expect(second.get_by_test_id("replaced")).to_contain_text("Two owners can't share a name")
    expect(page.get_by_test_id("replaced")).to_have_count(0)


def test_plain_http_from_elsewhere_says_what_it_cannot_do_and_does_the_rest(
    launch_browser: Callable[..., Browser], start_server: Callable[..., Server]
) -> None:
    server = start_server({"REMOTES_ALLOWED_HOSTS": HOST})
    browser = launch_browser(args=AS_NAME)
    context = browser.new_context()
    watch = Watch(expected=["Cross-Origin-Opener-Policy header has been ignored"])
    watch.over(context)
    page = context.new_page()
    page.goto(f"http://{HOST}:{server.port}/")
    sign_in(page)
    connected(page)
    assert page.evaluate("isSecureContext") is False
    offer(page)
    row(page).locator("summary").click()
    expect(row(page)).to_contain_text("plain HTTP")
    expect(
        row(page).get_by_role("button", name=re.compile("location|notifications"))
    ).to_have_count(0)
    send(page, 'notify {"title": "Tea is ready"}')
    expect(page.get_by_test_id("note")).to_contain_text("Tea is ready")
    ended(page)
    expect(answer(page)).to_contain_text("in the page")
    page.get_by_role("button", name="Copy the answer").click()
    expect(page.get_by_role("log").get_by_text("Copied.")).to_have_count(1)
    watch.check()
    browser.close()
