"""Branches on the page: questions written anew, answers asked for again, and the ways between."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.end_to_end.pages import (
    SERVER_AWAY,
    SLOW,
    Watch,
    answer,
    composer,
    connected,
    ended,
    messages,
    send,
    thread_of,
)
from tests.end_to_end.servers import Server
from tests.support.fake_model import FakeModel, Hold, delta, finish, refuses, says, streams

Visit = Callable[..., Page]


@pytest.fixture
def page(visit: Visit, scripted_server: Server) -> Page:
    return visit(scripted_server)


def ask(page: Page, model: FakeModel, question: str, words: str) -> None:
    model.script(says(words))
    send(page, question)
    expect(messages(page, "user").last).to_contain_text(question)
    said(page, words)


def said(page: Page, words: str) -> None:
    """Wait until the last answer is whole and reads so."""
    expect(answer(page).locator(".text")).to_have_text(words, timeout=SLOW)
    ended(page)


def begin_edit(page: Page, number: int) -> Locator:
    """Start to write a question anew; returns the field."""
    question = messages(page, "user").nth(number)
    question.hover()
    question.get_by_role("button", name="Edit your message").click()
    return editor(page)


def editor(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Edit your message")


def answer_again(page: Page) -> None:
    answer(page).hover()
    answer(page).get_by_role("button", name="Answer again").click()


def shown(page: Page) -> list[str]:
    return page.locator(".bubble, .text").all_inner_texts()


def arrow(message: Locator, label: str) -> Locator:
    return message.get_by_role("button", name=label)


def test_an_edited_question_takes_the_place_of_what_came_after_it(
    page: Page, model: FakeModel
) -> None:
    ask(page, model, "Name a moon of Mars.", "Phobos.")
    ask(page, model, "And of Saturn?", "Titan.")
    field = begin_edit(page, 0)
    expect(field).to_have_value("Name a moon of Mars.")
    expect(field).to_be_focused()
    model.script(says("Europa."))
    field.fill("Name a moon of Jupiter.")
    page.keyboard.press("Enter")
    said(page, "Europa.")
    assert shown(page) == ["Name a moon of Jupiter.", "Europa."]
    expect(composer(page)).to_be_focused()
    assert [each["content"] for each in model.requests[-1].messages[1:]] == [
        "Name a moon of Jupiter."
    ]


def test_the_arrows_lead_from_version_to_version_with_all_that_followed(
    page: Page, model: FakeModel
) -> None:
    ask(page, model, "Name a moon of Mars.", "Phobos.")
    ask(page, model, "And of Saturn?", "Titan.")
    model.script(says("Europa."))
    begin_edit(page, 0).fill("Name a moon of Jupiter.")
    page.get_by_role("button", name="Ask this instead").click()
    said(page, "Europa.")
    first = messages(page, "user").first
    expect(first.get_by_test_id("versions")).to_contain_text("2/2")
    expect(arrow(first, "Later version")).to_be_disabled()
    arrow(first, "Earlier version").click()
    expect(first.get_by_test_id("versions")).to_contain_text("1/2")
    assert shown(page) == ["Name a moon of Mars.", "Phobos.", "And of Saturn?", "Titan."]
    expect(arrow(first, "Later version")).to_be_focused()
    page.keyboard.press("Enter")
    expect(first.get_by_test_id("versions")).to_contain_text("2/2")
    assert shown(page) == ["Name a moon of Jupiter.", "Europa."]


def test_another_answer_stands_beside_the_old_one_in_every_tab_and_after_a_reload(
    page: Page, model: FakeModel, visit: Visit, scripted_server: Server
) -> None:
    ask(page, model, "Name a moon of Mars.", "Phobos.")
    second = visit(scripted_server, f"/t/{thread_of(page)}")
    model.script(says("Deimos."))
    answer_again(page)
    for each in (page, second):
        said(each, "Deimos.")
        expect(answer(each).get_by_test_id("versions")).to_contain_text("2/2")
        assert shown(each) == ["Name a moon of Mars.", "Deimos."]
    arrow(answer(second), "Earlier version").click()
    for each in (page, second):
        said(each, "Phobos.")
        expect(answer(each).get_by_test_id("versions")).to_contain_text("1/2")
    page.reload()
    said(page, "Phobos.")
    expect(answer(page).get_by_test_id("versions")).to_contain_text("1/2")


def test_no_other_version_can_be_asked_for_or_shown_while_one_is_written(
    page: Page, model: FakeModel
) -> None:
    ask(page, model, "Name a moon of Mars.", "Phobos.")
    model.script(streams(delta(content="Dei"), Hold(), delta(content="mos."), finish("stop")))
    answer_again(page)
    expect(answer(page)).to_contain_text("Dei")
    expect(answer(page).get_by_role("button", name="Answer again")).to_have_count(0)
    question = messages(page, "user").first
    expect(question.get_by_role("button", name="Edit your message")).to_be_disabled()
    model.release()
    said(page, "Deimos.")
    expect(question.get_by_role("button", name="Edit your message")).to_be_enabled()


def test_a_failed_answer_is_asked_for_again_in_its_place(page: Page, model: FakeModel) -> None:
    model.script(refuses(400, "I would rather not."))
    send(page, "Name a moon of Mars.")
    ended(page, "failed")
    model.script(says("Phobos."))
    answer(page).get_by_role("button", name="Ask again").click()
    said(page, "Phobos.")
    assert shown(page) == ["Name a moon of Mars.", "Phobos."]
    expect(answer(page).get_by_test_id("versions")).to_contain_text("2/2")


def test_escape_leaves_the_question_as_it_is(page: Page, model: FakeModel) -> None:
    ask(page, model, "Name a moon of Mars.", "Phobos.")
    begin_edit(page, 0).fill("Never mind")
    page.keyboard.press("Escape")
    expect(editor(page)).to_have_count(0)
    assert shown(page) == ["Name a moon of Mars.", "Phobos."]
    expect(page.get_by_role("button", name="Edit your message")).to_be_focused()


def test_the_arrow_up_in_an_empty_field_edits_the_last_question(
    page: Page, model: FakeModel
) -> None:
    ask(page, model, "Name a moon of Mars.", "Phobos.")
    ask(page, model, "And of Saturn?", "Titan.")
    composer(page).fill("a draft")
    composer(page).press("ArrowUp")
    expect(editor(page)).to_have_count(0)
    composer(page).fill("")
    composer(page).press("ArrowUp")
    expect(editor(page)).to_have_value("And of Saturn?")
    page.keyboard.press("Escape")
    expect(composer(page)).to_be_focused()
    composer(page).press("ArrowUp")
    model.script(says("Triton."))
    editor(page).fill("And of Neptune?")
    page.keyboard.press("Enter")
    said(page, "Triton.")
    assert shown(page) == ["Name a moon of Mars.", "Phobos.", "And of Neptune?", "Triton."]


def test_an_edit_that_comes_while_another_tab_asks_is_kept_and_says_why(
    page: Page, model: FakeModel, visit: Visit, scripted_server: Server
) -> None:
    ask(page, model, "Name a moon of Mars.", "Phobos.")
    begin_edit(page, 0).fill("Name a moon of Jupiter.")
    second = visit(scripted_server, f"/t/{thread_of(page)}")
    model.script(streams(delta(content="Tit"), Hold(), delta(content="an."), finish("stop")))
    send(second, "And of Saturn?")
    expect(answer(page)).to_contain_text("Tit")
    expect(editor(page)).to_have_value("Name a moon of Jupiter.")
    expect(page.get_by_role("button", name="Ask this instead")).to_be_disabled()
    model.release()
    said(page, "Titan.")
    model.script(says("Europa."))
    page.get_by_role("button", name="Ask this instead").click()
    said(page, "Europa.")
    assert shown(page) == ["Name a moon of Jupiter.", "Europa."]


def test_an_edit_made_while_the_server_is_away_is_sent_once_when_it_is_back(
    start_server: Callable[..., Server], visit: Visit, model: FakeModel, watch: Watch
) -> None:
    watch.expected.append(SERVER_AWAY)
    server = start_server(env={"OPENAI_BASE_URL": model.url})
    page = visit(server)
    ask(page, model, "Name a moon of Mars.", "Phobos.")
    begin_edit(page, 0).fill("Name a moon of Jupiter.")
    server.stop()
    expect(page.get_by_test_id("connection-strip")).to_be_visible(timeout=SLOW)
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("rewrite")).to_contain_text("as soon as the connection is back")
    model.script(says("Europa."))
    server.start()
    connected(page)
    said(page, "Europa.")
    expect(editor(page)).to_have_count(0)
    expect(messages(page, "user").get_by_test_id("versions")).to_contain_text("2/2")
    assert shown(page) == ["Name a moon of Jupiter.", "Europa."]
