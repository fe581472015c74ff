"""The conversation as sockets see it, with the demo model answering."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import Client, bench, function, socket

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


async def test_every_snapshot_fits_between_the_deltas_around_it(
    ana: Client, second: Client
) -> None:
    thread = await new_thread(ana)
    await second.ask("thread-open", {"thread": thread})
    await send(ana, thread, SLOW)
    for _ in range(15):
        await second.event("message-delta")
        for _ in range(4):
            await ana.send("thread-open", {"thread": thread})
    await ana.ask("run-stop", {"thread": thread})
    finished = (await ana.event("message-finished"))["message"]
    text, snapshots = "", 0
    for frame in ana.frames:
        if frame["action"] == "thread-open":
            content = frame["payload"]["messages"][-1]["content"]
            assert content.startswith(text)
            text, snapshots = content, snapshots + 1
        else:
            text = written(text, [frame], finished["id"])
    assert text == finished["content"] != ""
    assert snapshots == 60


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
    async with socket(shared_server, token=token) as owner:
        await owner.serve("sleeper", [function("sleep")])
        thread = await new_thread(ana, remotes=["sleeper"])
        await send(ana, thread, "sleep")
        request = (await owner.event("remote-call"))["requestId"]
        await ana.ask("run-stop", {"thread": thread})
        await owner.event("remote-call-cancel", requestId=request)
    (stored,) = (await messages(ana, thread))[-1]["calls"]
    assert (stored["function"], stored["status"]) == ("sleep", "stopped")
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


async def test_long_threads_come_in_frames_that_every_client_accepts(
    shared_server: Server, token: str, ana: Client
) -> None:
    thread = await new_thread(ana)
    for number in range(6):
        await send(ana, thread, f"{number} " + '"' * 250_000)
        await ana.ask("run-stop", {"thread": thread})
    async with socket(shared_server, token=token, max_size=2**20) as client:
        numbers: list[str] = []
        before: dict[str, str] = {}
        pages = 0
        while True:
            opened = await client.ask("thread-open", {"thread": thread, **before})
            pages += 1
            shown = [each for each in opened["messages"] if each["role"] == "user"]
            numbers = [each["content"][0] for each in shown] + numbers
            if not opened["more"]:
                break
            before = {"before": opened["messages"][0]["id"]}
    assert numbers == list("012345")
    assert pages > 1


async def test_a_long_result_is_read_by_parts(
    shared_server: Server, token: str, ana: Client
) -> None:
    words = " ".join(f"w{number}" for number in range(30_000))
    async with socket(shared_server, token=token) as owner:
        await owner.serve("library", [function("book")])
        thread = await new_thread(ana, remotes=["library"])
        await send(ana, thread, "book")
        asked = await owner.event("remote-call")
        result = {"requestId": asked["requestId"], "result": words}
        await owner.send("remote-call-result", result)
        await end_of_run(ana)
    (call,) = (await messages(ana, thread))[-1]["calls"]
    assert call["resultCut"] is True
    assert f'"{words}"'.startswith(call["result"])
    text, more = "", True
    while more:
        payload = {"call": call["id"], "part": "result", "offset": len(text)}
        part = await ana.ask("call-read", payload)
        assert part["text"]
        text, more = text + part["text"], part["more"]
    assert text == f'"{words}"'


CONFIRMED = function("wipe", {"disk": {"type": "string"}}, confirm=True)


async def test_a_person_on_the_page_approves_with_other_arguments(
    shared_server: Server, token: str, ana: Client
) -> None:
    cookie = shared_server.sign_in("ana")
    async with (
        bench(shared_server, token, "cleaner", [CONFIRMED]) as owner,
        socket(shared_server, cookie=cookie) as page,
    ):
        thread = await new_thread(page, remotes=["cleaner"])
        await send(page, thread, 'wipe {"disk": "all"}')
        call = (await waiting_call(page))["id"]
        refusal = await ana.refusal("call-approve", {"call": call})
        assert refusal["code"] == "forbidden-scope"
        for args, code in (({"disk": 5}, "invalid-args"), ([], "invalid-payload")):
            payload: dict[str, object] = {"call": call, "args": args}
            assert (await page.refusal("call-approve", payload))["code"] == code
        shown = (await messages(ana, thread))[-1]["calls"][0]
        assert shown["status"] == "awaiting-approval"
        approved = (await page.ask("call-approve", {"call": call, "args": {"disk": "none"}}))[
            "call"
        ]
        assert (approved["id"], approved["status"]) == (call, "running")
        assert approved["args"] == {"disk": "none"}
        assert (await page.refusal("call-approve", {"call": call}))["code"] == "call-not-found"
        await end_of_run(page)
        assert [frame for frame in owner.frames if frame["action"] == "remote-call"] == []
    (stored,) = (await messages(ana, thread))[-1]["calls"]
    assert (stored["status"], stored["args"], stored["result"]) == (
        "done",
        {"disk": "none"},
        {"disk": "none"},
    )


async def test_a_denied_call_does_not_run_and_the_answer_goes_on(
    shared_server: Server, token: str, ana: Client
) -> None:
    async with (
        bench(shared_server, token, "cleaner", [CONFIRMED]) as owner,
        socket(shared_server, cookie=shared_server.sign_in("ana")) as page,
        socket(shared_server, cookie=shared_server.sign_in("ben")) as stranger,
    ):
        thread = await new_thread(page, remotes=["cleaner"])
        await send(page, thread, 'wipe {"disk": "all"}')
        call = (await waiting_call(page))["id"]
        for action in ("call-deny", "call-approve"):
            assert (await stranger.refusal(action, {"call": call}))["code"] == "call-not-found"
        assert (await ana.refusal("call-deny", {"call": call}))["code"] == "forbidden-scope"
        denied = (await page.ask("call-deny", {"call": call, "reason": "not today"}))["call"]
        assert (denied["id"], denied["status"]) == (call, "denied")
        assert (await end_of_run(page))["status"] == "done"
        assert [frame for frame in owner.frames if frame["action"] == "remote-call"] == []
    answer = (await messages(ana, thread))[-1]
    assert (answer["calls"][0]["status"], answer["calls"][0]["code"]) == ("denied", "denied")
    assert "not today" in answer["calls"][0]["error"]


async def test_arguments_of_a_call_outside_a_thread_can_be_read_while_it_waits(
    shared_server: Server, token: str, ana: Client
) -> None:
    disk = "d" * 20_000
    async with (
        bench(shared_server, token, "cleaner", [CONFIRMED]),
        socket(shared_server, cookie=shared_server.sign_in("ana")) as page,
    ):
        payload = {"remotename": "cleaner", "function": "wipe", "args": {"disk": disk}}
        await ana.send("remote-call", payload, id="outside")
        call = (await page.event("call-created", message=None))["call"]
        assert call["argsCut"] is True
        read = {"call": call["id"], "part": "args", "offset": 2}
        text = (await page.ask("call-read", read))["text"]
        assert json.loads('{"' + text) == {"disk": disk}
        await page.ask("call-deny", {"call": call["id"]})
        reply = await ana.take(lambda frame: frame.get("id") == "outside")
        assert reply["payload"]["code"] == "denied"
        assert (await page.refusal("call-read", read))["code"] == "call-not-found"


async def waiting_call(page: Client) -> Any:
    """The call that waits for this page's user."""
    frame = await page.take(
        lambda frame: (
            frame["action"] == "call-updated"
            and frame["payload"]["call"]["status"] == "awaiting-approval"
        )
    )
    return frame["payload"]["call"]


async def test_requests_of_one_socket_are_served_in_the_order_in_which_they_were_sent(
    ana: Client,
) -> None:
    thread = await new_thread(ana)
    for number in range(20):
        await ana.send("thread-update", {"thread": thread, "title": str(number)})
    await ana.send("message-send", {"thread": thread, "content": SLOW})
    await ana.send("run-stop", {"thread": thread})
    opened = await ana.ask("thread-open", {"thread": thread})
    assert opened["thread"]["title"] == "19"
    assert opened["messages"][-1]["status"] == "stopped"


async def test_many_senders_at_once_make_one_line_of_turns(
    shared_server: Server, token: str, ana: Client, second: Client
) -> None:
    thread = await new_thread(ana)
    await second.ask("thread-open", {"thread": thread})
    taken: list[str] = []

    async def insist(client: Client, name: str) -> None:
        for number in range(5):
            payload = {"thread": thread, "content": f"{name}{number}", "key": f"{name}{number}"}
            while (reply := await client.request("message-send", payload))["action"] == "error":
                assert reply["payload"]["code"] == "busy"
                await client.event("run-finished")
            taken.append(payload["content"])
            await client.ask("run-stop", {"thread": thread})

    await asyncio.gather(insist(ana, "a"), insist(second, "b"))
    shown = await messages(ana, thread)
    assert [each["role"] for each in shown] == ["user", "assistant"] * 10
    assert sorted(each["content"] for each in shown[::2]) == sorted(taken)
    assert all(each["parent"] == before["id"] for before, each in itertools.pairwise(shown))
