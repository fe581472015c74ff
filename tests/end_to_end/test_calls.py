"""Every call has exactly one outcome, whatever breaks."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

from tests.end_to_end.servers import ROOT, Server
from tests.end_to_end.sockets import Client, Frame, bench, function, socket


def call(name: str, args: object = None, **more: object) -> dict[str, object]:
    return {"remotename": "bench", "function": name, "args": args or {}, **more}


async def assert_works(caller: Client) -> None:
    fresh = await caller.request("remote-call", call("echo", {"n": 7}))
    assert fresh["payload"]["result"] == {"n": 7}


async def test_a_call_comes_back_with_its_result_and_the_callers_ids(shared_server: Server) -> None:
    token = shared_server.token()
    async with bench(shared_server, token), socket(shared_server, token=token) as caller:
        await caller.send("remote-call", call("echo", {"a": [1, None]}, requestId="mine"), id="e")
        frame = await caller.take(lambda frame: frame.get("id") == "e")
        assert frame == {
            "action": "remote-call-result",
            "id": "e",
            "payload": {"requestId": "mine", "result": {"a": [1, None]}},
        }
        failed = await caller.request("remote-call", call("fail"))
        assert failed["payload"]["error"] == "boom"
        assert failed["payload"]["code"] == "remote-error"


async def test_numbers_pass_digit_for_digit(shared_server: Server) -> None:
    token = shared_server.token()
    async with (
        socket(shared_server, token=token) as owner,
        socket(shared_server, token=token) as caller,
    ):
        await owner.serve("raw", [function("f")])
        digits = '{"a": 1.10,"b":123456789012345678901234567890,"c":1E2,"d":-0.0}'
        await caller.text(
            '{"action":"remote-call","id":"x","payload":'
            '{"remotename":"raw","function":"f","args":' + digits + "}}"
        )
        request_id = (await owner.event("remote-call"))["requestId"]
        assert f'"args":{digits}' in str(owner.texts[-1])
        await owner.text(
            '{"action":"remote-call-result","payload":'
            f'{{"requestId":"{request_id}","result":{digits}}}}}'
        )
        await caller.take(lambda frame: frame.get("id") == "x")
        assert f'"result":{digits}' in str(caller.texts[-1])


async def test_wrong_arguments_are_told_by_path_and_never_sent(shared_server: Server) -> None:
    token = shared_server.token()
    async with (
        socket(shared_server, token=token) as owner,
        socket(shared_server, token=token) as caller,
    ):
        weather = function("weather", {"city": {"type": "string"}})
        await owner.serve("bench", [weather])
        answer = (await caller.request("remote-call", call("weather", {"city": 5})))["payload"]
        assert answer["code"] == "invalid-args"
        assert answer["details"][0]["path"] == "city"
        await owner.ask("remote-list")
        assert not [frame for frame in owner.frames if frame["action"] == "remote-call"]


async def test_what_is_not_there_is_named(shared_server: Server) -> None:
    token = shared_server.token()
    async with bench(shared_server, token), socket(shared_server, token=token) as caller:
        nowhere = await caller.request("remote-call", {"remotename": "away", "function": "f"})
        assert nowhere["payload"]["code"] == "remote-not-found"
        nothing = await caller.request("remote-call", call("nope"))
        assert nothing["payload"]["code"] == "function-not-found"


async def test_an_owner_that_leaves_fails_its_calls_at_once(server: Server) -> None:
    """G04 (a)."""
    token = server.token()
    async with socket(server, token=token) as caller:
        async with bench(server, token) as owner:
            slow = [
                asyncio.create_task(caller.request("remote-call", call("slow", {"seconds": 20})))
                for _ in range(2)
            ]
            await asyncio.gather(*[owner.connection.ping() for _ in range(2)])
            await caller.ask("remote-list")
        started = time.monotonic()
        for frame in await asyncio.gather(*slow):
            assert frame["payload"]["code"] == "remote-disconnected"
            assert "bench" in frame["payload"]["error"]
        assert time.monotonic() - started < 2
        assert (await caller.ask("remote-list"))["remotes"] == []
        gone = await caller.request("remote-call", call("echo"))
        assert gone["payload"]["code"] == "remote-not-found"
    assert "Traceback" not in server.log()


SLEEPER = """
import asyncio, json, sys
from websockets.asyncio.client import connect
async def main(url, token):
    async with connect(url, additional_headers={"Authorization": "Bearer " + token}) as ws:
        functions = [{"name": "slow", "timeout": 60}]
        payload = {"remotename": "bench", "functions": functions, "heartbeat": True}
        await ws.send(json.dumps({"action": "remote-connect", "payload": payload}))
        async for message in ws:
            frame = json.loads(message)
            if frame["action"] == "ping":
                await ws.send('{"action":"pong"}')
            if frame["action"] in ("remote-connect", "remote-call"):
                print(frame["action"], flush=True)
asyncio.run(main(*sys.argv[1:]))
"""


def start_program(server: Server, token: str) -> "subprocess.Popen[str]":
    """A program that serves ``bench`` in a process of its own, and never answers."""
    program = subprocess.Popen(
        [sys.executable, "-c", SLEEPER, server.ws_url, token],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "remote-connect\n"
    return program


async def pending_call(caller: Client, program: "subprocess.Popen[str]") -> "asyncio.Task[Frame]":
    pending = asyncio.create_task(caller.request("remote-call", call("slow"), 30))
    assert program.stdout is not None
    assert await asyncio.to_thread(program.stdout.readline) == "remote-call\n"
    return pending


async def test_an_owner_that_is_killed_fails_its_calls_at_once(server: Server) -> None:
    """G04 (b)."""
    token = server.token()
    async with socket(server, token=token) as caller:
        program = start_program(server, token)
        pending = await pending_call(caller, program)
        program.kill()
        frame = await asyncio.wait_for(pending, 2)
        assert frame["payload"]["code"] == "remote-disconnected"
        program.communicate()


async def test_an_owner_that_freezes_is_found_by_its_heartbeat(server: Server) -> None:
    """G04 (c): silent for 20 s, it is closed; nothing waits for the call's own 60 s."""
    token = server.token()
    async with socket(server, token=token) as caller:
        program = start_program(server, token)
        pending = await pending_call(caller, program)
        os.kill(program.pid, signal.SIGSTOP)
        try:
            started = time.monotonic()
            async with asyncio.timeout(24):
                frame = await pending
            assert frame["payload"]["code"] == "remote-disconnected"
            assert time.monotonic() - started < 22
            gone = await caller.request("remote-call", call("slow"))
            assert gone["payload"]["code"] == "remote-not-found"
        finally:
            program.kill()
            program.communicate()
    assert "Traceback" not in server.log()


async def test_late_double_and_foreign_answers_change_nothing(server: Server) -> None:
    """G06."""
    token = server.token()
    async with (
        socket(server, token=token) as owner,
        socket(server, token=token) as other,
        socket(server, token=token) as caller,
    ):
        await owner.serve("bench", [function("slow", timeout=0.4), function("echo")])

        async def asked(name: str) -> tuple["asyncio.Task[Frame]", str]:
            task = asyncio.create_task(caller.request("remote-call", call(name, {"n": 7})))
            return task, (await owner.event("remote-call"))["requestId"]

        async def fresh_call_works() -> None:
            task, request_id = await asked("echo")
            await owner.send("remote-call-result", {"requestId": request_id, "result": {"n": 7}})
            assert (await task)["payload"]["result"] == {"n": 7}

        late, request_id = await asked("slow")
        answer = (await late)["payload"]
        assert answer["code"] == "timeout"
        assert "may have run" in answer["error"]
        cancelled = await owner.event("remote-call-cancel")
        assert cancelled["requestId"] == request_id
        await owner.send("remote-call-result", {"requestId": request_id, "result": "late"})
        await fresh_call_works()

        twice, request_id = await asked("echo")
        for result in (1, 2):
            await owner.send("remote-call-result", {"requestId": request_id, "result": result})
        assert (await twice)["payload"]["result"] == 1
        await fresh_call_works()

        both, request_id = await asked("echo")
        await owner.send("remote-call-result", {"requestId": request_id, "result": "first"})
        await owner.send("remote-call-result", {"requestId": request_id, "error": "second"})
        assert (await both)["payload"]["result"] == "first"
        await fresh_call_works()

        stolen, request_id = await asked("echo")
        await other.send("remote-call-result", {"requestId": request_id, "result": "forged"})
        await other.ask("remote-list")
        await owner.send("remote-call-result", {"requestId": request_id, "result": "real"})
        assert (await stolen)["payload"]["result"] == "real"
        await owner.send("remote-call-result", {"requestId": "never-was", "result": 1})
        await fresh_call_works()
    assert "Traceback" not in server.log()


async def test_a_socket_may_call_itself(shared_server: Server) -> None:
    """G07 (a): the handler does not stand in the way of the frame it waits for."""
    async with bench(shared_server, shared_server.token()) as both:
        started = time.monotonic()
        await assert_works(both)
        assert time.monotonic() - started < 1


async def test_other_frames_are_served_while_calls_run(shared_server: Server) -> None:
    """G07 (b)."""
    async with bench(shared_server, shared_server.token()) as both:
        started = time.monotonic()
        slow = [
            asyncio.create_task(both.request("remote-call", call("slow", {"seconds": 1})))
            for _ in range(3)
        ]
        await both.ask("remote-list")
        assert time.monotonic() - started < 1
        await asyncio.gather(*slow)
        assert time.monotonic() - started < 2.5


async def test_a_caller_cancels_its_own_call(shared_server: Server) -> None:
    token = shared_server.token()
    async with (
        socket(shared_server, token=token) as owner,
        socket(shared_server, token=token) as caller,
    ):
        await owner.serve("bench", [function("slow")])
        slow = asyncio.create_task(
            caller.request("remote-call", call("slow", requestId="to-cancel"))
        )
        request = await owner.event("remote-call")
        assert await caller.ask("remote-call-cancel", {"requestId": "to-cancel"}) == {
            "requestId": "to-cancel"
        }
        assert (await slow)["payload"]["code"] == "cancelled"
        assert (await owner.event("remote-call-cancel"))["requestId"] == request["requestId"]
        assert await caller.ask("remote-call-cancel", {"requestId": "unknown"}) == {
            "requestId": "unknown"
        }


async def test_an_owner_hears_that_its_caller_left(shared_server: Server) -> None:
    token = shared_server.token()
    async with socket(shared_server, token=token) as owner:
        await owner.serve("bench", [function("slow")])
        async with socket(shared_server, token=token) as caller:
            await caller.send("remote-call", call("slow"))
            request = await owner.event("remote-call")
            await caller.close()
        cancelled = await owner.event("remote-call-cancel")
        assert cancelled["requestId"] == request["requestId"]


async def test_progress_reaches_the_caller_and_gives_more_time(shared_server: Server) -> None:
    token = shared_server.token()
    async with (
        socket(shared_server, token=token) as owner,
        socket(shared_server, token=token) as caller,
    ):
        await owner.serve("bench", [function("slow", timeout=1)])
        started = time.monotonic()
        slow = asyncio.create_task(caller.request("remote-call", call("slow", requestId="p")))
        request_id = (await owner.event("remote-call"))["requestId"]
        for step in range(1, 4):
            await asyncio.sleep(0.6)
            progress = {"requestId": request_id, "progress": step, "total": 3, "message": "on it"}
            await owner.send("remote-call-progress", progress)
            told = await caller.event("remote-call-progress")
            assert told == {"requestId": "p", "progress": step, "total": 3, "message": "on it"}
        await owner.send("remote-call-result", {"requestId": request_id, "result": "ok"})
        assert (await slow)["payload"]["result"] == "ok"
        assert time.monotonic() - started > 1.5


async def test_one_call_too_many_is_busy_at_once(start_server: Callable[..., Server]) -> None:
    server = start_server(env={"REMOTES_LIMITS": '{"in_flight_per_remote": 3}'})
    token = server.token()
    async with socket(server, token=token) as owner, socket(server, token=token) as caller:
        await owner.serve("bench", [function("slow")])
        for _ in range(3):
            await caller.send("remote-call", call("slow"))
            await owner.event("remote-call")
        answer = await caller.request("remote-call", call("slow"))
        assert answer["payload"]["code"] == "busy"


async def test_a_request_id_in_use_is_refused(shared_server: Server) -> None:
    async with bench(shared_server, shared_server.token()) as both:
        await both.send("remote-call", call("slow", {"seconds": 1}, requestId="same"), id="one")
        refusal = await both.refusal("remote-call", call("echo", requestId="same"))
        assert refusal["code"] == "invalid-payload"
        first = await both.take(lambda frame: frame.get("id") == "one")
        assert first["payload"]["result"] == "done"


async def test_an_error_that_says_nothing_is_a_success(shared_server: Server) -> None:
    token = shared_server.token()
    async with (
        socket(shared_server, token=token) as owner,
        socket(shared_server, token=token) as caller,
    ):
        await owner.serve("bench", [function("f")])
        for error, outcome in [
            (None, {"result": 1}),
            (False, {"result": 1}),
            (" ", {"result": 1}),
            ({"why": 5}, {"error": '{"why":5}', "code": "remote-error"}),
        ]:
            task = asyncio.create_task(caller.request("remote-call", call("f")))
            request_id = (await owner.event("remote-call"))["requestId"]
            reply = {"requestId": request_id, "result": 1, "error": error}
            await owner.send("remote-call-result", reply)
            payload = (await task)["payload"]
            del payload["requestId"]
            assert payload == outcome
