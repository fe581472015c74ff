"""Coming to the chat page and leaving it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.end_to_end.pages import SLOW, composer, connected, send, sign_in, thread_of
from tests.end_to_end.servers import Server

pytestmark = pytest.mark.usefixtures("watch")

Visit = Callable[..., Page]


def test_a_wrong_password_is_told_in_words_and_the_name_stays(
    page: Page, shared_server: Server
) -> None:
    page.goto(shared_server.url)
    sign_in(page, password="wrong")
    expect(page.get_by_role("alert")).to_contain_text("correct username and password")
    expect(page.get_by_label("Name")).to_have_value("ana")
    expect(page.get_by_label("Password")).to_have_value("")
    expect(page.get_by_label("Password")).to_be_focused()


def test_a_signed_out_visitor_comes_back_to_the_thread_after_signing_in(
    page: Page, shared_server: Server
) -> None:
    page.goto(shared_server.url)
    sign_in(page)
    send(page, "Hello")
    thread = thread_of(page)
    page.context.clear_cookies()
    page.goto(f"{shared_server.url}/t/{thread}")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    sign_in(page)
    connected(page)
    assert thread_of(page) == thread
    expect(page.get_by_role("article", name="You")).to_contain_text("Hello")


def test_another_users_thread_is_not_found_in_words(
    visit: Visit, shared_server: Server, context: BrowserContext
) -> None:
    anas = visit(shared_server)
    send(anas, "My secret")
    thread = thread_of(anas)
    context.clear_cookies()
    bens = visit(shared_server, f"/t/{thread}", user="ben")
    expect(bens.get_by_role("alert")).to_contain_text("could not be opened")
    expect(bens.get_by_text("My secret")).to_have_count(0)


def test_signing_out_in_one_tab_takes_the_other_to_the_sign_in_page_saying_why(
    page: Page, context: BrowserContext, shared_server: Server
) -> None:
    page.goto(shared_server.url)
    sign_in(page)
    send(page, "Hello")
    thread = thread_of(page)
    composer(page).fill("half a thought")
    other = context.new_page()
    other.goto(shared_server.url)
    other.get_by_role("button", name="ana").click()
    other.get_by_role("button", name="Sign out").click()
    expect(other.get_by_role("status")).to_contain_text("You are signed out")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("your session ended")
    sign_in(page)
    connected(page)
    assert thread_of(page) == thread
    expect(composer(page)).to_have_value("half a thought")


def sign_out(page: Page, user: str) -> None:
    page.get_by_role("button", name=user).click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("status")).to_contain_text("You are signed out")


def sign_in_again(page: Page, server: Server, user: str) -> None:
    page.goto(server.url)
    sign_in(page, user)
    connected(page)


def test_what_one_user_typed_and_allowed_is_not_passed_to_the_next_in_the_same_tab(
    page: Page, server: Server
) -> None:
    tab = page.get_by_test_id("this-tab")
    sign_in_again(page, server, "ana")
    composer(page).fill("for my eyes only")
    page.get_by_role("switch", name="Use this tab in this chat").check()
    expect(tab).to_have_attribute("data-here", "true", timeout=SLOW)
    sign_out(page, "ana")
    assert page.evaluate("sessionStorage.length") == 0
    sign_in_again(page, server, "ben")
    expect(composer(page)).to_have_value("")
    expect(tab).to_have_attribute("data-here", "false")
    composer(page).fill("what ben thinks")
    sign_out(page, "ben")
    sign_in_again(page, server, "ana")
    expect(composer(page)).to_have_value("for my eyes only")
    expect(tab).to_have_attribute("data-here", "false")


def test_a_session_that_ends_elsewhere_takes_along_what_this_tab_was_allowed(
    page: Page, context: BrowserContext, server: Server
) -> None:
    sign_in_again(page, server, "ana")
    page.get_by_role("switch", name="Use this tab in this chat").check()
    expect(page.get_by_test_id("this-tab")).to_have_attribute("data-here", "true", timeout=SLOW)
    other = context.new_page()
    other.goto(server.url)
    sign_out(other, "ana")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0


def test_a_changed_password_ends_the_other_browsers_session_and_keeps_this_one(
    visit: Visit, server: Server, browser: Browser
) -> None:
    """The tab that changed it goes on; a browser elsewhere is sent to the sign-in page."""
    elsewhere = browser.new_context()
    there = elsewhere.new_page()
    there.goto(server.url)
    sign_in(there)
    connected(there)
    here = visit(server)
    here.get_by_role("button", name="ana").click()
    here.get_by_role("link", name="Change password").click()
    here.get_by_label("Old password").fill("correct horse battery staple")
    here.get_by_label("New password", exact=True).fill("another staple altogether")
    here.get_by_label("New password confirmation").fill("another staple altogether")
    here.get_by_role("button", name="Change it").click()
    here.get_by_role("link", name="Back to the chat").click()
    connected(here)
    expect(there.get_by_role("status")).to_contain_text("your password was changed")
    elsewhere.close()
