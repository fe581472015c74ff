"""What was asked of remotes in the first place, promise by promise, on a real server's socket."""

import asyncio
from collections.abc import Callable

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import Client, socket

FUNCTION = {
    "name": "echo",
    "description": "Gives back what it gets.",
    "parameters": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
}
CALL = {"remotename": "seed", "function": "echo", "args": {"text": "hello"}}


async def connect(owner: Client) -> None:
    await owner.ask("remote-connect", {"remotename": "seed", "functions": [FUNCTION]})


async def names(client: Client) -> list[str]:
    return [remote["remotename"] for remote in (await client.ask("remote-list"))["remotes"]]


async def test_remote_connect_registers_a_remote_of_function_specs(shared_server: Server) -> None:
    async with socket(shared_server, token=shared_server.token()) as owner:
        await connect(owner)
        (remote,) = (await owner.ask("remote-list"))["remotes"]
        assert (remote["remotename"], remote["functions"]) == ("seed", [FUNCTION])


async def test_remote_disconnect_removes_a_connected_remote(shared_server: Server) -> None:
    async with socket(shared_server, token=shared_server.token()) as owner:
        await connect(owner)
        await owner.ask("remote-disconnect", {"remotename": "seed"})
        assert await names(owner) == []


async def test_remote_list_takes_an_empty_payload_and_lists_the_users_remotes(
    shared_server: Server,
) -> None:
    async with (
        socket(shared_server, token=shared_server.token("ana")) as owner,
        socket(shared_server, token=shared_server.token("ana")) as other,
        socket(shared_server, token=shared_server.token("ben")) as stranger,
    ):
        await connect(owner)
        assert (await other.request("remote-list", {}))["payload"]["remotes"]
        assert await names(stranger) == []


async def test_remote_call_invokes_a_function_and_remote_call_result_delivers_the_outcome(
    shared_server: Server,
) -> None:
    """Each in both directions: the owner is called and answers, the caller calls and is told."""
    token = shared_server.token()
    async with (
        socket(shared_server, token=token) as owner,
        socket(shared_server, token=token) as caller,
    ):
        await connect(owner)
        for outcome in ({"result": ["any", None, 1.5]}, {"error": "out of paper"}):
            calling = asyncio.create_task(caller.request("remote-call", CALL))
            request = await owner.event("remote-call")
            assert {name: request[name] for name in CALL} == CALL
            answer = {"requestId": request["requestId"], **outcome}
            await owner.send("remote-call-result", answer)
            delivered = await calling
            assert delivered["action"] == "remote-call-result"
            assert outcome.items() <= delivered["payload"].items()
            assert delivered["payload"]["requestId"]


async def test_pending_calls_time_out_if_no_response_is_received(
    start_server: Callable[..., Server],
) -> None:
    """With half a second in place of the 30 of ``test_seed.py``."""
    server = start_server(env={"REMOTES_LIMITS": '{"call_timeout": 0.5}'})
    async with (
        socket(server, token=server.token()) as owner,
        socket(server, token=server.token()) as caller,
    ):
        await connect(owner)
        outcome = (await caller.request("remote-call", CALL))["payload"]
        assert outcome["code"] == "timeout"
        assert "echo gave no result within 0.5 s" in outcome["error"]
        assert (await owner.event("remote-call"))["deadline"] == 0.5


async def test_remotes_live_in_memory_during_the_servers_lifetime(server: Server) -> None:
    async with socket(server, token=server.token()) as owner:
        await connect(owner)
        await asyncio.to_thread(server.stop)
        await owner.closed()
    await asyncio.to_thread(server.start)
    async with socket(server, token=server.token()) as later:
        assert await names(later) == []


async def test_a_remote_ends_when_the_session_serving_it_closes(server: Server) -> None:
    async with socket(server, token=server.token()) as other:
        async with socket(server, token=server.token()) as owner:
            await connect(owner)
            assert await names(other) == ["seed"]
            await owner.close()
        await other.event("remotes-changed")
        assert await names(other) == []


async def test_a_messages_system_resource_makes_a_remote_available_to_the_agent(
    shared_server: Server,
) -> None:
    async with (
        socket(shared_server, token=shared_server.token()) as owner,
        socket(shared_server, cookie=shared_server.sign_in()) as page,
    ):
        await connect(owner)
        thread = (await page.ask("thread-create"))["thread"]["id"]
        resources = [{"kind": "system", "subkind": "remote", "content": "seed"}]
        message = {"thread": thread, "content": 'echo {"text": "hi"}', "resources": resources}
        await page.ask("message-send", message)
        request = await owner.event("remote-call")
        assert request["args"] == {"text": "hi"}
        await owner.send(
            "remote-call-result", {"requestId": request["requestId"], "error": "out of paper"}
        )
        finished = (await page.event("message-finished"))["message"]
        assert finished["status"] == "done"
        assert [call["error"] for call in finished["calls"]] == ["out of paper"]
