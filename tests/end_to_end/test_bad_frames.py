"""Whatever a client sends is answered, and costs it neither the socket nor what it serves."""

import asyncio
import json
import time
from collections.abc import Callable

import pytest

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import Client, bench, function, socket

NOT_JSON = [
    "",
    "hello",
    '{"action": "remote-list"',
    "{'action': 'remote-list'}",
    '{"action":"remote-list","payload":{}}}',
    "   ",
]

WRONG_SHAPES = [
    "null",
    "[]",
    '[{"action":"remote-list","payload":{}}]',
    "42",
    '"remote-list"',
    "{}",
    '{"action":null,"payload":{}}',
    '{"action":7}',
    '{"action":{"a":1}}',
    '{"action":["remote-list"]}',
    '{"action":"no-such-thing","payload":{}}',
    '{"action":"__class__","payload":{}}',
    '{"action":"remote-connect","payload":[]}',
    '{"action":"remote-connect","payload":{"remotename":5,"functions":[]}}',
    '{"action":"remote-connect","payload":{"remotename":"","functions":[]}}',
    '{"action":"remote-connect","payload":{"remotename":"r","functions":{"name":"f"}}}',
    '{"action":"remote-connect","payload":{"remotename":"r",'
    '"functions":[null,"f",{"description":"no name"}]}}',
    '{"action":"remote-call","payload":{"remotename":"bench","function":"echo","args":[1]}}',
    '{"action":"remote-call-result","payload":{"result":1}}',
    '{"action":"remote-disconnect","payload":{"remotename":"never-there"}}',
]


async def assert_alive(client: Client) -> None:
    started = time.monotonic()
    listed = await client.ask("remote-list")
    assert [remote["remotename"] for remote in listed["remotes"]] == ["bench"]
    assert time.monotonic() - started < 2


async def the_error(client: Client) -> dict[str, str]:
    frame = await client.take(lambda frame: frame["action"] == "error", 1)
    error: dict[str, str] = frame["payload"]
    assert error["message"]
    assert len(json.dumps(frame)) < 700
    return error


async def test_text_that_is_not_json_gets_an_error_each_time(server: Server) -> None:
    """G01; Daphne drops an empty message before it reaches us, so that one gets no answer."""
    token = server.token()
    async with bench(server, token) as owner, socket(server, token=token) as caller:
        slow = {"remotename": "bench", "function": "slow", "args": {"seconds": 2}}
        pending = asyncio.create_task(caller.request("remote-call", slow))
        for text in NOT_JSON:
            await owner.text(text)
            assert (await the_error(owner))["code"] == "invalid-json"
            await assert_alive(owner)
        assert (await pending)["payload"]["result"] == "done"
    assert "Traceback" not in server.log()


@pytest.mark.parametrize("binary", [False, True])
async def test_json_of_the_wrong_shape_gets_an_error_each_time(
    server: Server, binary: bool
) -> None:
    """G02."""
    async with bench(server, server.token()) as owner:
        for text in WRONG_SHAPES:
            await owner.text(text.encode() if binary else text)
            await the_error(owner)
            await assert_alive(owner)
        await owner.text('{"action":"remote-list"}')
        listed = await owner.take(lambda frame: frame["action"] == "remote-list")
        assert [remote["remotename"] for remote in listed["payload"]["remotes"]] == ["bench"]
    assert "Traceback" not in server.log()


async def test_a_frame_above_the_limit_is_too_large_and_the_socket_lives(
    shared_server: Server,
) -> None:
    async with socket(shared_server, token=shared_server.token()) as client:
        await client.send("remote-list", {"padding": "x" * (960 * 1024)}, id="big")
        assert (await the_error(client))["code"] == "too-large"
        assert await client.ask("remote-list") == {"remotes": [], "more": False}


async def test_an_error_names_the_request_it_answers(shared_server: Server) -> None:
    async with socket(shared_server, token=shared_server.token()) as client:
        frame = await client.request("remote-disconnect", {"remotename": 5})
        assert frame["payload"]["action"] == "remote-disconnect"
        assert frame["payload"]["code"] == "invalid-payload"
        assert frame["payload"]["details"][0]["path"] == "remotename"
        await client.send("x" * 500, id="i" * 128)
        frame = await client.take(lambda frame: frame.get("id") == "i" * 128)
        assert frame["payload"]["action"] == "x" * 128
        assert frame["payload"]["code"] == "unknown-action"


async def test_who_floods_is_told_to_slow_down_and_then_cut(server: Server) -> None:
    async with socket(server, token=server.token()) as client:
        for _ in range(1500):
            await client.send("no-such-action")
        assert await client.closed() == 4429
        codes = [frame["payload"]["code"] for frame in client.frames]
        assert codes.count("unknown-action") >= 1000
        assert codes.count("rate-limited") == 100


async def test_results_do_not_count_as_a_flood(start_server: Callable[..., Server]) -> None:
    """An owner may answer as many calls as it was sent, though it may send hardly anything else."""
    server = start_server({"REMOTES_LIMITS": '{"burst": 20, "frames_per_second": 1}'})
    token = server.token()
    async with bench(server, token) as owner:
        for _ in range(6):  # each caller stays below its own rate
            async with socket(server, token=token) as caller:
                calls = [
                    caller.ask(
                        "remote-call", {"remotename": "bench", "function": "echo", "args": {"n": n}}
                    )
                    for n in range(15)
                ]
                answers = await asyncio.gather(*calls)
                assert [answer["result"]["n"] for answer in answers] == list(range(15))
        assert [frame for frame in owner.frames if frame["action"] == "error"] == []
        for _ in range(30):
            await owner.send("remote-call-result", {"requestId": "never-was", "result": 1})
        assert (await owner.event("error"))["code"] == "rate-limited"


async def test_an_answer_that_is_too_large_ends_its_call(server: Server) -> None:
    """G03 (c)."""
    token = server.token()
    async with socket(server, token=token) as owner, socket(server, token=token) as caller:
        await owner.serve("big", [function("dump")])
        call = {"remotename": "big", "function": "dump"}
        answer = asyncio.create_task(caller.request("remote-call", call))
        request = await owner.event("remote-call")
        result = {"requestId": request["requestId"], "result": "x" * (1024 * 1024)}
        await owner.send("remote-call-result", result)
        assert (await asyncio.wait_for(answer, 2))["payload"]["code"] == "too-large"
        assert (await the_error(owner))["code"] == "too-large"
        assert [each["remotename"] for each in (await owner.ask("remote-list"))["remotes"]]
