"""The agent's calls on the page, with the demo model and with a program that answers when told."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.pages import (
    answer,
    card,
    ended,
    messages,
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
WEIGH = function("weigh", {"thing": {"type": "string"}, "grams": {"type": "number"}})
ASK = 'weigh {"thing": "a feather", "grams": 1.10}'


@pytest.fixture
def scales(program: Start, shared_server: Server) -> Program:
    """A program that serves ``scales``."""
    scales = program(shared_server)
    scales.serve("scales", WEIGH, client={"program": "scales.py", "host": "kitchen"})
    return scales


@pytest.fixture
def page(visit: Visit, shared_server: Server, scales: Program) -> Page:
    """A new chat that may use ``scales``."""
    page = visit(shared_server)
    switch_on(page, "scales")
    return page


def test_a_call_shows_remote_function_arguments_and_result(page: Page, scales: Program) -> None:
    send(page, ASK)
    call = scales.next_call()
    expect(card(page)).to_have_attribute("data-status", "running")
    expect(card(page)).to_contain_text("scales")
    expect(card(page)).to_contain_text("weigh")
    expect(card(page)).to_contain_text('thing="a feather"')
    scales.answer(call, {"weight": "0.8 g", "sure": True})
    expect(card(page)).to_have_attribute("data-status", "done")
    ended(page)
    expect(answer(page)).to_contain_text("0.8 g")
    opened = open_card(page)
    expect(opened.get_by_role("region", name="Arguments")).to_contain_text('"thing": "a feather"')
    expect(opened.get_by_role("region", name="Result")).to_contain_text('"weight": "0.8 g"')
    expect(opened).to_contain_text("scales.py on kitchen")


def test_a_calls_card_is_the_same_after_a_reload(page: Page, scales: Program) -> None:
    send(page, ASK)
    scales.answer(scales.next_call(), "0.8 g")
    ended(page)
    before = messages(page, "assistant").all_inner_texts()
    page.reload()
    ended(page)
    assert messages(page, "assistant").all_inner_texts() == before
    expect(page.get_by_test_id("call")).to_have_count(1)
    expect(open_card(page).get_by_role("region", name="Result")).to_contain_text("0.8 g")


def test_a_failing_function_shows_its_error_on_the_card_and_the_answer_goes_on(
    page: Page, scales: Program
) -> None:
    send(page, ASK)
    scales.fail(scales.next_call(), "the scales are switched off")
    expect(card(page)).to_have_attribute("data-status", "error")
    expect(page.get_by_test_id("call-error")).to_have_text("the scales are switched off")
    ended(page)
    expect(answer(page)).to_contain_text("failed")


def test_a_program_that_leaves_during_a_call_is_named_on_the_card(
    page: Page, scales: Program
) -> None:
    send(page, ASK)
    scales.next_call()
    scales.leave()
    expect(page.get_by_test_id("call-error")).to_contain_text("scales")
    expect(page.get_by_test_id("call-error")).to_contain_text("disconnected")
    ended(page)


def test_a_running_call_shows_how_far_it_is(page: Page, scales: Program) -> None:
    send(page, ASK)
    call = scales.next_call()
    scales.report(call, progress=3, total=10, message="third tenth")
    expect(card(page).get_by_role("progressbar")).to_have_attribute("value", "3")
    expect(card(page)).to_contain_text("third tenth")
    scales.answer(call, "0.8 g")
    expect(card(page).get_by_role("progressbar")).to_have_count(0)


def test_several_calls_of_a_round_stand_together_and_finish_on_their_own(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    pair = program(shared_server)
    pair.serve("pair", function("left"), function("right"))
    switch_on(page, "pair")
    send(page, "left and right")
    first, second = pair.next_call(), pair.next_call()
    expect(page.get_by_role("group", name="Calls")).to_have_count(1)
    cards = {name: page.get_by_test_id("call").filter(has_text=name) for name in ("left", "right")}
    pair.answer(second, "later one first")
    expect(cards[second["function"]]).to_have_attribute("data-status", "done")
    expect(cards[first["function"]]).to_have_attribute("data-status", "running")
    pair.answer(first, "and the other")
    expect(cards[first["function"]]).to_have_attribute("data-status", "done")
    ended(page)


def test_a_long_result_is_shown_in_short_and_read_to_its_end_on_demand(
    page: Page, scales: Program
) -> None:
    send(page, ASK)
    scales.answer(scales.next_call(), "ab" * 15_000 + "the end")
    ended(page)
    result = open_card(page).get_by_role("region", name="Result")
    expect(result).not_to_contain_text("the end")
    result.get_by_role("button", name="Show all").click()
    expect(result).to_contain_text("the end")
    expect(result.get_by_role("button", name="Show all")).to_have_count(0)


def test_stopping_during_a_call_cancels_it_and_marks_both(page: Page, scales: Program) -> None:
    send(page, ASK)
    call = scales.next_call()
    page.get_by_role("button", name="Stop the answer").click()
    expect(card(page)).to_have_attribute("data-status", "stopped")
    ended(page, "stopped")
    assert scales.event("remote-call-cancel")["requestId"] == call["requestId"]
    thread = thread_of(page)
    scales.ask("ping")
    (_, stored) = scales.ask("thread-open", {"thread": thread})["messages"]
    assert [each["status"] for each in stored["calls"]] == ["stopped"]


def test_the_first_three_cards_teach_until_a_call_has_succeeded(
    page: Page, scales: Program
) -> None:
    expect(page.get_by_role("button", name=re.compile("Connect your computer"))).to_be_visible()
    send(page, ASK)
    scales.answer(scales.next_call(), "0.8 g")
    ended(page)
    page.get_by_test_id("new-chat").click()
    expect(page.get_by_role("heading", name="What would you like to do?")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Connect your computer"))).to_have_count(0)
