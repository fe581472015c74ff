"""The conversation as sockets see it, with the demo model answering."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import Client, bench, socket

SLOW = "slow, please"


@pytest.fixture(scope="module")
def token(shared_server: Server) -> str:
    return shared_server.token("ana")


@pytest.fixture
async def ana(shared_server: Server, token: str) -> AsyncIterator[Client]:
    async with socket(shared_server, token=token) as client:
        yield client


@pytest.fixture
async def second(shared_server: Server, token: str) -> AsyncIterator[Client]:
    """Another socket of the same user."""
    async with socket(shared_server, token=token) as client:
        yield client


async def new_thread(client: Client, **fields: object) -> str:
    reply = await client.ask("thread-create", fields)
    thread: str = reply["thread"]["id"]
    return thread


async def send(client: Client, thread: str, content: str, **more: object) -> Any:
    return await client.ask("message-send", {"thread": thread, "content": content, **more})


async def end_of_run(client: Client) -> Any:
    return (await client.event("run-finished"))["run"]


async def until_it_writes(client: Client) -> None:
    """Wait until some words of the answer have come."""
    for _ in range(3):
        await client.event("message-delta")


def written(start: str, frames: list[dict[str, Any]], message: str) -> str:
    """The text of a message to which the deltas among ``frames`` are added, gaps refused."""
    text = start
    for frame in frames:
        payload = frame["payload"]
        if frame["action"] == "message-delta" and payload["message"] == message:
            assert payload["offset"] <= len(text), "a piece is missing"
            text = text[: payload["offset"]] + payload["text"]
    return text


async def messages(client: Client, thread: str) -> list[Any]:
    shown: list[Any] = (await client.ask("thread-open", {"thread": thread}))["messages"]
    return shown


async def test_a_message_is_answered_word_by_word_and_stored(ana: Client) -> None:
    thread = await new_thread(ana)
    reply = await send(ana, thread, "Hello there, who are you?")
    assert reply["message"]["content"] == "Hello there, who are you?"
    assert reply["run"]["status"] == "running"
    asked = (await ana.event("message-created"))["message"]
    answer = (await ana.event("message-created"))["message"]
    assert asked == reply["message"]
    assert (answer["id"], answer["parent"]) == (reply["run"]["message"], asked["id"])
    assert (answer["content"], answer["status"]) == ("", "streaming")
    changed = (await ana.event("thread-changed"))["thread"]
    assert changed["title"] == "Hello there, who are you?"
    finished = (await ana.event("message-finished"))["message"]
    run = await end_of_run(ana)
    assert (run["id"], run["status"]) == (reply["run"]["id"], "done")
    streamed = written("", ana.frames, answer["id"])
    assert streamed == finished["content"] != ""
    assert finished["status"] == "done"
    assert await messages(ana, thread) == [asked, finished]


async def test_two_sockets_hear_the_same(ana: Client, second: Client) -> None:
    thread = await new_thread(ana)
    await second.ask("thread-open", {"thread": thread})
    reply = await send(ana, thread, "Hello")
    await end_of_run(ana)
    await end_of_run(second)
    told = [frame for frame in second.frames if frame["action"] != "thread-changed"]
    heard = [frame for frame in ana.frames if frame["action"] != "thread-changed"]
    assert told == heard
    assert written("", told, reply["run"]["message"]) != ""


async def test_a_reload_in_mid_answer_goes_on_letter_for_letter(
    ana: Client, second: Client
) -> None:
    thread = await new_thread(ana)
    reply = await send(ana, thread, SLOW)
    message = reply["run"]["message"]
    await until_it_writes(ana)
    opened = await second.ask("thread-open", {"thread": thread})
    assert opened["run"]["id"] == reply["run"]["id"]
    so_far = opened["messages"][-1]
    assert (so_far["id"], so_far["status"]) == (message, "streaming")
    assert so_far["content"]
    await until_it_writes(ana)
    await ana.ask("run-stop", {"thread": thread})
    finished = (await second.event("message-finished"))["message"]
    assert written(so_far["content"], second.frames, message) == finished["content"]


async def test_a_run_goes_on_when_its_page_closes(
    shared_server: Server, token: str, ana: Client
) -> None:
    async with socket(shared_server, token=token) as page:
        thread = await new_thread(page)
        await send(page, thread, SLOW)
        await until_it_writes(page)
    opened = await ana.ask("thread-open", {"thread": thread})
    assert opened["run"]["status"] == "running"
    await until_it_writes(ana)
    await ana.ask("run-stop", {"thread": thread})


async def test_a_second_message_meanwhile_is_busy_and_leaves_no_trace(
    ana: Client, second: Client
) -> None:
    thread = await new_thread(ana)
    await send(ana, thread, SLOW)
    await until_it_writes(ana)
    payload = {"thread": thread, "content": "and 3+3?"}
    for client in (ana, second):
        assert (await client.refusal("message-send", payload))["code"] == "busy"
    await ana.ask("run-stop", {"thread": thread})
    await send(second, thread, "and 3+3?")
    assert (await end_of_run(second))["status"] == "done"
    contents = [each["content"] for each in await messages(ana, thread) if each["role"] == "user"]
    assert contents == [SLOW, "and 3+3?"]


async def test_stop_ends_the_run_at_once_and_keeps_the_text(ana: Client) -> None:
    thread = await new_thread(ana)
    reply = await send(ana, thread, SLOW)
    await until_it_writes(ana)
    async with asyncio.timeout(2):
        stopped = (await ana.ask("run-stop", {"thread": thread}))["run"]
    assert (stopped["id"], stopped["status"]) == (reply["run"]["id"], "stopped")
    answer = (await messages(ana, thread))[-1]
    assert answer["status"] == "stopped"
    assert answer["content"]
    assert (await ana.event("message-finished"))["message"] == answer
    assert await ana.ask("run-stop", {"thread": thread}) == {"run": None}


async def test_a_run_stopped_before_its_first_word_leaves_the_thread_usable(ana: Client) -> None:
    thread = await new_thread(ana)
    await send(ana, thread, SLOW)
    await ana.ask("run-stop", {"thread": thread})
    await end_of_run(ana)
    await send(ana, thread, "Hello")
    assert (await end_of_run(ana))["status"] == "done"


async def test_a_call_shows_in_the_thread_from_its_start_to_its_result(
    shared_server: Server, token: str, ana: Client
) -> None:
    async with bench(shared_server, token):
        thread = await new_thread(ana, remotes=["bench"])
        reply = await send(ana, thread, 'echo {"n": 1.10}')
        created = await ana.event("call-created")
        assert created["message"] == reply["run"]["message"]
        assert (created["call"]["remotename"], created["call"]["function"]) == ("bench", "echo")
        await end_of_run(ana)
    (call,) = (await messages(ana, thread))[-1]["calls"]
    assert (call["id"], call["status"]) == (created["call"]["id"], "done")
    assert call["args"] == call["result"] == {"n": 1.1}
    assert call["duration"] >= 0
    read = await ana.ask("call-read", {"call": call["id"], "part": "result", "offset": 5})
    assert read["more"] is False
    assert "1.1" in read["text"]


async def test_a_stopped_run_cancels_its_calls_and_gives_each_an_end(
    shared_server: Server, token: str, ana: Client
) -> None:
    async with bench(shared_server, token) as owner:
        thread = await new_thread(ana, remotes=["bench"])
        await send(ana, thread, 'slow {"seconds": 20}')
        call = (await ana.event("call-created"))["call"]
        await ana.take(
            lambda frame: frame["action"] == "call-updated"
            and frame["payload"]["call"]["status"] == "running"
        ) if call["status"] != "running" else None
        await ana.ask("run-stop", {"thread": thread})
        await owner.event("remote-call-cancel")
    (stored,) = (await messages(ana, thread))[-1]["calls"]
    assert (stored["id"], stored["status"]) == (call["id"], "stopped")
    assert "may have run" in stored["error"]


async def test_resources_of_a_message_replace_the_threads_remotes(ana: Client) -> None:
    thread = await new_thread(ana, remotes=["laptop"])

    def named(*names: str) -> list[dict[str, str]]:
        return [{"kind": "system", "subkind": "remote", "content": name} for name in names]

    await send(ana, thread, "Hello", resources=named("pi", "Ku\u0308che", "pi"))
    await end_of_run(ana)
    opened = await ana.ask("thread-open", {"thread": thread})
    assert opened["thread"]["remotes"] == ["pi", "K\u00fcche"]
    assert [each["content"] for each in opened["resources"]] == ["pi", "K\u00fcche"]
    await send(ana, thread, "Hello")
    await end_of_run(ana)
    assert (await ana.ask("thread-open", {"thread": thread}))["thread"]["remotes"] != []
    await send(ana, thread, "Hello", resources=[])
    await end_of_run(ana)
    assert (await ana.ask("thread-open", {"thread": thread}))["thread"]["remotes"] == []


async def test_the_same_key_sends_once(ana: Client) -> None:
    thread = await new_thread(ana)
    first = await send(ana, thread, SLOW, key="abc")
    again = await send(ana, thread, SLOW, key="abc")
    assert again["message"] == first["message"]
    assert again["run"]["id"] == first["run"]["id"]
    await ana.ask("run-stop", {"thread": thread})
    late = await send(ana, thread, SLOW, key="abc")
    assert (late["run"]["id"], late["run"]["status"]) == (first["run"]["id"], "stopped")
    assert len(await messages(ana, thread)) == 2


async def test_an_error_of_the_model_is_a_sentence_and_the_thread_goes_on(ana: Client) -> None:
    thread = await new_thread(ana)
    await send(ana, thread, "error, please")
    run = await end_of_run(ana)
    assert run["status"] == "failed"
    assert run["error"]
    failed = (await ana.event("message-finished"))["message"]
    assert (failed["status"], failed["error"]) == ("failed", run["error"])
    await send(ana, thread, "Hello")
    assert (await end_of_run(ana))["status"] == "done"


async def test_a_deleted_thread_stops_and_everyone_hears(ana: Client, second: Client) -> None:
    thread = await new_thread(ana)
    await second.ask("thread-open", {"thread": thread})
    await send(ana, thread, SLOW)
    await until_it_writes(second)
    assert await ana.ask("thread-delete", {"thread": thread}) == {"thread": thread}
    assert (await second.event("thread-deleted"))["thread"] == thread
    assert (await end_of_run(second))["status"] == "stopped"
    for action in ("thread-open", "thread-delete", "thread-close", "run-stop"):
        assert (await ana.refusal(action, {"thread": thread}))["code"] == "thread-not-found"


async def test_a_closed_thread_is_heard_no_more(ana: Client, second: Client) -> None:
    thread = await new_thread(ana)
    await second.ask("thread-open", {"thread": thread})
    assert await second.ask("thread-close", {"thread": thread}) == {"thread": thread}
    await send(ana, thread, "Hello")
    await end_of_run(ana)
    await second.ask("thread-list")
    assert second.frames == []


async def test_an_open_page_hears_of_its_users_other_threads_and_a_program_does_not(
    shared_server: Server, ana: Client, second: Client
) -> None:
    async with (
        socket(shared_server, cookie=shared_server.sign_in("ana")) as page,
        socket(shared_server, cookie=shared_server.sign_in("ben")) as stranger,
    ):
        thread = await new_thread(ana, title="First")
        assert (await page.event("thread-changed"))["thread"]["title"] == "First"
        await ana.ask("thread-update", {"thread": thread, "title": " Sec\nond "})
        assert (await page.event("thread-changed"))["thread"]["title"] == "Sec ond"
        await send(ana, thread, "Hello")
        await end_of_run(ana)
        await ana.ask("thread-delete", {"thread": thread})
        assert await page.event("thread-deleted") == {"thread": thread}
        assert {frame["action"] for frame in page.frames} == {"thread-changed"}
        for quiet in (stranger, second):
            await quiet.ask("thread-list")
            assert quiet.frames == []


async def test_a_thread_of_another_user_does_not_exist(shared_server: Server, ana: Client) -> None:
    async with bench(shared_server, shared_server.token("ana")):
        thread = await new_thread(ana, remotes=["bench"])
        await send(ana, thread, "echo {}")
        await end_of_run(ana)
    shown = await messages(ana, thread)
    (call,) = shown[-1]["calls"]
    async with socket(shared_server, token=shared_server.token("ben")) as stranger:
        for action, more in {
            "thread-open": {},
            "thread-close": {},
            "thread-update": {"title": "mine"},
            "thread-delete": {},
            "message-send": {"content": "hello"},
            "run-stop": {},
        }.items():
            refusal = await stranger.refusal(action, {"thread": thread, **more})
            assert refusal["code"] == "thread-not-found"
        refusal = await stranger.refusal("thread-list", {"before": thread})
        assert refusal["code"] == "thread-not-found"
        refusal = await stranger.refusal("call-read", {"call": call["id"], "part": "args"})
        assert refusal["code"] == "call-not-found"
        own = await new_thread(stranger)
        payload = {"thread": own, "before": shown[0]["id"]}
        assert (await stranger.refusal("thread-open", payload))["code"] == "message-not-found"
        assert (await stranger.ask("thread-list", {"query": "echo"}))["threads"] == []
    assert await messages(ana, thread) == shown


async def test_a_thread_that_names_another_users_remote_reaches_nothing(
    shared_server: Server, token: str
) -> None:
    async with (
        bench(shared_server, token) as owner,
        socket(shared_server, token=shared_server.token("ben")) as stranger,
    ):
        names = ["bench", "ana/bench", "../bench", "1:bench"]
        thread = await new_thread(stranger, remotes=names)
        await send(stranger, thread, "echo {}")
        await end_of_run(stranger)
        assert (await messages(stranger, thread))[-1]["calls"] == []
        assert [frame for frame in owner.frames if frame["action"] == "remote-call"] == []


@pytest.mark.parametrize(
    ("action", "payload", "path"),
    [
        ("message-send", {"content": "  \n"}, "content"),
        ("message-send", {"content": 5}, "content"),
        ("message-send", {}, ""),
        ("message-send", {"content": "x", "key": "k" * 129}, "key"),
        (
            "message-send",
            {"content": "x", "resources": [{"kind": "user", "subkind": "remote", "content": "a"}]},
            "resources.0.kind",
        ),
        (
            "message-send",
            {"content": "x", "resources": [{"kind": "system", "subkind": "remote", "content": ""}]},
            "resources.0.content",
        ),
        ("thread-update", {"title": "x" * 201}, "title"),
        ("thread-update", {"remotes": ["ok", " no"]}, "remotes.1"),
        ("thread-list", {"limit": 0}, "limit"),
        ("thread-list", {"limit": 101}, "limit"),
        ("call-read", {"call": "c", "part": "code"}, "part"),
        ("call-read", {"call": "c", "part": "args", "offset": -1}, "offset"),
    ],
)
async def test_a_wrong_field_is_named(
    ana: Client, action: str, payload: dict[str, object], path: str
) -> None:
    refusal = await ana.refusal(action, {"thread": await new_thread(ana), **payload})
    assert refusal["code"] == "invalid-payload"
    assert [detail["path"] for detail in refusal["details"]] == [path]


async def test_a_message_may_have_256_kib_and_no_more(ana: Client) -> None:
    thread = await new_thread(ana)
    payload = {"thread": thread, "content": "ü" * (128 * 1024 + 1)}
    assert (await ana.refusal("message-send", payload))["code"] == "too-large"
    content = "\u0001" * 120_000
    reply = await send(ana, thread, content)
    assert reply["message"]["content"] == content
    await ana.ask("run-stop", {"thread": thread})
    assert (await messages(ana, thread))[0]["content"] == content


async def test_nul_is_stored_as_a_replacement_character(ana: Client) -> None:
    thread = await new_thread(ana, title="a\x00b")
    reply = await send(ana, thread, "Hello\x00there")
    assert reply["message"]["content"] == "Hello\ufffdthere"
    opened = await ana.ask("thread-open", {"thread": thread})
    assert opened["messages"][0]["content"] == "Hello\ufffdthere"
    assert opened["thread"]["title"] == "a\ufffdb"
    assert [each["id"] for each in (await ana.ask("thread-list", {"query": "a\x00b"}))["threads"]]
