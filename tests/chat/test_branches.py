"""What a thread remembers of its branches."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat import services, turns
from chat.exceptions import MessageNotFoundError, ThreadNotFoundError
from chat.models import Message, Run, Thread
from chat.tree import Tree
from chat.turns import Turn
from gateway.exceptions import BusyError

pytestmark = pytest.mark.django_db(transaction=True)

NODE = "this-process"


@pytest.fixture
def thread() -> Thread:
    user = User.objects.create_user("ana")
    return services.create_thread(user.pk, "", [], "")


def end(turn: Turn, answer: str) -> Turn:
    turn.answer.content, turn.answer.status, turn.run.status = answer, "done", "done"
    turns.end(turn.run, turn.answer, [])
    return turn


def say(thread: Thread, content: str, answer: str) -> Turn:
    return end(turns.begin(thread.user_id, thread.pk, content, None, "", NODE), answer)


def edit(turn: Turn, content: str, answer: str, key: str = "") -> Turn:
    user_id = turn.thread.user_id
    return end(turns.edit(user_id, turn.message, content, key, NODE), answer)


def regenerate(turn: Turn, answer: str, key: str = "") -> Turn:
    return end(turns.regenerate(turn.thread.user_id, turn.answer, key, NODE), answer)


def select(message: Message) -> None:
    turns.select(message.thread.user_id, message)


def shown(thread: Thread) -> list[Any]:
    page = services.open_page(thread.user_id, thread.pk, None)
    return [json.loads(bytes(message)) for message in page.messages.values()]


def texts(thread: Thread) -> list[str]:
    return [message["content"] for message in shown(thread)]


def test_each_way_to_answer_adds_what_it_says_and_shows_it(thread: Thread) -> None:
    one = say(thread, "one", "first")
    two = say(thread, "two", "second")
    again = regenerate(two, "other")
    assert (again.message, again.is_first) == (two.message, False)
    assert again.answer_siblings == [two.answer.pk, again.answer.pk]
    assert texts(thread) == ["one", "first", "two", "other"]
    edited = edit(one, "1\x00", "I")
    assert edited.is_first
    assert edited.siblings == [one.message.pk, edited.message.pk]
    assert texts(thread) == ["1\ufffd", "I"]
    assert Message.objects.count() == 7


def test_the_branches_of_a_message_differ_in_nothing_before_it(thread: Thread) -> None:
    one = say(thread, "one", "first")
    two = say(thread, "two", "second")
    third = edit(two, "2", "II")
    for turn in (two, third):
        history = services.history(turn.message)
        assert history[:2] == [one.message, one.answer]
        assert history[2:] == [turn.message]


def test_an_answer_moves_its_thread_in_the_list_and_a_selection_does_not(thread: Thread) -> None:
    old = say(thread, "one", "first")
    before = services.thread_of(thread.user_id, thread.pk).updated_at
    regenerate(old, "other")
    after = services.thread_of(thread.user_id, thread.pk).updated_at
    assert after > before
    select(old.answer)
    assert texts(thread) == ["one", "first"]
    assert services.thread_of(thread.user_id, thread.pk).updated_at == after


def test_a_branch_ends_where_it_was_shown_last_or_else_where_it_was_written_last(
    thread: Thread,
) -> None:
    one = say(thread, "one", "first")
    older = say(thread, "two", "older")
    regenerate(older, "newer")
    aside = edit(one, "1", "aside")
    select(one.message)
    assert texts(thread) == ["one", "first", "two", "newer"]
    select(older.answer)
    select(aside.answer)
    assert texts(thread) == ["1", "aside"]
    select(one.answer)
    assert texts(thread) == ["one", "first", "two", "older"]
    say(thread, "three", "last")
    select(aside.message)
    select(older.message)
    assert texts(thread)[-2:] == ["three", "last"]


def test_selecting_what_is_shown_changes_nothing(thread: Thread) -> None:
    one = say(thread, "one", "first")
    two = say(thread, "two", "second")
    before = shown(thread)
    for message in (one.message, one.answer, two.message, two.answer):
        select(message)
        assert shown(thread) == before


def test_a_run_under_way_admits_no_branch(thread: Thread) -> None:
    one = say(thread, "one", "first")
    running = turns.begin(thread.user_id, thread.pk, "two", None, "", NODE)
    before = shown(thread)
    for attempt in (
        lambda: turns.edit(thread.user_id, one.message, "1", "", NODE),
        lambda: turns.regenerate(thread.user_id, one.answer, "", NODE),
        lambda: turns.select(thread.user_id, one.answer),
    ):
        with pytest.raises(BusyError):
            attempt()
    assert shown(thread) == before
    end(running, "second")
    regenerate(one, "other")


def test_a_key_is_used_once_in_its_thread_whatever_it_began(thread: Thread) -> None:
    one = say(thread, "one", "first")
    for turn in (edit(one, "1", "I", key="e"), regenerate(one, "other", key="r")):
        for repeated in (
            turns.edit(thread.user_id, one.message, "1", turn.message.key or "r", NODE),
            turns.regenerate(thread.user_id, one.answer, turn.message.key or "r", NODE),
        ):
            assert repeated.repeated
            assert (repeated.message, repeated.answer) == (turn.message, turn.answer)
            assert repeated.run == turn.run
    assert Run.objects.count() == 3


def test_a_server_that_died_while_it_answered_again_leaves_both_answers(thread: Thread) -> None:
    old = say(thread, "one", "first")
    turn = turns.regenerate(thread.user_id, old.answer, "", NODE)
    turns.save_text(turn.run, "so far")
    turns.interrupt_left("next-process")
    answer = shown(thread)[1]
    assert (answer["content"], answer["status"]) == ("so far", "interrupted")
    assert answer["siblings"] == [old.answer.pk, turn.answer.pk]
    select(old.answer)
    assert texts(thread) == ["one", "first"]


def test_messages_of_others_and_of_deleted_threads_are_not_found(thread: Thread) -> None:
    turn = say(thread, "one", "first")
    ben = User.objects.create_user("ben")
    for odd in (turn.message.pk, turn.answer.pk, "", "\x00", "x" * 100_000):
        with pytest.raises(MessageNotFoundError):
            services.message_of(ben.pk, odd)
    found = services.message_of(thread.user_id, turn.answer.pk)
    services.delete_thread(thread.user_id, thread.pk)
    with pytest.raises(ThreadNotFoundError):
        regenerate(turn, "other")
    with pytest.raises(ThreadNotFoundError):
        turns.select(thread.user_id, found)
    with pytest.raises(MessageNotFoundError):
        services.message_object(found)


def test_a_very_long_branch_has_its_end(thread: Thread) -> None:
    ids = [f"m{number:05}" for number in range(5000)]
    Message.objects.bulk_create(
        Message(id=each, thread=thread, parent_id=parent, role="user")
        for each, parent in zip(ids, [None, *ids], strict=False)
    )
    tree = Tree(thread.pk)
    assert tree.leaves(ids[0]) == [ids[-1]]
    assert tree.branch(ids[-1]) == ids
