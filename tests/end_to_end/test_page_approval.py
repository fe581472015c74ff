"""A call that needs a person's yes: the card, its answers, and where else it is seen."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.end_to_end.pages import (
    SLOW,
    answer,
    card,
    composer,
    ended,
    open_card,
    send,
    switch_on,
    thread_of,
)
from tests.end_to_end.programs import Program
from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import function

pytestmark = pytest.mark.usefixtures("watch")

Visit = Callable[..., Page]
Start = Callable[..., Program]
WIPE = function("wipe", {"path": {"type": "string"}}, confirm=True)
ASK = 'wipe {"path": "/tmp/old"}'


@pytest.fixture
def safe(program: Start, shared_server: Server, request: pytest.FixtureRequest) -> Program:
    """A program that serves a remote called as the test, so that nothing is remembered for it."""
    safe = program(shared_server)
    safe.serve(name_of(request), WIPE)
    return safe


def name_of(request: pytest.FixtureRequest) -> str:
    name: str = request.node.originalname
    return name


@pytest.fixture
def page(
    visit: Visit, shared_server: Server, safe: Program, request: pytest.FixtureRequest
) -> Page:
    """A new chat that may use the remote."""
    page = visit(shared_server)
    switch_on(page, name_of(request))
    return page


def approval(page: Page) -> Locator:
    return page.get_by_test_id("approval")


def asks(page: Page) -> Locator:
    """Have the model want the call; returns the card."""
    send(page, ASK)
    expect(approval(page)).to_be_visible()
    return approval(page)


def test_the_card_says_what_where_and_with_which_values_and_allow_runs_it(
    page: Page, safe: Program
) -> None:
    asking = asks(page)
    expect(asking).to_contain_text("wipe")
    expect(asking).to_contain_text("test_the_card_says")
    expect(asking).to_contain_text('"path": "/tmp/old"')
    assert page.title().startswith("● ")
    assert safe.calls_left() == []
    asking.get_by_role("button", name="Allow").click()
    call = safe.next_call()
    assert call["args"] == {"path": "/tmp/old"}
    expect(approval(page)).to_have_count(0)
    safe.answer(call, "wiped")
    expect(card(page)).to_have_attribute("data-status", "done")
    ended(page)
    expect(answer(page)).to_contain_text("wiped")
    assert not page.title().startswith("● ")


def test_a_denied_call_is_never_sent_and_the_answer_goes_on(page: Page, safe: Program) -> None:
    asks(page).get_by_role("button", name="Deny", exact=True).click()
    expect(card(page)).to_have_attribute("data-status", "denied")
    ended(page)
    assert safe.calls_left() == []


def test_the_reason_for_a_no_reaches_the_model(page: Page, safe: Program) -> None:
    asking = asks(page)
    asking.get_by_role("button", name="Deny, saying why").click()
    expect(asking.get_by_label("Reason")).to_be_focused()
    page.keyboard.type("not on a Friday")
    page.keyboard.press("Enter")
    expect(card(page)).to_have_attribute("data-status", "denied")
    expect(page.get_by_test_id("call-error")).to_contain_text("not on a Friday")
    ended(page)
    expect(answer(page).locator(".text").last).to_contain_text("not on a Friday")
    assert safe.calls_left() == []


def test_changed_values_are_what_runs_and_what_the_card_then_shows(
    page: Page, safe: Program
) -> None:
    asking = asks(page)
    asking.get_by_role("button", name="Change values").click()
    field = asking.get_by_label("Arguments, as JSON")
    field.fill("{nonsense")
    asking.get_by_role("button", name="Allow").click()
    expect(asking.get_by_role("alert")).to_contain_text("no JSON object")
    field.fill('{"path": 5}')
    asking.get_by_role("button", name="Allow").click()
    expect(asking.get_by_role("alert")).to_contain_text("path")
    field.fill('{"path": "' + "x" * 1_000_000 + '"}')
    asking.get_by_role("button", name="Allow").click()
    expect(asking.get_by_role("alert")).to_contain_text("A frame may have", timeout=SLOW)
    assert safe.calls_left() == []
    field.fill('{"path": "/tmp/older"}')
    asking.get_by_role("button", name="Allow").click()
    call = safe.next_call()
    assert call["args"] == {"path": "/tmp/older"}
    safe.answer(call, "wiped")
    ended(page)
    expect(open_card(page).get_by_role("region", name="Arguments")).to_contain_text("/tmp/older")


def test_the_card_takes_the_focus_and_is_answered_by_keyboard(page: Page, safe: Program) -> None:
    composer(page).fill(ASK)
    page.keyboard.press("Enter")
    expect(approval(page)).to_be_focused()
    allow = approval(page).get_by_role("button", name="Allow")
    for _ in range(5):
        page.keyboard.press("Tab")
        if allow.evaluate("button => button === document.activeElement"):
            break
    expect(allow).to_be_focused()
    page.keyboard.press("Enter")
    safe.answer(safe.next_call(), "wiped")
    ended(page)


def test_a_card_does_not_take_the_focus_from_somebody_who_types(page: Page, safe: Program) -> None:
    composer(page).fill(ASK)
    page.keyboard.press("Enter")
    composer(page).press_sequentially("and then")
    expect(approval(page)).to_be_visible()
    expect(composer(page)).to_have_value("and then")
    approval(page).get_by_role("button", name="Deny", exact=True).click()
    ended(page)


def test_a_card_survives_a_reload_and_works_after_it(page: Page, safe: Program) -> None:
    asks(page)
    page.reload()
    expect(approval(page)).to_contain_text("/tmp/old", timeout=SLOW)
    expect(approval(page)).to_have_count(1)
    approval(page).get_by_role("button", name="Allow").click()
    safe.answer(safe.next_call(), "wiped")
    ended(page)
    expect(page.get_by_test_id("call")).to_have_count(1)


def test_a_second_tab_shows_the_card_as_answered(
    visit: Visit, shared_server: Server, page: Page, safe: Program
) -> None:
    asks(page)
    second = visit(shared_server, f"/t/{thread_of(page)}")
    expect(approval(second)).to_be_visible()
    approval(page).get_by_role("button", name="Allow").click()
    expect(approval(second)).to_have_count(0)
    expect(card(second)).to_have_attribute("data-status", "running")
    safe.answer(safe.next_call(), "wiped")
    for each in (page, second):
        expect(card(each)).to_have_attribute("data-status", "done")
        ended(each)


def test_a_stopped_answer_takes_its_card_along(page: Page, safe: Program) -> None:
    asks(page)
    page.get_by_role("button", name="Stop the answer").click()
    ended(page, "stopped")
    expect(approval(page)).to_have_count(0)
    expect(card(page)).to_have_attribute("data-status", "stopped")
    assert safe.calls_left() == []


def test_allowed_in_this_chat_it_does_not_ask_again_here_but_in_another(
    page: Page, safe: Program
) -> None:
    asking = asks(page)
    asking.get_by_label("From now on").select_option(label="Allow it in this chat")
    asking.get_by_role("button", name="Allow").click()
    safe.answer(safe.next_call(), "wiped")
    ended(page)
    send(page, ASK)
    safe.answer(safe.next_call(), "wiped again")
    ended(page)
    page.get_by_test_id("new-chat").click()
    asks(page).get_by_role("button", name="Deny", exact=True).click()
    ended(page)


def test_always_allowed_it_asks_again_once_the_function_has_changed(
    page: Page, safe: Program, request: pytest.FixtureRequest
) -> None:
    asking = asks(page)
    asking.get_by_label("From now on").select_option(label="Always allow it")
    asking.get_by_role("button", name="Allow").click()
    safe.answer(safe.next_call(), "wiped")
    ended(page)
    page.get_by_test_id("new-chat").click()
    send(page, ASK)
    safe.answer(safe.next_call(), "wiped again")
    ended(page)
    safe.serve(name_of(request), WIPE | {"description": "Wipes the whole disk."})
    asks(page).get_by_role("button", name="Deny", exact=True).click()
    ended(page)


def call_from_outside(remotename: str) -> dict[str, object]:
    return {"remotename": remotename, "function": "wipe", "args": {"path": "/tmp/mine"}}


def test_a_programs_own_call_waits_in_the_tray_whatever_chat_is_shown(
    page: Page, safe: Program, program: Start, shared_server: Server, request: pytest.FixtureRequest
) -> None:
    caller = program(shared_server)
    outcome = caller.request("remote-call", call_from_outside(name_of(request)))
    tray = page.get_by_role("region", name="Waiting for you")
    expect(tray).to_contain_text("outside any chat")
    expect(tray).to_contain_text("/tmp/mine")
    page.reload()
    expect(tray).to_contain_text("/tmp/mine", timeout=SLOW)
    expect(approval(page)).to_have_count(1)
    assert safe.calls_left() == []
    tray.get_by_role("button", name="Allow").click()
    safe.answer(safe.next_call(), "wiped")
    assert outcome.result(10)["payload"]["result"] == "wiped"
    expect(tray.get_by_test_id("call")).to_have_attribute("data-status", "done")
    tray.get_by_role("button", name="Dismiss").click()
    expect(tray).to_have_count(0)


def test_a_programs_call_that_is_denied_in_one_tab_leaves_the_other_tabs_tray(
    page: Page,
    safe: Program,
    program: Start,
    visit: Visit,
    shared_server: Server,
    request: pytest.FixtureRequest,
) -> None:
    second = visit(shared_server)
    caller = program(shared_server)
    outcome = caller.request("remote-call", call_from_outside(name_of(request)))
    asking = approval(second)
    asking.get_by_role("button", name="Deny, saying why").click()
    asking.get_by_label("Reason").fill("that is mine")
    asking.get_by_role("button", name="Deny", exact=True).click()
    refusal = outcome.result(10)["payload"]
    assert refusal["code"] == "denied"
    assert "that is mine" in refusal["error"]
    expect(approval(page)).to_have_count(0)
    expect(page.get_by_test_id("tray").get_by_test_id("call")).to_have_attribute(
        "data-status", "denied"
    )
    assert safe.calls_left() == []
