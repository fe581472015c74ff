"""The remote-* actions where a client sends more, or worse, than it should."""

import asyncio
from collections.abc import Callable
from time import monotonic

import pytest

from gateway.limits import limits
from remotes.approvals import outside_threads
from remotes.calls import Call, Change, Watcher
from tests.support.sites import PATIENCE, Site, Socket

CALL = {"remotename": "bench", "function": "f"}


async def asked(site: Site) -> tuple[Socket, "asyncio.Task[str]", str]:
    """An owner, a call of its function and the requestId under which it was asked."""
    owner = await site.program()
    await owner.serve("bench", [{"name": "f"}])
    outcome = asyncio.create_task(Call(await site.user_id("ana"), "bench", "f", "{}").outcome())
    return owner, outcome, (await owner.asked())["requestId"]


async def ends_with(outcome: "asyncio.Task[str]", code: str) -> str:
    """The words with which a call ended, whose code must be ``code``."""
    await asyncio.wait([outcome], timeout=PATIENCE)
    error = outcome.exception()
    assert getattr(error, "code", None) == code
    return str(error)


# Answers that cannot be read


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        ('"result":NaN', "invalid-json"),
        ('"result":1,"result":2', "invalid-json"),
        ('"result":' + "[" * 200 + "]" * 200, "invalid-json"),
        ('"result":"cut of', "invalid-json"),
        ('"result":"' + "x" * limits.frame + '"', "too-large"),
    ],
)
@pytest.mark.parametrize("encode", [str, str.encode])
async def test_an_answer_that_cannot_be_read_ends_its_call(
    site: Site, rest: str, code: str, encode: Callable[[str], str | bytes]
) -> None:
    owner, outcome, request_id = await asked(site)
    text = f'{{"action":"remote-call-result","payload":{{"requestId":"{request_id}",{rest}}}}}'
    await owner.text(encode(text))
    assert "ran, but its answer could not be read" in await ends_with(outcome, code)
    assert (await owner.event("error"))["code"] == code


@pytest.mark.parametrize(
    "text",
    [
        '{"action":"remote-call-progress","payload":{"requestId":"ID","progress":NaN}}',
        '{"action":"message-send","payload":{"content":"\\"requestId\\": \\"ID\\"",NaN}}',
        '{"action":"remote-call-result","payload":{"requestId":"another","result":NaN}}',
        '{"note":"requestId","requestId":"ID",}',
    ],
)
async def test_another_frame_that_names_the_call_does_not_end_it(site: Site, text: str) -> None:
    owner, outcome, request_id = await asked(site)
    await owner.text(text.replace("ID", request_id))
    assert (await owner.event("error"))["code"] == "invalid-json"
    await owner.send("remote-call-result", {"requestId": request_id, "result": "real"})
    assert await outcome == '"real"'


async def test_an_unreadable_answer_of_another_socket_does_not_end_the_call(site: Site) -> None:
    owner, outcome, request_id = await asked(site)
    other = await site.program()
    payload = f'{{"requestId":"{request_id}","result":NaN}}'
    await other.text(f'{{"action":"remote-call-result","payload":{payload}}}')
    assert (await other.event("error"))["code"] == "invalid-json"
    await owner.send("remote-call-result", {"requestId": request_id, "result": "real"})
    assert await outcome == '"real"'


# What passes as it was written


async def test_arguments_and_results_pass_digit_for_digit(site: Site) -> None:
    owner, caller = await site.program(), await site.program()
    await owner.serve("bench", [{"name": "f"}])
    digits = '{"a": 1.10,"b":123456789012345678901234567890, "c":1E2,"d":-0.0,"e":1e-7}'
    await caller.text(
        '{"action":"remote-call","id":"x","payload":'
        '{"remotename":"bench","function":"f","args":' + digits + "}}"
    )
    request_id = (await owner.asked())["requestId"]
    assert f'"args":{digits}' in owner.texts[-1]
    await owner.text(
        '{"action":"remote-call-result","payload":'
        f'{{"requestId":"{request_id}","result":{digits}}}}}'
    )
    await caller.take(lambda frame: frame.get("id") == "x")
    assert f'"result":{digits}' in caller.texts[-1]


# Definitions


async def test_a_hundred_thousand_bad_entries_get_one_small_refusal_at_once(site: Site) -> None:
    socket = await site.program()
    started = monotonic()
    refusal = await socket.refusal(
        "remote-connect", {"remotename": "r", "functions": [7] * 120_000}
    )
    assert refusal["code"] == "too-many"
    assert monotonic() - started < 2
    assert len(socket.texts[-1]) < 500


async def test_a_definition_above_its_limit_is_refused_alone(site: Site) -> None:
    socket = await site.program()
    functions = [
        {"name": "large", "description": "x" * limits.definition},
        {"name": "small", "description": "x" * (limits.definition - 100)},
    ]
    reply = await socket.serve("bench", functions)
    assert reply["functions"] == ["small"]
    ((name, path, message),) = [tuple(entry.values()) for entry in reply["refused"]]
    assert (name, path) == ("large", "functions.0")
    assert str(limits.definition) in message


async def test_a_definition_that_fits_no_page_of_the_list_is_too_large(
    site: Site, limit: Callable[..., None]
) -> None:
    limit(frame_out=32 * 1024)
    socket = await site.program()
    await socket.serve("bench", [{"name": "kept", "description": "x" * 8000}])
    functions = [{"name": f"f{number}", "description": "x" * 3000} for number in range(10)]
    payload = {"remotename": "bench", "functions": functions}
    assert (await socket.refusal("remote-connect", payload))["code"] == "too-large"
    await socket.serve("nearly", functions[:7])
    listed = await socket.ask("remote-list")
    assert [remote["remotename"] for remote in listed["remotes"]] == ["bench"]
    assert [entry["name"] for entry in listed["remotes"][0]["functions"]] == ["kept"]
    assert listed["more"]
    rest = await socket.ask("remote-list", {"after": "bench"})
    assert [remote["remotename"] for remote in rest["remotes"]] == ["nearly"]
    assert not rest["more"]


# Waiting calls


async def test_many_waiting_calls_do_not_lock_out_a_page_that_opens(
    site: Site, limit: Callable[..., None]
) -> None:
    """They are shown as fast as the page reads; together they are more than may wait for it."""
    limit(outbox=100_000, outbox_room=20_000)
    count = 30
    owner = await site.program()
    await owner.serve("bench", [{"name": "f", "confirm": True}])
    user_id = await site.user_id("ana")
    args = '{"text":"' + "x" * (limits.preview - 100) + '"}'
    changes: asyncio.Queue[Change] = asyncio.Queue()

    async def waiting(number: int) -> None:
        watcher = Watcher(f"call-{number}", None, changes.put_nowait)
        await Call(user_id, "bench", "f", args, watcher=watcher).outcome()

    calls = [asyncio.create_task(waiting(number)) for number in range(count)]
    for _ in range(count):
        await asyncio.wait_for(changes.get(), PATIENCE)
    assert len(list(outside_threads(user_id))) == count
    page = await site.page()
    shown = [(await page.event("call-created"))["call"]["id"] for _ in range(count)]
    assert sorted(shown) == sorted(f"call-{number}" for number in range(count))
    await page.barrier()
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
