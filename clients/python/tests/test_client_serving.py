"""How a remote connects, stays connected, and ends."""

import asyncio
import platform
import re
import threading

import pytest
from scripted_server import PATIENCE, TOKEN, serving

from remotes_client import (
    AddressError,
    NameLostError,
    Remote,
    ServerError,
    TokenError,
    __version__,
    confirm,
)


async def test_it_registers_its_functions_and_says_so(server, bench, capsys):
    bench.title = "My bench"

    @bench.function(timeout=5, annotations={"readOnlyHint": True})
    def read(path: str) -> str:
        """Read a file."""
        return path

    @bench.function
    @confirm
    def write() -> None:
        return None

    async with serving(bench):
        owner = await server.peer()
        registered = await owner.register()
        assert await owner.is_quiet()
    assert owner.headers["authorization"] == f"Bearer {TOKEN}"
    assert owner.headers["sec-websocket-protocol"] == "remotes.v1"
    assert owner.socket.request.path == "/ws/"
    assert registered == {
        "remotename": "bench",
        "title": "My bench",
        "heartbeat": True,
        "client": {"program": f"remotes-client {__version__}", "host": platform.node()},
        "functions": [
            {
                "name": "read",
                "description": "Read a file.",
                "parameters": {
                    "type": "object",
                    "properties": {"path": {"type": "string"}},
                    "required": ["path"],
                    "additionalProperties": False,
                },
                "timeout": 5,
                "annotations": {"readOnlyHint": True},
            },
            {
                "name": "write",
                "description": "",
                "parameters": {"type": "object", "additionalProperties": False},
                "confirm": True,
            },
        ],
    }
    said = capsys.readouterr().out
    assert said == f"Connected as bench to {server.address}: read, write. Ctrl+C ends it.\n"


async def test_a_refused_function_is_named_with_the_reason(server, bench, capsys):
    refused = [{"name": "odd", "path": "functions.0.name", "message": "It is too odd."}]
    async with serving(bench):
        owner = await server.peer()
        await owner.register(refused=refused)
        assert await owner.is_quiet()
    said = capsys.readouterr().err
    assert said == "The server does not take odd (functions.0.name: It is too odd.).\n"


async def test_taking_a_name_from_another_program_is_said(server, bench, capsys):
    async with serving(bench):
        owner = await server.peer()
        await owner.register(replaced=True)
        assert await owner.is_quiet()
    assert "Another program served bench until now" in capsys.readouterr().out


async def test_an_error_frame_is_printed_and_the_connection_goes_on(server, bench, capsys):
    async with serving(bench):
        owner = await server.owner()
        details = [{"path": "payload", "message": "No."}]
        error = {"code": "too-large", "message": "The frame is too large.", "details": details}
        await owner.send("error", {"action": "remote-call-result", **error})
        await owner.send("something-new", {"from": "a later version"})
        assert await owner.is_quiet()
    said = capsys.readouterr().err
    assert said == "The server says: The frame is too large. (too-large) [payload: No.]\n"


async def test_what_a_peer_writes_can_not_steer_the_terminal(server, bench, capsys):
    async with serving(bench):
        owner = await server.owner()
        await owner.send("error", {"code": "internal", "message": "\x1b[2Jgone"})
        assert await owner.is_quiet()
    assert "\\x1b[2Jgone" in capsys.readouterr().err


async def test_it_comes_back_and_registers_again_after_the_connection_broke(server, bench, capsys):
    async with serving(bench):
        owner = await server.owner()
        owner.socket.transport.abort()
        again = await server.owner()
        assert await again.is_quiet()
    printed = capsys.readouterr()
    assert printed.out.endswith("Connected again.\n")
    assert printed.err == (
        f"The connection to {server.address} is lost. "
        "Trying again until it answers; Ctrl+C ends it.\n"
    )


async def test_it_comes_back_when_a_stopping_server_asked_it_to(server, bench):
    async with serving(bench):
        owner = await server.owner()
        loop = asyncio.get_running_loop()
        await owner.send("goodbye", {"retryAfter": 1.2})
        await owner.socket.close(4412)
        said_goodbye = loop.time()
        await server.owner()
        assert loop.time() - said_goodbye > 1.1  # by itself it would wait 1 s at most


@pytest.mark.parametrize("code", [1001, 1012, 4408, 4429])
async def test_other_closes_are_followed_by_a_new_connection(server, bench, code):
    async with serving(bench):
        owner = await server.owner()
        await owner.send("goodbye", {"retryAfter": 0.01})
        await owner.socket.close(code)
        assert await (await server.owner()).is_quiet()


async def test_calls_of_a_broken_connection_are_given_up(server, bench):
    started, cancelled = asyncio.Event(), asyncio.Event()

    @bench.function
    async def wait() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with serving(bench):
        owner = await server.owner()
        await owner.begin("wait")
        await asyncio.wait_for(started.wait(), PATIENCE)
        owner.socket.transport.abort()
        await asyncio.wait_for(cancelled.wait(), PATIENCE)
        assert await (await server.owner()).is_quiet()


async def test_a_wrong_token_ends_it_with_a_sentence(server, bench):
    bench.token = "another"
    with pytest.raises(TokenError, match="does not accept the token: it is wrong, expired or"):
        await bench.serve_async()


async def test_a_revoked_token_ends_it(server, bench):
    async with serving(bench) as task:
        owner = await server.owner()
        await owner.socket.close(4401)
        with pytest.raises(TokenError, match="revoked"):
            await task


async def test_losing_the_name_ends_it_and_says_who_took_it(server, bench):
    async with serving(bench) as task:
        owner = await server.owner()
        client = {"program": "remotes-client 0.1.0", "host": "desk"}
        taken = {"remotename": "bench", "reason": "replaced", "by": {"client": client}}
        await owner.send("remote-disconnected", taken)
        with pytest.raises(
            NameLostError, match=r"remotes-client 0\.1\.0 on desk took over the name"
        ):
            await task


async def test_a_call_that_runs_when_the_name_is_lost_is_still_answered(server, bench):
    go_on = threading.Event()

    @bench.function
    def wait() -> str:
        go_on.wait(10)
        return "done"

    async with serving(bench) as task:
        owner = await server.owner()
        await owner.begin("wait")
        await owner.send("remote-disconnected", {"remotename": "bench", "reason": "replaced"})
        assert await owner.is_quiet()
        go_on.set()
        assert (await owner.receive("remote-call-result"))["payload"]["result"] == "done"
        with pytest.raises(NameLostError, match="Another program took over the name bench"):
            await task


async def test_being_disconnected_by_the_user_ends_it(server, bench):
    async with serving(bench) as task:
        owner = await server.owner()
        await owner.send("remote-disconnected", {"remotename": "bench", "reason": "disconnected"})
        with pytest.raises(NameLostError, match="bench was disconnected on the server"):
            await task


async def test_a_refused_registration_ends_it_with_the_details(server, bench):
    async with serving(bench) as task:
        owner = await server.peer()
        request = await owner.receive("remote-connect")
        details = [{"path": "functions.0.name", "message": "No."}]
        error = {"code": "invalid-payload", "message": "Nothing to serve.", "details": details}
        await owner.send("error", {"action": "remote-connect", **error}, request["id"])
        with pytest.raises(ServerError, match=re.escape("[functions.0.name: No.]")):
            await task


async def test_definitions_larger_than_the_server_takes_end_it(server, bench):
    server.welcome = {**server.welcome, "limits": {"frame": 100}}
    with pytest.raises(ServerError, match=r"remote-connect is too large: .* at most 100"):
        await bench.serve_async()


async def test_a_server_of_another_protocol_ends_it(server, bench):
    server.welcome = {"protocol": 2}
    with pytest.raises(ServerError, match=r"speaks protocol 2, this program 1\. Get a new"):
        await bench.serve_async()


async def test_a_web_server_that_is_no_remotes_server_ends_it(bench):
    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    web = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with web:
        bench.server = f"http://127.0.0.1:{web.sockets[0].getsockname()[1]}"
        with pytest.raises(ServerError, match=r"refuses the connection \(HTTP 404\)"):
            await bench.serve_async()


async def test_a_redirect_is_named_and_not_followed(bench):
    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 301 Moved\r\nLocation: https://there/ws/\r\n\r\n")
        await writer.drain()
        writer.close()

    web = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with web:
        bench.server = f"http://127.0.0.1:{web.sockets[0].getsockname()[1]}"
        with pytest.raises(ServerError, match="redirects to https://there/ws/"):
            await bench.serve_async()


@pytest.mark.parametrize("address", ["ftp://here", "http://", "http://here:port", "here:/there"])
async def test_an_address_that_is_none_ends_it(bench, address):
    bench.server = address
    with pytest.raises(AddressError, match="is no server address; one looks like http://"):
        await bench.serve_async()


@pytest.mark.parametrize("suffix", ["", "/", "/ws/"])
async def test_an_address_may_be_written_in_several_ways(server, bench, suffix):
    bench.server = f"127.0.0.1:{server.port}{suffix}"
    async with serving(bench):
        assert (await server.owner()).socket.request.path == "/ws/"


async def test_server_and_token_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("REMOTES_SERVER", server.address)
    monkeypatch.setenv("REMOTES_TOKEN", TOKEN)
    async with serving(Remote("bench")):
        assert await (await server.owner()).is_quiet()


async def test_a_missing_token_ends_it(server, bench, monkeypatch):
    monkeypatch.delenv("REMOTES_TOKEN", raising=False)
    bench.token = None
    with pytest.raises(TokenError, match="There is no token"):
        await bench.serve_async()


async def test_cancelling_closes_the_connection(server, bench):
    async with serving(bench):
        owner = await server.owner()
    await owner.closed()
