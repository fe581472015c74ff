"""Connecting, listing and taking away remotes, each within its user."""

import asyncio
import json
from collections.abc import Callable

import pytest

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import Client, Frame, bench, function, socket


async def names(client: Client) -> list[str]:
    return [remote["remotename"] for remote in (await client.ask("remote-list"))["remotes"]]


async def test_a_remote_is_listed_as_it_was_registered(server: Server) -> None:
    token = server.token()
    async with socket(server, token=token) as owner, socket(server, token=token) as other:
        defined = {
            "name": "find",
            "description": "Find it.",
            "parameters": {"type": "object", "properties": {"n": {"default": 1.5}}, "x-order": 1},
            "timeout": 5,
            "confirm": True,
            "annotations": {"readOnlyHint": True},
        }
        client = {"program": "tests", "host": "here"}
        reply = await owner.serve("lab", [defined], title="The lab", client=client)
        assert reply == {
            "remotename": "lab",
            "functions": ["find"],
            "refused": [],
            "replaced": False,
        }
        (entry,) = (await other.ask("remote-list"))["remotes"]
        assert entry["functions"] == [defined]
        assert (entry["title"], entry["client"], entry["own"]) == ("The lab", client, False)
        assert (await owner.ask("remote-list"))["remotes"][0]["own"] is True


async def test_whoever_has_listed_hears_of_changes(server: Server) -> None:
    token = server.token()
    async with socket(server, token=token) as watcher, socket(server, token=token) as owner:
        assert await names(watcher) == []
        await owner.serve("one", [function("f")])
        await watcher.event("remotes-changed")
        assert await names(watcher) == ["one"]
        await owner.ask("remote-disconnect", {"remotename": "one"})
        await watcher.event("remotes-changed")
        assert await names(watcher) == []


async def test_a_bad_function_is_refused_alone(shared_server: Server) -> None:
    """G17."""
    bad = [
        {"name": "text", "parameters": "none"},
        {"name": "list", "parameters": []},
        {"name": "mode", "parameters": {"type": "object", "properties": {"mode": "string"}}},
        {"name": "any", "parameters": {"properties": {"a": {"type": "any"}}}},
        {"name": "flag", "parameters": {"properties": {"a": {"required": True}}}},
        {"name": "array", "parameters": {"type": "array", "items": {}}},
        {"name": "far", "parameters": {"properties": {"a": {"$ref": "http://127.0.0.1:1/x"}}}},
        {"name": "file", "parameters": {"properties": {"a": {"$ref": "file:///etc/hostname"}}}},
        {"name": "steps", "parameters": {"allOf": [{}], "$ref": "#/allOf/" + "1" * 5000}},
        {"name": "huge", "annotations": {"n": -(10**4299)}},
        {"name": "draft", "parameters": {"$schema": "https://example.com/mine"}},
        {"name": "slow", "timeout": 601},
        {"name": "ask", "confirm": "yes"},
        {"name": "hint", "annotations": []},
        {"name": " space "},
        {"name": "ping"},
        {"description": "no name"},
        7,
    ]
    async with socket(shared_server, token=shared_server.token()) as owner:
        reply = await owner.serve("mixed", [function("ping"), *bad])  # type: ignore[list-item]
        assert reply["functions"] == ["ping"]
        assert len(reply["refused"]) == len(bad)
        assert all(entry["message"] for entry in reply["refused"])
        paths = [entry["path"] for entry in reply["refused"]]
        assert paths[2] == "functions.3.parameters.properties.mode"
        assert paths[11] == "functions.12.timeout"
        assert [entry["name"] for entry in reply["refused"]][:2] == ["text", "list"]


async def test_a_schema_that_unfolds_without_end_is_refused(shared_server: Server) -> None:
    steps = {
        f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}, {"$ref": f"#/$defs/a{n + 1}"}]}
        for n in range(40)
    }
    parameters = {"$defs": {**steps, "a40": {"type": "string"}}, "$ref": "#/$defs/a0"}
    tree = {"properties": {"children": {"items": {"$ref": "#"}}}}
    async with socket(shared_server, token=shared_server.token()) as owner:
        functions = [
            {"name": "bomb", "parameters": parameters},
            {"name": "tree", "parameters": tree},
        ]
        reply = await owner.serve("deep", functions)
        assert [entry["name"] for entry in reply["refused"]] == ["bomb"]
        assert reply["functions"] == ["tree"]


async def test_when_no_function_is_usable_the_earlier_registration_stays(
    shared_server: Server,
) -> None:
    async with bench(shared_server, shared_server.token(), "kept") as owner:
        refusal = await owner.refusal(
            "remote-connect", {"remotename": "kept", "functions": [{"name": ""}]}
        )
        assert refusal["code"] == "invalid-payload"
        echoed = {"remotename": "kept", "function": "echo", "args": {"n": 1}}
        assert (await owner.ask("remote-call", echoed))["result"] == {"n": 1}


@pytest.mark.parametrize("bad", ["", " a", "a\n", "a\u202eb", "x" * 129, "\ufeffa", "a\u2028b"])
async def test_a_name_that_cannot_be_seen_for_what_it_is_is_refused(
    shared_server: Server, bad: str
) -> None:
    async with socket(shared_server, token=shared_server.token()) as client:
        payload = {"remotename": bad, "functions": [function("f")]}
        assert (await client.refusal("remote-connect", payload))["code"] == "invalid-payload"


async def test_names_are_compared_in_nfc(shared_server: Server) -> None:
    async with bench(shared_server, shared_server.token(), "cafe\u0301") as both:
        call = {"remotename": "caf\u00e9", "function": "echo"}
        assert (await both.ask("remote-call", call))["result"] == {}


async def test_no_parameters_may_be_said_in_every_way(shared_server: Server) -> None:
    """G14."""
    ways: list[dict[str, object]] = [
        {},
        {"parameters": None},
        {"parameters": {}},
        {"parameters": {"type": "object"}},
        {"parameters": {"type": "object", "properties": {}}},
        {"parameters": {"type": "object", "properties": None, "required": None}},
        {
            "parameters": {
                "type": "object",
                "properties": {},
                "required": [],
                "additionalProperties": False,
            }
        },
    ]
    functions = [{"name": f"f{index}", **way} for index, way in enumerate(ways)]
    async with bench(shared_server, shared_server.token(), "ways", functions) as both:
        for index in range(len(ways)):
            call = {"remotename": "ways", "function": f"f{index}"}
            assert (await both.ask("remote-call", call))["result"] == {}


async def test_the_newest_owner_of_a_name_wins_and_outlives_the_older(server: Server) -> None:
    """G05 (a)."""
    token = server.token()
    async with socket(server, token=token) as caller, socket(server, token=token) as old:
        await old.serve("bench", [function("slow"), function("echo")])
        slow = {"remotename": "bench", "function": "slow"}
        answered = asyncio.create_task(caller.request("remote-call", slow))
        first = await old.event("remote-call")
        unanswered = asyncio.create_task(caller.request("remote-call", slow))
        await old.event("remote-call")
        async with bench(server, token) as new:
            told = await old.event("remote-disconnected")
            assert (told["remotename"], told["reason"]) == ("bench", "replaced")
            assert told["by"] == {"client": {}}
            answer = {"requestId": first["requestId"], "result": "mine"}
            await old.send("remote-call-result", answer)
            assert (await answered)["payload"]["result"] == "mine"
            await old.close()
            assert (await unanswered)["payload"]["code"] == "remote-disconnected"
            assert await names(caller) == ["bench"]
            echo = {"remotename": "bench", "function": "echo", "args": {"n": 2}}
            assert (await caller.ask("remote-call", echo))["result"] == {"n": 2}
            assert (await new.ask("remote-list"))["remotes"][0]["own"] is True


async def test_connecting_again_on_the_same_socket_replaces_the_functions(
    shared_server: Server,
) -> None:
    token = shared_server.token()
    async with socket(shared_server, token=token) as owner:
        await owner.serve("same", [function("slow")])
        call = {"remotename": "same", "function": "slow"}
        pending = asyncio.create_task(owner.request("remote-call", call))
        request = await owner.event("remote-call")
        reply = await owner.serve("same", [function("other")])
        assert reply["replaced"] is False
        await owner.send("remote-call-result", {"requestId": request["requestId"], "result": 1})
        assert (await pending)["payload"]["result"] == 1
        gone: Frame = await owner.request("remote-call", call)
        assert gone["payload"]["code"] == "function-not-found"


async def test_any_socket_of_the_user_may_take_a_remote_away(server: Server) -> None:
    token = server.token()
    async with socket(server, token=token) as owner, socket(server, token=token) as other:
        await owner.serve("lab", [function("slow")])
        call = {"remotename": "lab", "function": "slow"}
        pending = asyncio.create_task(other.request("remote-call", call))
        await owner.event("remote-call")
        assert await other.ask("remote-disconnect", {"remotename": "lab"}) == {"remotename": "lab"}
        assert (await pending)["payload"]["code"] == "remote-disconnected"
        told = await owner.event("remote-disconnected")
        assert told == {"remotename": "lab", "reason": "disconnected"}
        again = await other.refusal("remote-disconnect", {"remotename": "lab"})
        assert again["code"] == "remote-not-found"


async def test_two_users_with_one_name_never_meet(server: Server) -> None:
    """G28 (a) and (c)."""
    ana, ben = server.token("ana"), server.token("ben")
    async with socket(server, token=ana) as hers, bench(server, ben) as his:
        await hers.serve("bench", [function("echo")])
        call = {"remotename": "bench", "function": "echo", "args": {"who": "ben"}}
        for extra in ({}, {"user_id": 2}, {"userId": 2}, {"user": {"id": "2"}}):
            frame = {"action": "remote-call", "payload": {**call, **extra}, **extra, "id": "x"}
            await his.text(json.dumps(frame))
            answer = await his.take(lambda frame: frame.get("id") == "x")
            assert answer["payload"]["result"] == {"who": "ben"}
        for name in ("ana/bench", "2:bench", "../bench"):
            payload = await his.ask("remote-call", {**call, "remotename": name})
            assert payload["code"] == "remote-not-found"
        await his.ask("remote-disconnect", {"remotename": "bench"})
        assert await names(his) == []
        assert await names(hers) == ["bench"]
        assert not [frame for frame in hers.frames if frame["action"] == "remote-call"]


async def test_a_long_list_comes_in_pages(server: Server) -> None:
    token = server.token()
    big = [{**function(f"f{n}"), "description": "x" * 60_000} for n in range(12)]
    async with socket(server, token=token) as owner:
        for name in ("a", "b", "c"):
            await owner.serve(name, big)
        pages, after = [], None
        while True:
            payload: dict[str, object] = {} if after is None else {"after": after}
            page = await owner.ask("remote-list", payload)
            pages.append([remote["remotename"] for remote in page["remotes"]])
            after = pages[-1][-1]
            if not page["more"]:
                break
        assert pages == [["a"], ["b"], ["c"]]


async def test_one_remote_too_many_is_refused(start_server: Callable[..., Server]) -> None:
    server = start_server(env={"REMOTES_LIMITS": '{"remotes": 2, "functions": 3}'})
    async with socket(server, token=server.token()) as owner:
        await owner.serve("a", [function("f")])
        await owner.serve("b", [function("f")])
        third = {"remotename": "c", "functions": [function("f")]}
        assert (await owner.refusal("remote-connect", third))["code"] == "too-many"
        four = {"remotename": "a", "functions": [function(f"f{n}") for n in range(4)]}
        assert (await owner.refusal("remote-connect", four))["code"] == "too-many"
        assert (await owner.ask("remote-list"))["remotes"][0]["functions"][0]["name"] == "f"
