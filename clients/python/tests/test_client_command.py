"""The `remotes` command, run as `remotes.pyz` by Pythons that have nothing installed."""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from scripted_server import PATIENCE, TOKEN, ScriptedServer

import build_client

PYENV = Path.home() / ".pyenv" / "versions"
STARTER = build_client.PACKAGE / "starter.py"
BARE = ["-I", "-S"]  # no variables of the environment, no installed package


def find_python(version: str) -> str:
    """An interpreter of this version, or the test is skipped."""
    # pyenv's own commands on the path work only for the versions that it was told to use.
    found = [str(path) for path in sorted(PYENV.glob(f"{version}.*/bin/python3"))]
    command = found[0] if found else shutil.which(f"python{version}")
    if command is None:
        pytest.skip(f"Python {version} is not here")
    return command


@pytest.fixture(scope="session")
def pyz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_client.build_pyz(tmp_path_factory.mktemp("pyz"))


class Program:
    """A running `remotes.pyz`, its output read line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def says(self) -> str:
        """The next line on standard output."""
        return await self._line(self.process.stdout)

    async def complains(self) -> str:
        """The next line on standard error."""
        return await self._line(self.process.stderr)

    async def ends(self) -> tuple[int, str, str]:
        """Its exit code, and what else it wrote on its two streams."""
        output, errors = await asyncio.wait_for(self.process.communicate(), PATIENCE)
        return self.process.returncode, output.decode(), errors.decode()

    async def _line(self, stream: asyncio.StreamReader) -> str:
        return (await asyncio.wait_for(stream.readline(), PATIENCE)).decode().rstrip()


@pytest.fixture
def run(pyz: Path, tmp_path: Path, server: ScriptedServer):
    """Starts the command in a folder of its own, which is also the home folder."""
    program = os.path.relpath(pyz, tmp_path)

    @asynccontextmanager
    async def start(
        *words: str, python: str = sys.executable, token: str | None = TOKEN, **options
    ) -> AsyncIterator[Program]:
        environment = {**os.environ, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
        environment |= {"REMOTES_SERVER": server.address, "REMOTES_TOKEN": token or ""}
        process = await asyncio.create_subprocess_exec(
            python,
            *BARE,
            program,
            *words,
            cwd=tmp_path,
            env=environment | options,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            yield Program(process)
        finally:
            if process.returncode is None:
                process.kill()
            await process.communicate()

    return start


@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13"])
async def test_a_starter_is_written_and_served_by_any_python(version, run, server, tmp_path):
    async with run("serve", "laptop.py", python=find_python(version)) as program:
        owner = await server.peer()
        registered = await owner.register()
        assert (await program.says()).startswith("laptop.py is new: it holds")
        names = "disk_free, list_folder, add_note"
        connected = f"Connected as laptop to {server.address}: {names}. Ctrl+C ends it."
        assert await program.says() == connected
        assert registered["functions"][2]["confirm"] is True
        free = (await owner.call("disk_free"))["result"]
        assert 0 <= free["free"] <= free["total"]
        note = await owner.call("add_note", text="Buy milk.")
        assert note == {"result": str(tmp_path / "notes-from-the-agent.txt")}
        listed = await owner.call("list_folder", pattern="*.txt")
        assert listed == {"result": ["notes-from-the-agent.txt"]}
        program.process.send_signal(signal.SIGINT)
        assert await program.ends() == (0, "Ended.\n", "")
    assert (tmp_path / "laptop.py").read_bytes() == STARTER.read_bytes()
    assert (tmp_path / "notes-from-the-agent.txt").read_text() == "Buy milk.\n"


async def test_python_3_10_comes_back_and_ends_with_the_websockets_inside(run, server):
    async with run("serve", "laptop.py", python=find_python("3.10")) as program:
        owner = await server.owner()
        owner.socket.transport.abort()
        assert await (await server.owner()).is_quiet()
        program.process.terminate()
        code, output, errors = await program.ends()
    assert (code, output.splitlines()[-2:]) == (0, ["Connected again.", "Ended."])
    assert errors.startswith("The connection to http://127.0.0.1:")


async def test_a_server_that_is_away_is_mentioned_once_and_found_when_it_is_back(run, server):
    await server.stop()
    async with run("serve", "laptop.py") as program:
        await program.says()
        sentence = f"{server.address} can't be reached (nothing listens there)."
        trying = "Trying again until it answers; Ctrl+C ends it."
        assert await program.complains() == f"{sentence} {trying}"
        await server.start()
        await server.owner()
        assert (await program.says()).startswith("Connected as laptop")
        program.process.terminate()
        assert await program.ends() == (0, "Ended.\n", "")


async def test_ctrl_c_ends_it_while_functions_run(run, server, tmp_path):
    (tmp_path / "slow.py").write_text(
        "import time\n\ndef sleep():\n    print('asleep', flush=True)\n    time.sleep(600)\n"
    )
    async with run("serve", "slow.py") as program:
        owner = await server.owner()
        await owner.begin("sleep")
        assert (await program.says()).startswith("Connected as slow")
        assert await program.says() == "asleep"
        program.process.send_signal(signal.SIGINT)
        assert await program.ends() == (0, "Ended.\n", "")


async def test_only_public_functions_of_the_file_itself_are_served(run, server, tmp_path):
    (tmp_path / "helpers.py").write_text("def helper(): ...\n")
    (tmp_path / "json.py").write_text(
        "import os.path\nfrom json import dumps\nfrom helpers import helper\n"
        "class Lamp: ...\n"
        "def _hidden(): ...\n"
        "def hidden_by_its_hint(data: bytes): ...\n"
        "def shown(): return dumps([1])\n"
        "same = shown\n"
    )
    async with run("serve", "json.py", "--name", "other") as program:
        owner = await server.peer()
        registered = await owner.register()
        assert registered["remotename"] == "other"
        assert [function["name"] for function in registered["functions"]] == ["shown"]
        assert await owner.call("shown") == {"result": "[1]"}
        program.process.terminate()
        code, _, errors = await program.ends()
    refusal = "hidden_by_its_hint is not served: parameter data: bytes has no JSON form.\n"
    assert (code, errors) == (0, refusal)


async def test_remotes_that_a_file_creates_are_served_instead(run, server, tmp_path):
    (tmp_path / "two.py").write_text(
        "from remotes_client import Remote\n"
        "one, two = Remote('one'), Remote('two')\n"
        "@one.function\ndef f(): ...\n"
        "@two.function(name='h')\ndef g(): ...\n"
        "def not_served(): ...\n"
        "if __name__ == '__main__':\n    one.serve()\n"
    )
    async with run("serve", "two.py"):
        payloads = [await (await server.peer()).register() for _ in range(2)]
    served = {p["remotename"]: [f["name"] for f in p["functions"]] for p in payloads}
    assert served == {"one": ["f"], "two": ["h"]}


async def test_a_program_of_its_own_can_use_the_library_inside_the_file(run, server, tmp_path, pyz):
    script = tmp_path / "own.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(pyz)!r})\n"
        "from remotes_client import Remote\n"
        f"remote = Remote('own', server={server.address!r}, token={TOKEN!r})\n"
        "@remote.function\ndef f():\n    import os; os.chdir('/'); import colorsys; return 1\n"
        "remote.serve()\nprint('after')\n"
    )
    process = await asyncio.create_subprocess_exec(
        find_python("3.10"), *BARE, str(script), stdout=asyncio.subprocess.PIPE
    )
    owner = await server.owner()
    assert await owner.call("f") == {"result": 1}
    process.terminate()
    output, _ = await process.communicate()
    assert output.decode().splitlines()[1:] == ["Ended.", "after"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("def f(:\n", "bad.py, line 1: invalid syntax."),
        ("\nimport no_such\n", "bad.py, line 2 can't be loaded: ModuleNotFoundError: No module"),
        ("raise SystemExit(3)\n", "bad.py, line 1 can't be loaded: SystemExit: 3"),
        ("x = 1\n", "bad.py has no public function to serve."),
    ],
)
async def test_a_file_that_can_not_be_served_gives_one_line(run, tmp_path, content, line):
    (tmp_path / "bad.py").write_text(content)
    async with run("serve", "bad.py") as program:
        code, output, errors = await program.ends()
    assert (code, output, errors.count("\n")) == (1, "", 1)
    assert errors.startswith(line)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["serve", "laptop"], "There is no file laptop, and a new one needs a name that ends in"),
        (["serve", "no/where.py"], "no/where.py can't be written: No such file or directory."),
        (["serve", "."], ". is no Python file."),
        (["serve", "x.py", "--server", "ftp://x"], "ftp://x is no server address; one looks like"),
        (["list", "--server", "http://127.0.0.1:1"], "http://127.0.0.1:1 can't be reached (noth"),
        (["serve", "x.py", "--token", "not complete"], "The token is not complete: tokens hold"),
        (["serve", "x.py", "--token", "wrong"], "http://127.0.0.1:"),
        (["call", "bench", "f", "x"], "x is no argument: give key=value, or one JSON object."),
        (["call", "bench", "f", "{x}"], "The arguments are no JSON: "),
    ],
)
async def test_what_can_not_be_done_gives_one_line(run, words, line, server):
    async with run(*words) as program:
        if words[0] == "call":
            peer = await server.peer()
            request = await peer.receive("remote-list")
            await peer.send("remote-list", {"remotes": [], "more": False}, request["id"])
        code, _, errors = await program.ends()
    assert (code, errors.count("\n")) == (1, 1)
    assert errors.startswith(line)


async def test_a_missing_token_gives_one_line_and_writes_no_file(run, tmp_path):
    async with run("serve", "laptop.py", token=None) as program:
        code, output, errors = await program.ends()
    assert (code, output) == (1, "")
    assert errors == "There is no token: give --token or set REMOTES_TOKEN. The page makes one.\n"
    assert not (tmp_path / "laptop.py").exists()


async def test_losing_the_name_is_no_failure_that_a_supervisor_would_answer(run, server):
    async with run("serve", "laptop.py") as program:
        owner = await server.owner()
        taken = {"reason": "replaced", "by": {"client": {"title": "A tab"}}}
        await owner.send("remote-disconnected", {"remotename": "laptop", **taken})
        code, _, errors = await program.ends()
    sentence = "A tab took over the name laptop, so this program ends.\n"
    assert (code, errors) == (0, sentence)


TWO = """
from remotes_client import Remote

first, second = Remote("first"), Remote("second")


@first.function
def one() -> int:
    return 1


@second.function
def two() -> int:
    return 2
"""


async def test_where_one_of_two_remotes_loses_its_name_the_other_goes_on(run, server, tmp_path):
    (tmp_path / "two.py").write_text(TWO)
    async with run("serve", "two.py") as program:
        owners = {}
        for _ in range(2):
            peer = await server.peer()
            owners[(await peer.register())["remotename"]] = peer
        taken = {"reason": "replaced", "by": {"client": {"title": "A tab"}}}
        await owners["first"].send("remote-disconnected", {"remotename": "first", **taken})
        await owners["first"].closed()
        call = {"requestId": "r", "remotename": "second", "function": "two", "args": {}}
        await owners["second"].send("remote-call", {**call, "deadline": 30.0})
        answer = await owners["second"].receive("remote-call-result")
        assert answer["payload"]["result"] == 2
        taken["reason"] = "disconnected"
        await owners["second"].send("remote-disconnected", {"remotename": "second", **taken})
        code, _, errors = await program.ends()
    assert code == 0
    assert "A tab took over the name first, so it is no longer served here.\n" in errors


def listed(*functions: dict, name: str = "bench") -> dict:
    client = {"program": "remotes-client 0.1.0", "host": "desk"}
    return {"remotename": name, "functions": list(functions), "client": client}


COPY = {
    "name": "copy",
    "description": "Copy a file.\n\nSlowly.",
    "confirm": True,
    "parameters": {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "mode": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "times": {"type": "integer"},
        },
        "required": ["path"],
    },
}


async def test_list_shows_remotes_and_functions_of_all_pages(run, server):
    async with run("list") as program:
        peer = await server.peer()
        for remote, more in [(listed(COPY), True), (listed(name="other"), False)]:
            request = await peer.receive("remote-list")
            await peer.send("remote-list", {"remotes": [remote], "more": more}, request["id"])
        assert request["payload"] == {"after": "bench"}
        code, output, errors = await program.ends()
    assert (code, errors) == (0, "")
    assert output == (
        "bench remotes-client 0.1.0 on desk\n"
        "  copy(path, [mode], [times])  Copy a file. (asks for approval)\n"
        "other remotes-client 0.1.0 on desk\n"
    )


async def called(server: ScriptedServer) -> tuple:
    """The server's end of a `call`, and the request that it sent."""
    peer = await server.peer()
    request = await peer.receive("remote-list")
    await peer.send("remote-list", {"remotes": [listed(COPY)], "more": False}, request["id"])
    return peer, await peer.receive("remote-call")


@pytest.mark.parametrize(
    ("words", "args"),
    [
        ([], {}),
        (['{"path": "a", "deep": [1]}'], {"path": "a", "deep": [1]}),
        (["path=7", "times=7", "other=x y", "mode=a=b"], None),
        (["path=null", "mode=null", "times=[1]"], {"path": "null", "mode": None, "times": [1]}),
    ],
)
async def test_call_sends_the_arguments_and_prints_the_result(run, server, words, args):
    if args is None:
        args = {"path": "7", "times": 7, "other": "x y", "mode": "a=b"}
    async with run("call", "bench", "copy", *words) as program:
        peer, request = await called(server)
        assert request["payload"] == {"remotename": "bench", "function": "copy", "args": args}
        told = {"requestId": "x", "progress": 1, "total": 2, "message": "half"}
        await peer.send("remote-call-progress", told)
        result = {"requestId": "x", "result": {"copied": ["é"]}}
        await peer.send("remote-call-result", result, request["id"])
        code, output, errors = await program.ends()
    assert (code, json.loads(output)) == (0, {"copied": ["é"]})
    assert errors == "1/2 half\n"


async def test_a_failed_call_is_told_on_standard_error(run, server):
    async with run("call", "bench", "copy") as program:
        peer, request = await called(server)
        error = {"code": "invalid-args", "error": "The arguments do not fit."}
        fault = {"path": "path", "message": "It is missing."}
        answer = {"requestId": "x", **error, "details": [fault]}
        await peer.send("remote-call-result", answer, request["id"])
        code, output, errors = await program.ends()
    assert (code, output) == (1, "")
    assert errors == "The arguments do not fit. (invalid-args) [path: It is missing.]\n"


async def test_the_version_is_told(run):
    async with run("--version") as program:
        code, output, _ = await program.ends()
    assert (code, output) == (0, "remotes-client 0.1.0\n")


@pytest.mark.parametrize("version", ["3.8", "3.9"])
async def test_a_python_that_is_too_old_says_so(run, version):
    async with run("--version", python=find_python(version)) as program:
        code, output, errors = await program.ends()
    assert (code, output) == (1, "")
    assert errors == f"remotes.pyz needs Python 3.10 or newer; this is Python {version}.\n"
