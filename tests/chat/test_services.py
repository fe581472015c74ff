"""What threads remember, and for whom."""

import json
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from chat import services, turns, wire
from chat.exceptions import MessageNotFoundError, ThreadNotFoundError
from chat.models import Call, Message, Resource, Run, Thread
from chat.turns import Turn
from gateway.exceptions import BusyError
from gateway.limits import limits

pytestmark = pytest.mark.django_db(transaction=True)

NODE = "this-process"


@pytest.fixture
def ana() -> User:
    return User.objects.create_user("ana")


@pytest.fixture
def ben() -> User:
    return User.objects.create_user("ben")


@pytest.fixture
def thread(ana: User) -> Thread:
    return services.create_thread(ana.pk, "", [], "")


def send(thread: Thread, content: str, key: str = "", remotes: list[str] | None = None) -> Turn:
    return turns.begin(thread.user_id, thread.pk, content, remotes, key, NODE)


def end(turn: Turn, content: str = "", status: str = "done") -> None:
    turn.answer.content, turn.answer.status, turn.run.status = content, status, status
    turns.end(turn.run, turn.answer, [])


def say(thread: Thread, content: str, answer: str) -> Turn:
    turn = send(thread, content)
    end(turn, answer)
    return turn


def shown(thread: Thread, before: str | None = None) -> list[Any]:
    page = services.open_page(thread.user_id, thread.pk, before)
    return [json.loads(bytes(message)) for message in page.messages.values()]


def listed(user: User, query: str = "", before: str | None = None, limit: int = 50) -> list[str]:
    threads, _ = services.list_threads(user.pk, query, before, limit)
    return [json.loads(bytes(each))["id"] for each in threads]


def test_ids_of_other_users_are_as_unknown_as_made_up_ones(ben: User, thread: Thread) -> None:
    turn = say(thread, "secret", "words")
    for attempt in (
        lambda: services.thread_of(ben.pk, thread.pk),
        lambda: services.update_thread(ben.pk, thread.pk, title="mine"),
        lambda: services.delete_thread(ben.pk, thread.pk),
        lambda: services.open_page(ben.pk, thread.pk, None),
        lambda: services.list_threads(ben.pk, "", thread.pk, 10),
        lambda: turns.begin(ben.pk, thread.pk, "hello", None, "", NODE),
    ):
        with pytest.raises(ThreadNotFoundError):
            attempt()
    assert listed(ben) == []
    assert listed(ben, "secret") == []
    assert turns.repeated(ben.pk, thread.pk, turn.message.key) is None


def test_a_turn_is_a_users_message_and_a_streaming_answer(thread: Thread) -> None:
    send(thread, "How much\x00 space?", remotes=["laptop", "pi", "laptop"])
    asked, answer = shown(thread)
    assert (asked["role"], asked["content"]) == ("user", "How much\ufffd space?")
    assert (answer["role"], answer["content"], answer["status"]) == ("assistant", "", "streaming")
    assert asked["parent"] is None
    assert answer["parent"] == asked["id"]
    assert asked["siblings"] == [asked["id"]]
    row = services.thread_of(thread.user_id, thread.pk)
    assert row.title == "How much\ufffd space?"
    assert wire.remote_names(row.resources.all()) == ["laptop", "pi"]


def test_resources_stay_when_left_out_and_go_when_empty(thread: Thread) -> None:
    end(send(thread, "one", remotes=["laptop"]))
    end(send(thread, "two"))
    row = services.thread_of(thread.user_id, thread.pk)
    assert [each.content for each in row.resources.all()] == ["laptop"]
    end(send(thread, "three", remotes=[]))
    assert not Resource.objects.exists()


def test_a_second_message_during_a_run_is_refused_and_not_stored(thread: Thread) -> None:
    first = send(thread, "one")
    with pytest.raises(BusyError):
        send(thread, "two")
    assert Message.objects.filter(role="user").count() == 1
    end(first, "answer")
    send(thread, "two")
    assert [message["content"] for message in shown(thread)] == ["one", "answer", "two", ""]


def test_the_database_itself_admits_one_running_run_a_thread(thread: Thread) -> None:
    turn = send(thread, "one")
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.create(thread=thread, message=turn.answer, node="another-process")


def test_the_same_key_is_the_same_message_even_during_its_run(ana: User, thread: Thread) -> None:
    first = send(thread, "once", key="k")
    again = send(thread, "once", key="k")
    assert (again.message.pk, again.run.pk) == (first.message.pk, first.run.pk)
    assert (again.repeated, first.repeated) == (True, False)
    other = services.create_thread(ana.pk, "", [], "")
    assert not send(other, "once", key="k").repeated


def test_a_call_keeps_its_digits_and_its_place(thread: Thread) -> None:
    turn = send(thread, "go")
    call = Call(
        message=turn.answer, remotename="bench", function="echo", args='{"n":1.10}', offset=3
    )
    turns.save_call(turn.run, call, "abc")
    call.status, call.result, call.duration = Call.Status.DONE, "12345678901234567890.50", 0.25
    turns.save_call(turn.run, call, "abc")
    end(turn, "abcdef")
    raw = services.open_page(thread.user_id, thread.pk, None).messages[turn.answer.pk]
    assert b'"args":{"n":1.10}' in bytes(raw)
    assert b'"result":12345678901234567890.50' in bytes(raw)
    (told,) = json.loads(bytes(raw))["calls"]
    assert (told["status"], told["offset"], told["duration"]) == ("done", 3, 0.25)


def test_arguments_that_are_no_json_are_shown_as_the_text_they_are(thread: Thread) -> None:
    turn = send(thread, "go")
    call = Call(message=turn.answer, function="x", args='{"a":', status="error", error="bad")
    turns.save_call(turn.run, call, "")
    (told,) = shown(thread)[1]["calls"]
    assert told["args"] == '{"a":'
    assert "argsCut" not in told


def test_a_long_result_is_cut_in_the_message_and_read_by_parts(ben: User, thread: Thread) -> None:
    turn = send(thread, "go")
    result = json.dumps("ü" * 300_000, ensure_ascii=False)
    call = Call(message=turn.answer, function="x", args="{}", status="done", result=result)
    turns.save_call(turn.run, call, "")
    end(turn)
    (told,) = shown(thread)[1]["calls"]
    assert told["resultCut"] is True
    assert result.startswith(told["result"])
    assert len(msgspec.json.encode(told)) < limits.preview + 1024
    parts = [
        services.call_text(thread.user_id, call.pk, "result", start, 1000)
        for start in range(0, len(result), 1000)
    ]
    assert "".join(part or "" for part in parts) == result
    assert services.call_text(ben.pk, call.pk, "result", 0, 1000) is None


def test_a_message_with_many_large_calls_fits_one_frame(thread: Thread) -> None:
    turn = send(thread, "go")
    for position in range(100):
        text = json.dumps('"\x01' * limits.preview)
        call = Call(
            message=turn.answer, function="x" * 64, args=text, result=text, error=text,
            status="done", position=position,
        )  # fmt: skip
        turns.save_call(turn.run, call, "")
    end(turn, '"' * (limits.content // 2))
    raw = services.open_page(thread.user_id, thread.pk, None).messages[turn.answer.pk]
    assert len(bytes(raw)) < limits.frame_out - 64 * 1024


def test_a_thread_opens_at_its_newest_page_and_goes_back_page_by_page(thread: Thread) -> None:
    for number in range(services.PAGE):
        say(thread, f"q{number}", f"a{number}")
    expected = [f"{side}{number}" for number in range(services.PAGE) for side in "qa"]
    newest = shown(thread)
    assert services.open_page(thread.user_id, thread.pk, None).more
    oldest = shown(thread, newest[0]["id"])
    assert not services.open_page(thread.user_id, thread.pk, newest[0]["id"]).more
    assert [message["content"] for message in oldest + newest] == expected
    with pytest.raises(MessageNotFoundError):
        shown(thread, "no-such-message")


def test_only_the_branch_that_leads_to_the_head_is_shown(thread: Thread) -> None:
    turn = say(thread, "one", "first")
    other = Message.objects.create(
        thread=thread, parent=turn.message, role="assistant", content="second"
    )
    Thread.objects.filter(pk=thread.pk).update(head=other)
    messages = shown(thread)
    assert [message["content"] for message in messages] == ["one", "second"]
    assert messages[1]["siblings"] == [turn.answer.pk, other.pk]
    past = services.history(turn.answer)
    assert [message.content for message in past] == ["one", "first"]


def test_the_list_is_in_order_of_the_last_message_and_paged(ana: User) -> None:
    threads = [services.create_thread(ana.pk, f"t{number}", [], "") for number in range(5)]
    say(threads[1], "hello", "again")
    order = [threads[place].pk for place in (1, 4, 3, 2, 0)]
    assert listed(ana) == order
    first, more = services.list_threads(ana.pk, "", None, 2)
    assert (len(first), more) == (2, True)
    assert listed(ana, before=order[1]) == order[2:]
    services.update_thread(ana.pk, threads[0].pk, title="renamed", remotes=["laptop"])
    assert listed(ana) == order


def test_the_list_is_searched_in_titles_and_in_what_was_said(ana: User) -> None:
    titled = services.create_thread(ana.pk, "100 % Disk_check", [], "")
    spoken = services.create_thread(ana.pk, "Other", [], "")
    say(spoken, "hello", "The Invoice is ready")
    assert listed(ana, "disk_") == [titled.pk]
    assert listed(ana, "invoice") == [spoken.pk]
    assert listed(ana, "0 % d") == [titled.pk]
    assert listed(ana, "%%") == []


def test_a_page_of_threads_fits_one_frame(ana: User) -> None:
    for _ in range(20):
        services.create_thread(ana.pk, "", ["🔧" * 120 + str(name) for name in range(200)], "")
    page, more = services.list_threads(ana.pk, "", None, 100)
    assert more
    assert sum(len(bytes(each)) for each in page) < limits.frame_out


def test_what_another_process_left_running_gets_an_end(thread: Thread) -> None:
    turn = send(thread, "go")
    open_call = Call(message=turn.answer, function="slow", args="{}")
    settled = Call(message=turn.answer, function="echo", args="{}", status="done", result="1")
    turns.save_call(turn.run, open_call, "so far")
    turns.save_call(turn.run, settled, "so far")
    assert turns.interrupt_left(NODE) == 0
    assert turns.interrupt_left("next-process") == 1
    answer = shown(thread)[1]
    assert (answer["status"], answer["content"]) == ("interrupted", "so far")
    outcomes = {call["function"]: call["status"] for call in answer["calls"]}
    assert outcomes == {"slow": "interrupted", "echo": "done"}
    assert services.open_page(thread.user_id, thread.pk, None).run is None
    send(thread, "go on")


def test_deleting_a_thread_takes_everything_with_it(thread: Thread) -> None:
    turn = send(thread, "go", remotes=["laptop"])
    turns.save_call(turn.run, Call(message=turn.answer, function="x", args="{}"), "")
    services.delete_thread(thread.user_id, thread.pk)
    for model in (Thread, Message, Call, Run, Resource):
        assert not model.objects.exists()
    turns.end(turn.run, turn.answer, [])
    assert not Message.objects.exists()


def test_an_id_of_odd_characters_is_not_found(thread: Thread) -> None:
    for odd in ("", "\x00", "x" * 100_000, "\ufffd"):
        with pytest.raises(ThreadNotFoundError):
            services.thread_of(thread.user_id, odd)
        assert services.call_text(thread.user_id, odd, "args", 0, 10) is None
        with pytest.raises(MessageNotFoundError):
            services.open_page(thread.user_id, thread.pk, odd)


def test_a_key_may_hold_any_character(thread: Thread) -> None:
    first = send(thread, "once", key="a\x00")
    assert send(thread, "once", key="a\x00").message.pk == first.message.pk
