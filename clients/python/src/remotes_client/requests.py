"""Asks the server for something over a connection of its own, for the commands."""

from collections.abc import Callable, Mapping
from typing import Any

from remotes_client.connection import Connection, Frame, open_connection
from remotes_client.errors import CallError
from remotes_client.servers import Server

Progress = Callable[[Mapping[str, Any]], None]


async def list_remotes(server: Server) -> list[dict[str, Any]]:
    """The user's connected remotes, sorted by name, as ``remote-list`` tells them.

    Raises:
        RemotesError: The server can't be asked, or refuses.
    """
    connection = await open_connection(server)
    try:
        return await _all_remotes(connection)
    finally:
        await connection.close()


async def call_function(
    server: Server,
    remotename: str,
    function: str,
    read_arguments: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    progress: Progress,
) -> Any:
    """Call a function of one of the user's remotes and return its result.

    Args:
        server: Where to ask.
        remotename: The remote.
        function: The function's name.
        read_arguments: Gives the arguments for the function's ``parameters``.
        progress: Called with each ``{progress?, total?, message?}`` that arrives.

    Raises:
        CallError: The call failed; ``code`` says how.
        RemotesError: The server can't be asked.
    """
    connection = await open_connection(server)
    try:
        parameters = _parameters(await _all_remotes(connection), remotename, function)
        payload = {
            "remotename": remotename,
            "function": function,
            "args": read_arguments(parameters),
        }
        await connection.request("remote-call", payload, "call")
        answer = (await _answer(connection, "call", progress)).payload
    finally:
        await connection.close()
    if "code" in answer:
        details = answer.get("details") or ()
        raise CallError(answer["code"], str(answer.get("error")), details)
    return answer.get("result")


async def _all_remotes(connection: Connection) -> list[dict[str, Any]]:
    remotes: list[dict[str, Any]] = []
    more = True
    while more:
        after = {"after": remotes[-1]["remotename"]} if remotes else {}
        await connection.request("remote-list", after, "list")
        page = (await _answer(connection, "list")).payload
        remotes += page["remotes"]
        more = bool(page.get("more")) and bool(page["remotes"])
    return remotes


def _parameters(remotes: list[dict[str, Any]], remotename: str, function: str) -> dict[str, Any]:
    """The function's schema; empty where it is not listed, which the call itself will report."""
    for remote in remotes:
        for known in remote["functions"]:
            if (remote["remotename"], known["name"]) == (remotename, function):
                return known.get("parameters") or {}
    return {}


async def _answer(connection: Connection, id: str, progress: Progress | None = None) -> Frame:
    while True:
        frame = await connection.receive()
        if frame.id == id and frame.action == "error":
            payload = frame.payload
            raise CallError(payload["code"], payload["message"], payload.get("details") or ())
        if frame.id == id:
            return frame
        if frame.action == "remote-call-progress" and progress is not None:
            progress(frame.payload)
