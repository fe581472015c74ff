"""Models on the page: which one answers, what it thinks aloud, and how its answers end."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.end_to_end.pages import SLOW, answer, ended, send, spoken, thread_of
from tests.end_to_end.servers import Server
from tests.support.fake_model import FakeModel, Hold, delta, finish, says, streams

pytestmark = pytest.mark.usefixtures("watch")

Visit = Callable[..., Page]


@pytest.fixture
def page(visit: Visit, scripted_server: Server) -> Page:
    return visit(scripted_server)


def thoughts(page: Page) -> Locator:
    return answer(page).get_by_test_id("reasoning")


def picker(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Model")


def test_thoughts_are_in_view_until_the_answer_begins_and_can_be_opened_again(
    page: Page, model: FakeModel
) -> None:
    model.script(
        streams(
            delta(role="assistant", content="", reasoning_content="Mars has "),
            delta(reasoning_content="two moons. 😀 "),
            Hold(),
            delta(reasoning_content="I take the larger one."),
            delta(content="Phobos."),
            Hold(),
            finish("stop"),
        )
    )
    send(page, "Name a moon of Mars.")
    expect(thoughts(page)).to_contain_text("Thinking…")
    expect(thoughts(page)).to_contain_text("Mars has two moons. 😀")
    model.release()
    expect(answer(page).locator(".text")).to_have_text("Phobos.", timeout=SLOW)
    expect(thoughts(page)).to_have_text("Thought for a while")
    model.release()
    ended(page)
    assert spoken(page) == "Phobos."
    page.reload()
    ended(page)
    expect(thoughts(page)).to_have_text("Thought for a while")
    thoughts(page).locator("summary").click()
    expect(thoughts(page)).to_contain_text("Mars has two moons. 😀 I take the larger one.")
    thoughts(page).locator("summary").click()
    expect(thoughts(page)).to_have_text("Thought for a while")


def test_an_answer_that_was_cut_off_says_so_quietly_and_counts_as_done(
    page: Page, model: FakeModel
) -> None:
    model.script(says("Phobos and", reason="length"))
    send(page, "Name the moons of Mars.")
    ended(page, "done")
    expect(answer(page).get_by_test_id("ending")).to_contain_text("length")
    expect(answer(page).get_by_role("button", name="Ask again")).to_have_count(0)


def test_a_chat_keeps_the_model_that_was_chosen_for_it(
    page: Page, model: FakeModel, visit: Visit, scripted_server: Server
) -> None:
    asked = len(model.requests)
    expect(picker(page).locator("option:checked")).to_have_text("fake-1 (default)", timeout=SLOW)
    picker(page).select_option(label="Demo model")
    send(page, "Hello")
    ended(page)
    expect(answer(page).get_by_test_id("model")).to_have_text("Demo model")
    assert len(model.requests) == asked
    second = visit(scripted_server, f"/t/{thread_of(page)}")
    expect(picker(second).locator("option:checked")).to_have_text("Demo model")
    picker(second).select_option(label="fake-1 (default)")
    expect(picker(page).locator("option:checked")).to_have_text("fake-1 (default)")
    model.script(says("Phobos."))
    send(page, "Name a moon of Mars.")
    expect(answer(page).get_by_test_id("model")).to_have_text("fake-1", timeout=SLOW)
    ended(page)
