"""An answer while it grows: nothing is lost and nothing comes twice, whatever the page does (G22).

The scripted model holds between pieces until the test has seen the one before.
"""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.pages import (
    SLOW,
    answer,
    card,
    composer,
    ended,
    messages,
    send,
    spoken,
    switch_on,
    thread_link,
    thread_of,
)
from tests.end_to_end.programs import Program
from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import function
from tests.support.fake_model import Answer, FakeModel, Hold, Step, delta, finish, says, streams

pytestmark = pytest.mark.usefixtures("watch")

Visit = Callable[..., Page]
Start = Callable[..., Program]

KINDS = ("word", "naïve", "日本語", "👩🏽‍🚀", "a̐é", "שלום")
WORDS = [f"{KINDS[number % len(KINDS)]}{number}" for number in range(1, 61)]
HOLDS = (10, 30, 40)
CALL_AFTER = 20


def piece(start: int, end: int, *more: Step) -> list[Step]:
    """Words number ``start`` + 1 to ``end``, one a chunk, held after those of HOLDS."""
    steps: list[Step] = []
    for number, word in enumerate(WORDS[start:end], start + 1):
        steps.append(delta(content=f"{word} " if number < len(WORDS) else word))
        if number in HOLDS:
            steps.append(Hold())
    return [*steps, *more]


def twenty_words_and_a_call() -> Answer:
    entry = {
        "index": 0,
        "id": "call_g22",
        "type": "function",
        "function": {"name": "mill__grind", "arguments": '{"seconds": 2}'},
    }
    return streams(*piece(0, CALL_AFTER, delta(tool_calls=[entry]), finish("tool_calls")))


def forty_more() -> Answer:
    return streams(*piece(CALL_AFTER, len(WORDS), finish("stop")))


def shows(page: Page, count: int) -> None:
    """Wait until the answer shows the first ``count`` words, and check that it shows just those."""
    expect(answer(page)).to_contain_text(WORDS[count - 1], timeout=SLOW)
    assert spoken(page) == " ".join(WORDS[:count])


@pytest.fixture
def mill(program: Start, scripted_server: Server) -> Program:
    """A program that serves ``mill`` and looks into threads."""
    mill = program(scripted_server)
    mill.serve("mill", function("grind"))
    return mill


@pytest.fixture
def asked(visit: Visit, scripted_server: Server, mill: Program, model: FakeModel) -> Page:
    """A page that has asked for the sixty words, and shows the first ten."""
    model.script(twenty_words_and_a_call())
    page = visit(scripted_server)
    switch_on(page, "mill")
    send(page, "Sixty words, please.")
    thread_of(page)
    shows(page, 10)
    return page


def is_whole(page: Page, mill: Program) -> None:
    """The thread shows one question, one call with its result and sixty words, as stored."""
    ended(page)
    question, stored = mill.ask("thread-open", {"thread": thread_of(page)})["messages"]
    assert question["content"] == "Sixty words, please."
    assert stored["content"].split() == WORDS
    assert [call["result"] for call in stored["calls"]] == ["flour"]
    expect(messages(page, "user")).to_have_count(1)
    expect(messages(page, "assistant")).to_have_count(1)
    expect(page.get_by_test_id("call")).to_have_count(1)
    expect(card(page)).to_have_attribute("data-status", "done")
    assert spoken(page) == " ".join(WORDS)
    copied(page, stored["content"])


def copied(page: Page, content: str) -> None:
    """What the answer's copy button gives is the stored text, letter for letter."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.bring_to_front()
    page.get_by_role("button", name="Copy the answer").click()
    expect(page.get_by_role("log").get_by_text("Copied.")).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()") == content


def go_past_the_call(mill: Program, model: FakeModel) -> None:
    """From word 10 to word 30."""
    model.script(forty_more())
    model.release()
    mill.answer(mill.next_call(), "flour")


def test_the_answer_grows_word_by_word_before_it_is_done(
    visit: Visit, scripted_server: Server, model: FakeModel
) -> None:
    page = visit(scripted_server)
    model.script(
        streams(
            delta(content="One "),
            Hold(),
            delta(content="two "),
            Hold(),
            delta(content="three."),
            finish("stop"),
        )
    )
    send(page, "Count.")
    for words in ("One", "One two"):
        expect(answer(page).get_by_text(words, exact=True)).to_be_visible()
        expect(answer(page)).to_have_attribute("aria-busy", "true")
        model.release()
    ended(page)
    assert spoken(page) == "One two three."
    expect(page.get_by_role("log").get_by_text("Answer: One two three.")).to_have_count(1)


def test_a_reload_at_word_ten_and_one_during_the_call_lose_and_double_nothing(
    asked: Page, mill: Program, model: FakeModel
) -> None:
    asked.reload()
    shows(asked, 10)
    model.release()
    call = mill.next_call()
    expect(card(asked)).to_have_attribute("data-status", "running")
    asked.reload()
    expect(card(asked)).to_have_attribute("data-status", "running", timeout=SLOW)
    shows(asked, 20)
    model.script(forty_more())
    mill.answer(call, "flour")
    shows(asked, 30)
    model.release()
    shows(asked, 40)
    model.release()
    is_whole(asked, mill)
    asked.reload()
    is_whole(asked, mill)


def test_another_thread_opened_and_left_again_loses_and_doubles_nothing(
    visit: Visit, scripted_server: Server, asked: Page, mill: Program, model: FakeModel
) -> None:
    thread = thread_of(asked)
    other = mill.ask("thread-create", {"title": "The other one"})["thread"]["id"]
    asked.reload()
    shows(asked, 10)
    thread_link(asked, "The other one").click()
    asked.wait_for_url(re.compile(other))
    go_past_the_call(mill, model)
    watcher = visit(scripted_server, f"/t/{thread}")
    shows(watcher, 30)
    model.release()
    shows(watcher, 40)
    asked.go_back()
    shows(asked, 40)
    model.release()
    is_whole(asked, mill)


def test_a_thread_left_while_it_answers_says_so_in_the_list(
    asked: Page, mill: Program, model: FakeModel
) -> None:
    listed = asked.locator(f'a[href="/t/{thread_of(asked)}"]')
    asked.get_by_test_id("new-chat").click()
    expect(listed.get_by_text("is answering")).to_have_count(1)
    go_past_the_call(mill, model)
    listed.click()
    shows(asked, 30)
    model.release()
    shows(asked, 40)
    asked.get_by_test_id("new-chat").click()
    model.release()
    expect(listed.get_by_text("is answering")).to_have_count(0)
    expect(asked.get_by_role("log").get_by_text("has its answer.")).to_have_count(1)
    listed.click()
    is_whole(asked, mill)


def test_a_closed_tab_changes_nothing_for_the_answer(
    visit: Visit, scripted_server: Server, asked: Page, mill: Program, model: FakeModel
) -> None:
    thread = thread_of(asked)
    go_past_the_call(mill, model)
    shows(asked, 30)
    asked.close()
    mill.ask("thread-open", {"thread": thread})
    model.release()
    until(mill, " ".join(WORDS[:40]))
    model.release()
    assert mill.event("run-finished")["run"]["status"] == "done"
    is_whole(visit(scripted_server, f"/t/{thread}"), mill)


def until(program: Program, text: str) -> None:
    """Wait until the deltas have told of the last word of ``text``."""
    heard = ""
    while text.split()[-1] not in heard:
        heard += program.event("message-delta")["text"]


def test_two_tabs_of_one_thread_agree_all_the_way(
    visit: Visit, scripted_server: Server, asked: Page, mill: Program, model: FakeModel
) -> None:
    second = visit(scripted_server, f"/t/{thread_of(asked)}")
    shows(second, 10)
    go_past_the_call(mill, model)
    for count in (30, 40):
        shows(asked, count)
        shows(second, count)
        model.release()
    is_whole(asked, mill)
    is_whole(second, mill)


def test_a_question_asked_in_one_tab_appears_in_the_other(
    visit: Visit, scripted_server: Server, model: FakeModel
) -> None:
    first = visit(scripted_server)
    model.script(says("Yes."), says("Still yes."))
    send(first, "Is it raining?")
    second = visit(scripted_server, f"/t/{thread_of(first)}")
    ended(second)
    send(first, "And now?")
    for page in (first, second):
        expect(messages(page, "user")).to_have_count(2)
        expect(answer(page)).to_contain_text("Still yes.")
        ended(page)


def test_stop_keeps_what_was_said_and_marks_it_also_after_a_reload(
    asked: Page, mill: Program, model: FakeModel
) -> None:
    asked.reload()
    shows(asked, 10)
    asked.get_by_role("button", name="Stop the answer").click()
    for _ in range(2):
        ended(asked, "stopped")
        expect(answer(asked).get_by_test_id("ending")).to_have_text("Stopped.")
        assert spoken(asked) == " ".join(WORDS[:10])
        asked.reload()
    (_, stored) = mill.ask("thread-open", {"thread": thread_of(asked)})["messages"]
    assert stored["content"].split() == WORDS[:10]
    assert model.requests[-1].left.wait(10)
    again(asked, model)


def again(page: Page, model: FakeModel) -> None:
    """The thread goes on."""
    model.script(says("Here again."))
    send(page, "Go on.")
    expect(answer(page)).to_contain_text("Here again.", timeout=SLOW)
    ended(page)


def test_escape_stops_the_answer(asked: Page, model: FakeModel) -> None:
    expect(composer(asked)).to_be_focused()
    asked.keyboard.press("Escape")
    ended(asked, "stopped")
    assert spoken(asked) == " ".join(WORDS[:10])
    again(asked, model)


def test_a_message_typed_while_an_answer_runs_waits_in_the_composer(
    asked: Page, mill: Program, model: FakeModel
) -> None:
    composer(asked).fill("What is next?")
    composer(asked).press("Enter")
    go_past_the_call(mill, model)
    shows(asked, 30)
    model.release()
    shows(asked, 40)
    model.release()
    is_whole(asked, mill)
    expect(composer(asked)).to_have_value("What is next?")
    model.script(says("This."))
    composer(asked).press("Enter")
    expect(answer(asked)).to_contain_text("This.")
    expect(messages(asked, "user")).to_have_count(2)
