"""Functions with every kind of schema over the socket, hostile ones among them."""

import asyncio
import time

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import bench, function, socket
from tests.remotes.hostile import SCHEMAS
from tests.remotes.test_schemas import SHIPPED

ODD_NAMES = ["calendar.respondToEvent", "files/read all", "turn-on", "søk", "9lives", "x" * 90]


async def test_arguments_reach_a_remote_unchanged_whatever_the_schema(
    shared_server: Server,
) -> None:
    """G16."""
    functions = [{"name": name, "parameters": schema} for name, (schema, _) in SHIPPED.items()]
    async with bench(shared_server, shared_server.token(), "shipped", functions) as both:
        for name, (_, args) in SHIPPED.items():
            call = {"remotename": "shipped", "function": name, "args": args}
            assert (await both.ask("remote-call", call))["result"] == args


async def test_a_remote_is_asked_by_the_names_it_registered(shared_server: Server) -> None:
    """G15."""
    functions = [function(name) for name in ODD_NAMES]
    async with bench(shared_server, shared_server.token(), "Home Lab (2nd)", functions) as both:
        for name in ODD_NAMES:
            call = {"remotename": "Home Lab (2nd)", "function": name, "args": {"n": name}}
            assert (await both.ask("remote-call", call))["result"] == {"n": name}


async def test_a_remote_of_150_functions_is_registered_whole(
    shared_server: Server,
) -> None:
    """G18."""
    schemas = [schema for schema, _ in SHIPPED.values()]
    functions = [
        {
            "name": f"f{number}",
            "description": "x" * 500,
            "parameters": schemas[number % len(schemas)],
        }
        for number in range(150)
    ]
    async with socket(shared_server, token=shared_server.token()) as owner:
        began = time.monotonic()
        reply = await owner.serve("big", functions)
        seconds = time.monotonic() - began
    assert len(reply["functions"]) == 150
    print(f"150 functions registered in {seconds:.3f} s")


async def test_the_server_answers_others_while_it_is_given_hostile_functions(
    server: Server,
) -> None:
    functions = [
        {"name": name, "parameters": parameters} for name, (parameters, _) in SCHEMAS.items()
    ]
    async with (
        bench(server, server.token(), "hostile") as both,
        socket(server, token=server.token("ben")) as other,
    ):
        for start in range(0, len(functions), 12):
            part = {"remotename": f"hostile{start}", "functions": functions[start : start + 12]}
            asked = asyncio.create_task(both.request("remote-connect", part))
            while not asked.done():
                assert await other.ask("ping") == {}
            assert (await asked)["action"] in ("remote-connect", "error")
        assert await other.ask("ping") == {}
