"""The ``remotes`` command: serve a file of functions, list remotes, call a function."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remotes_client import __version__
from remotes_client.arguments import read_arguments
from remotes_client.console import complain, say
from remotes_client.errors import NameLostError, RemotesError
from remotes_client.files import load_remotes, write_starter
from remotes_client.remote import Remote, run_until_ended
from remotes_client.requests import call_function, list_remotes
from remotes_client.servers import find_server


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 0 when all went well, else 1, or 2 for wrong usage."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except RemotesError as error:
        complain(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="remotes", description="Offer functions of this computer to your AI agent."
    )
    parser.add_argument("--version", action="version", version=f"remotes-client {__version__}")
    server = argparse.ArgumentParser(add_help=False)
    server.add_argument("--server", help="the server's address (or REMOTES_SERVER)")
    server.add_argument("--token", help="what opens the server (or REMOTES_TOKEN)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", parents=[server], help="serve the functions of a file")
    serve.add_argument("file", type=Path, help="a Python file; a starter is written if missing")
    serve.add_argument("--name", help="the remote's name (else the file's)")
    serve.set_defaults(run=_serve)

    listing = commands.add_parser("list", parents=[server], help="list remotes and functions")
    listing.set_defaults(run=_list)

    call = commands.add_parser("call", parents=[server], help="call a function")
    call.add_argument("remote")
    call.add_argument("function")
    call.add_argument("arguments", nargs="*", help="one JSON object, or key=value ...")
    call.set_defaults(run=_call)
    return parser


def _serve(options: argparse.Namespace) -> int:
    find_server(options.server, options.token)  # before a file is written that could not be served
    if not options.file.exists():
        write_starter(options.file)
        say(f"{options.file} is new: it holds a few functions to start from. Change them freely.")
    remotes = load_remotes(options.file, options.name)
    for remote in remotes:
        remote.server = options.server or remote.server
        remote.token = options.token or remote.token
    return run_until_ended(_serve_all(remotes))


async def _serve_all(remotes: Sequence[Remote]) -> None:
    if len(remotes) == 1:
        await remotes[0].serve_async()
    else:
        await asyncio.gather(*(_serve_beside_others(remote) for remote in remotes))


async def _serve_beside_others(remote: Remote) -> None:
    """Serve one of several remotes; where it loses its name, the others go on."""
    try:
        await remote.serve_async()
    except NameLostError as error:
        complain(str(error).replace("so this program ends", "so it is no longer served here"))


def _list(options: argparse.Namespace) -> int:
    remotes = asyncio.run(list_remotes(find_server(options.server, options.token)))
    if not remotes:
        say("No remote is connected.")
    for remote in remotes:
        client = remote.get("client") or {}
        parts = [client.get("program"), client.get("host") and f"on {client['host']}"]
        say(" ".join([remote["remotename"], *(f"{part}" for part in parts if part)]))
        for function in remote["functions"]:
            say(_function_line(function))
    return 0


def _function_line(function: Mapping[str, Any]) -> str:
    schema = function.get("parameters") or {}
    required = schema.get("required") or ()
    names = [name if name in required else f"[{name}]" for name in schema.get("properties") or ()]
    summary = (function.get("description") or "").strip().partition("\n")[0]
    approval = " (asks for approval)" if function.get("confirm") else ""
    return f"  {function['name']}({', '.join(names)})  {summary}{approval}".rstrip()


def _call(options: argparse.Namespace) -> int:
    result = asyncio.run(
        call_function(
            find_server(options.server, options.token),
            options.remote,
            options.function,
            lambda schema: read_arguments(options.arguments, schema),
            _show_progress,
        )
    )
    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(result, indent=2, ensure_ascii=not is_utf8), flush=True)
    return 0


def _show_progress(progress: Mapping[str, Any]) -> None:
    done = [f"{progress[key]:g}" for key in ("progress", "total") if progress.get(key) is not None]
    complain(" ".join(["/".join(done), progress.get("message") or ""]).strip())
