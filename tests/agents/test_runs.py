"""What a run stores and tells, whatever the agent does."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from agents import runs
from agents.agent import Agent
from agents.events import (
    Asked,
    CallChanged,
    CallFinished,
    CallStarted,
    Event,
    Finished,
    ReasoningDelta,
    RunInput,
    TextDelta,
)
from chat import services, topics, turns
from chat.models import Call, Message, Resource, Thread
from chat.turns import Turn
from gateway import nodes
from gateway.credentials import Identity
from gateway.database import in_database
from gateway.sessions import Session

pytestmark = pytest.mark.django_db(transaction=True)

STARTED = CallStarted("c1", "bench", "slow", '{"seconds": 1}')
RUNNING = CallChanged("c1", "running", '{"seconds": 1}')


class Script:
    """An agent that tells these events; it waits where an event is None, until ``go``."""

    def __init__(self, *steps: Event | Exception | None) -> None:
        self.inputs: list[RunInput] = []
        self.go = asyncio.Event()
        self.left = False
        self._steps = steps

    async def run(self, run_input: RunInput) -> AsyncGenerator[Event]:
        self.inputs.append(run_input)
        try:
            for step in self._steps:
                if isinstance(step, Exception):
                    raise step
                if step is None:
                    await self.go.wait()
                else:
                    yield step
            yield Finished("done", model="script", usage={"total": 3})
        finally:
            self.left = True


class Page:
    """A socket that has the thread open, and the frames that it was sent."""

    def __init__(self, thread: Thread) -> None:
        self.frames: list[Any] = []
        self._came = asyncio.Condition()
        self._session = Session(Identity(thread.user_id, "ana", "cookie", "key"), self._send)
        topics.subscribe(self._session, thread.pk)

    async def _send(self, message: dict[str, Any]) -> None:
        async with self._came:
            self.frames.append(json.loads(message["text"]))
            self._came.notify_all()

    async def until(self, action: str, count: int = 1) -> Any:
        """The payload of the ``count``-th frame of that kind, once it has come."""
        async with asyncio.timeout(10), self._came:
            await self._came.wait_for(lambda: len(self.of(action)) >= count)
        return self.of(action)[count - 1]

    def of(self, action: str) -> list[Any]:
        """The payloads of all frames of that kind so far."""
        return [frame["payload"] for frame in self.frames if frame["action"] == action]

    def text(self) -> str:
        """The answer's text as the deltas make it."""
        text = ""
        for piece in self.of("message-delta"):
            assert piece["offset"] == len(text)
            text += piece["text"]
        return text


@pytest.fixture
def thread() -> Thread:
    user = User.objects.create_user("ana")
    return services.create_thread(user.pk, "", ["bench"], "some-model")


@pytest.fixture
async def tab(thread: Thread) -> Page:
    return Page(thread)


@pytest.fixture(autouse=True)
def _no_run_left() -> Iterator[None]:
    yield
    assert nodes.gauges()["runs"] == 0


async def begin(thread: Thread, script: Script, content: str = "go") -> Turn:
    turn = await in_database(
        turns.begin, thread.user_id, thread.pk, content, None, "", nodes.boot_id
    )
    await Agent(script.run).received_message(turn)
    return turn


async def ended(tab: Page, count: int = 1) -> Any:
    """The run, once it has ended, and the thread's tab knows its new place in the list."""
    run = (await tab.until("run-finished", count))["run"]
    await tab.until("thread-changed", 2 * count)
    return run


async def stored(thread: Thread) -> Message:
    return await Message.objects.prefetch_related("calls").aget(thread=thread, role="assistant")


async def test_the_agent_gets_the_branch_and_the_names_in_the_threads_resources(
    thread: Thread, tab: Page
) -> None:
    def attach() -> None:
        Resource.objects.create(thread=thread, subkind="remote", content="pi", position=1)
        Resource.objects.create(thread=thread, subkind="remote", content="bench", position=2)
        Resource.objects.create(thread=thread, subkind="note", content="no-remote", position=3)

    await in_database(attach)
    finished = CallFinished("c1", "done", 0.5, result="1.10")
    await begin(thread, Script(TextDelta("I'll look."), STARTED, RUNNING, finished), "first")
    await ended(tab)
    script = Script(TextDelta("Yes."))
    await begin(thread, script, "second")
    await ended(tab, 2)
    (given,) = script.inputs
    assert (given.user_id, given.thread, given.model) == (thread.user_id, thread.pk, "some-model")
    assert list(given.remotes) == ["bench", "pi"]
    assert [(turn.role, turn.content) for turn in given.history] == [
        ("user", "first"),
        ("assistant", "I'll look."),
        ("user", "second"),
    ]
    (call,) = given.history[1].calls
    assert (call.function, call.offset, call.status, call.result) == ("slow", 10, "done", "1.10")


async def test_a_second_answer_is_told_alone_and_as_one_of_two(thread: Thread, tab: Page) -> None:
    first = await begin(thread, Script(TextDelta("Yes.")))
    await ended(tab)
    turn = await in_database(turns.regenerate, thread.user_id, first.answer, "", nodes.boot_id)
    script = Script(TextDelta("No."))
    await Agent(script.run).received_message(turn)
    await ended(tab, 2)
    assert [each.content for each in script.inputs[0].history] == ["go"]
    created = [each["message"] for each in tab.of("message-created")[2:]]
    finished = tab.of("message-finished")[1]["message"]
    both = [first.answer.pk, turn.answer.pk]
    assert [each["siblings"] for each in (*created, finished)] == [both, both]
    assert (finished["id"], finished["content"]) == (turn.answer.pk, "No.")


async def test_text_goes_out_in_batches_counted_in_code_points_the_first_at_once(
    thread: Thread, tab: Page
) -> None:
    words = [TextDelta(f"🔧 w{number} ") for number in range(500)]
    script = Script(words[0], None, *words[1:])
    await begin(thread, script)
    first = await tab.until("message-delta")
    assert (first["offset"], first["text"]) == (0, "🔧 w0 ")
    script.go.set()
    await ended(tab)
    whole = "".join(word.text for word in words)
    assert tab.text() == whole == (await stored(thread)).content
    assert len(tab.of("message-delta")) < 100


async def test_what_no_database_holds_is_replaced_live_and_stored_alike(
    thread: Thread, tab: Page
) -> None:
    odd = CallStarted("c1", "bench", "f\x00", '{"a": "\\u0000"}')
    end = CallFinished("c1", "error", 0.1, error="boom\x00", code="remote-error")
    await begin(thread, Script(TextDelta("a\x00b \ud83d"), odd, end))
    await ended(tab)
    assert tab.text() == (await stored(thread)).content == "a\ufffdb \ufffd"
    (call,) = (await tab.until("message-finished"))["message"]["calls"]
    assert call == tab.of("call-updated")[-1]["call"]
    assert (call["function"], call["args"]) == ("f\ufffd", {"a": "\ufffd"})
    assert (call["error"], call["code"]) == ("boom\ufffd", "remote-error")


async def test_the_end_tells_and_stores_the_model_and_its_usage(thread: Thread, tab: Page) -> None:
    await begin(thread, Script(TextDelta("Yes.")))
    assert (await ended(tab))["status"] == "done"
    message = (await tab.until("message-finished"))["message"]
    assert (message["status"], message["model"], message["usage"]) == (
        "done",
        "script",
        {"total": 3},
    )
    row = await stored(thread)
    assert (row.status, row.model, row.usage) == ("done", "script", {"total": 3})


async def test_an_agent_that_breaks_ends_the_run_with_a_sentence_and_a_trace(
    thread: Thread, tab: Page, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="agents.runs"):
        await begin(thread, Script(TextDelta("So far"), STARTED, RUNNING, ValueError("secret")))
        run = await ended(tab)
    assert (run["status"], run["error"]) == ("failed", runs.FAILED)
    assert "secret" in caplog.text
    row = await stored(thread)
    assert (row.status, row.content, row.error) == ("failed", "So far", runs.FAILED)
    (call,) = row.calls.all()
    assert (call.status, call.code) == ("error", "cancelled")
    assert "may have run" in call.error


@pytest.mark.parametrize(
    ("steps", "error"),
    [
        ([STARTED, RUNNING], "may have run"),
        ([STARTED, CallChanged("c1", "awaiting-approval", "{}")], "did not run"),
    ],
)
async def test_a_stopped_call_says_whether_it_may_have_run(
    thread: Thread, tab: Page, steps: Sequence[Event], error: str
) -> None:
    await begin(thread, Script(*steps, None))
    await tab.until("call-created")
    if steps[-1] is not RUNNING:
        await tab.until("call-updated")
    run = await runs.stop(thread.pk)
    assert run is not None
    assert run.status == "stopped"
    (call,) = (await stored(thread)).calls.all()
    assert call.status == "stopped"
    assert error in call.error


async def test_an_agent_that_will_not_leave_is_left_behind(thread: Thread, tab: Page) -> None:
    stay = asyncio.Event()

    async def stubborn(run_input: RunInput) -> AsyncGenerator[Event]:
        try:
            yield TextDelta("So far")
            await asyncio.Event().wait()
        finally:
            await stay.wait()
            yield TextDelta(" and on")

    turn = await in_database(turns.begin, thread.user_id, thread.pk, "go", None, "", nodes.boot_id)
    await Agent(stubborn).received_message(turn)
    await tab.until("message-delta")
    async with asyncio.timeout(1):
        await runs.stop(thread.pk)
    stay.set()
    await ended(tab)
    row = await stored(thread)
    assert (row.status, row.content) == ("stopped", "So far")


async def test_a_run_cancelled_by_what_it_waits_for_fails_and_frees_its_thread(
    thread: Thread, tab: Page
) -> None:
    async def cancelled(run_input: RunInput) -> AsyncGenerator[Event]:
        yield TextDelta("So far")
        raise asyncio.CancelledError

    turn = await in_database(turns.begin, thread.user_id, thread.pk, "go", None, "", nodes.boot_id)
    await Agent(cancelled).received_message(turn)
    run = await ended(tab)
    assert (run["status"], run["error"]) == ("failed", runs.FAILED)
    assert (await stored(thread)).content == "So far"


async def test_stopping_closes_what_the_agent_has_open(thread: Thread, tab: Page) -> None:
    script = Script(TextDelta("So far"), None)
    await begin(thread, script)
    await tab.until("message-delta")
    await runs.stop(thread.pk)
    assert script.left
    assert await runs.stop(thread.pk) is None


async def test_a_call_is_stored_with_the_text_before_it_while_it_runs(
    thread: Thread, tab: Page
) -> None:
    script = Script(TextDelta("I'll look."), STARTED, TextDelta("…"), None)
    await begin(thread, script)
    await tab.until("message-delta", 2)
    row = await stored(thread)
    assert (row.content, row.status) == ("I'll look.", "streaming")
    (call,) = row.calls.all()
    assert (call.pk, call.offset, call.status) == ("c1", 10, "running")
    script.go.set()
    await ended(tab)


async def test_thoughts_are_told_and_stored_beside_the_text(thread: Thread, tab: Page) -> None:
    script = Script(ReasoningDelta("Hm "), ReasoningDelta("🎉\x00"), TextDelta("Yes."), None)
    turn = await begin(thread, script)
    await tab.until("message-delta")
    live = runs.of_thread(thread.pk)
    assert live is not None
    assert live.answer.object()["reasoning"] == "Hm 🎉\ufffd"
    script.go.set()
    message = (await tab.until("message-finished"))["message"]
    assert (message["reasoning"], message["content"]) == ("Hm 🎉\ufffd", "Yes.")
    pieces = tab.of("message-reasoning")
    assert "".join(piece["text"] for piece in pieces) == "Hm 🎉\ufffd"
    assert [piece["offset"] for piece in pieces] == [0, 3][: len(pieces)]
    assert pieces[0]["message"] == turn.answer.pk
    await ended(tab)
    assert (await stored(thread)).reasoning == "Hm 🎉\ufffd"


async def test_thoughts_without_end_are_kept_up_to_a_length(thread: Thread, tab: Page) -> None:
    await begin(thread, Script(*[ReasoningDelta("ä" * 10_000)] * 20, TextDelta("Yes.")))
    await ended(tab)
    message = await stored(thread)
    assert message.content == "Yes."
    assert message.reasoning.endswith("ä\n\n[…]")
    assert 60 * 1024 < len(message.reasoning.encode()) < 65 * 1024
    assert "".join(piece["text"] for piece in tab.of("message-reasoning")) == message.reasoning


async def test_a_stopped_answer_tells_which_model_it_was_and_what_it_saw(
    thread: Thread, tab: Page
) -> None:
    await begin(thread, Script(Asked("script", "first"), TextDelta("So"), None))
    await tab.until("message-delta")
    await runs.stop(thread.pk)
    message = (await tab.until("message-finished"))["message"]
    assert (message["status"], message["model"]) == ("stopped", "script")
    assert message["historyFrom"] == "first"
    await ended(tab)
    row = await stored(thread)
    assert (row.model, row.history_from) == ("script", "first")


async def test_thoughts_alone_are_stored_soon(thread: Thread, tab: Page) -> None:
    script = Script(ReasoningDelta("Hm."), None)
    await begin(thread, script)
    async with asyncio.timeout(10):
        while (await stored(thread)).reasoning != "Hm.":
            continue
    script.go.set()
    await ended(tab)


async def test_text_is_stored_soon_though_the_model_says_no_more(thread: Thread, tab: Page) -> None:
    script = Script(TextDelta("So far"), None)
    await begin(thread, script)
    async with asyncio.timeout(5):
        while (await stored(thread)).content != "So far":
            continue
    script.go.set()
    await ended(tab)


async def test_a_flood_of_progress_is_told_in_batches_and_its_last_word_arrives(
    thread: Thread, tab: Page
) -> None:
    flood = [
        CallChanged("c1", "running", STARTED.args, {"progress": number}) for number in range(1000)
    ]
    end = CallFinished("c1", "done", 1.0, result="null")
    script = Script(STARTED, *flood, None, end)
    await begin(thread, script)
    async with asyncio.timeout(10):
        while not [each for each in tab.of("call-updated") if _progress(each) == 999]:
            await tab.until("call-updated", len(tab.of("call-updated")) + 1)
    assert len(tab.of("call-updated")) < 200
    script.go.set()
    await ended(tab)
    last = tab.of("call-updated")[-1]["call"]
    assert (last["status"], last["result"]) == ("done", None)
    assert "progress" not in last


def _progress(payload: Any) -> object:
    return payload["call"].get("progress", {}).get("progress")


AWAY = "SELECT * FROM no_such_table"
"""Fails as a database does that can't be reached."""
REFUSED = "SELECT RAISE(ABORT, 'refused')"
"""Fails as a value does that the database never takes."""


async def test_an_end_that_the_database_refuses_is_stored_when_it_is_back(
    thread: Thread, tab: Page, caplog: pytest.LogCaptureFixture
) -> None:
    script = Script(TextDelta("Yes."), None)
    await begin(thread, script)
    await tab.until("message-delta")
    await in_database(_on_update, "chat_run", AWAY)
    script.go.set()
    await _logged(caplog, thread, "end could not be stored")
    assert tab.of("run-finished") == []
    await in_database(_execute, "DROP TRIGGER fault")
    assert (await ended(tab))["status"] == "done"
    assert (await stored(thread)).status == "done"


async def test_the_outcome_of_a_call_that_the_database_refuses_is_stored_with_the_end(
    thread: Thread, tab: Page, caplog: pytest.LogCaptureFixture
) -> None:
    script = Script(STARTED, RUNNING, None, CallFinished("c1", "done", 0.5, result="1.10"))
    await begin(thread, script)
    await _call_stored()
    await in_database(_on_update, "chat_call", AWAY)
    script.go.set()
    await _logged(caplog, thread, "A run failed")
    await in_database(_execute, "DROP TRIGGER fault")
    assert (await ended(tab))["status"] == "failed"
    (call,) = (await stored(thread)).calls.all()
    assert (call.status, call.result, call.error) == ("done", "1.10", "")


async def test_an_end_that_the_database_never_takes_is_stored_as_a_failure(
    thread: Thread, tab: Page
) -> None:
    script = Script(TextDelta("Yes."), STARTED, RUNNING, None)
    await begin(thread, script)
    await _call_stored()
    await in_database(_on_update, "chat_message", REFUSED, "NEW.model = 'script'")
    script.go.set()
    assert (await ended(tab))["error"] == runs.UNSTORED
    assert (await tab.until("message-finished"))["message"]["error"] == runs.UNSTORED
    await in_database(_execute, "DROP TRIGGER fault")
    row = await stored(thread)
    assert (row.status, row.error, row.content) == ("failed", runs.UNSTORED, "Yes.")
    (call,) = row.calls.all()
    assert (call.status, call.code) == ("error", "cancelled")
    await begin(thread, Script(TextDelta("Again.")), "again")
    assert (await ended(tab, 2))["status"] == "done"


async def _logged(caplog: pytest.LogCaptureFixture, thread: Thread, words: str) -> None:
    async with asyncio.timeout(10):
        while words not in caplog.text:
            await stored(thread)


async def _call_stored() -> None:
    async with asyncio.timeout(10):
        while not await Call.objects.aexists():
            continue


def _on_update(table: str, fault: str, condition: str = "TRUE") -> None:
    """Have updates of a table fail, until the trigger is dropped."""
    if connection.vendor != "sqlite":
        pytest.skip("The trigger is written for SQLite.")
    _execute(f"CREATE TRIGGER fault BEFORE UPDATE ON {table} WHEN {condition} BEGIN {fault}; END")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


async def test_the_name_of_a_made_up_function_is_kept_up_to_a_length(
    thread: Thread, tab: Page
) -> None:
    await begin(thread, Script(CallStarted("c1", "", "ä" * 100_000, "{}")))
    await ended(tab)
    (call,) = (await stored(thread)).calls.all()
    assert call.function == "ä" * 128
    assert tab.of("call-created")[0]["call"]["function"] == call.function


async def test_a_run_in_a_deleted_thread_ends_without_a_trace(thread: Thread, tab: Page) -> None:
    script = Script(TextDelta("Yes."), None)
    await begin(thread, script)
    await tab.until("message-delta")
    await in_database(services.delete_thread, thread.user_id, thread.pk)
    script.go.set()
    await tab.until("run-finished")
    assert not await Message.objects.aexists()
    assert not await Call.objects.aexists()
