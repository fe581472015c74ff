"""What `script/server` says and keeps, on a first start, on later ones, and when it can't start."""

import os
import re
import shutil
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.servers import PATIENCE, ROOT, START_TIMEOUT, STOP_TIMEOUT, Server, wait_for
from tests.support.commands import interruptible

Run = Callable[..., "Script"]


class Script:
    """One run of `script/server`; what it prints goes to the file ``output``."""

    def __init__(self, env: dict[str, str], output: Path, root: Path, *args: str) -> None:
        self.output = output
        with output.open("wb") as file:
            self.process = subprocess.Popen(
                interruptible(str(root / "script" / "server"), *args),
                env=env,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )

    def until_ready(self) -> str:
        """All it prints up to the line that says it listens."""
        wait_for(r"Ready: .*\n", self.output.read_text, self.process)
        return self.output.read_text()

    def until_end(self) -> str:
        """All it prints when it can't start."""
        assert self.process.wait(START_TIMEOUT) != 0
        return self.output.read_text()

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(STOP_TIMEOUT)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Runs `script/server` on the data folder ``data`` of this test unless told otherwise."""
    runs: list[Script] = []

    def start(*args: str, root: Path = ROOT, **env: str) -> Script:
        own = {"REMOTES_DATA_DIR": str(tmp_path / "data")}
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("REMOTES_", "DJANGO_"))}
        runs.append(Script(clean | own | env, tmp_path / f"output-{len(runs)}", root, *args))
        return runs[-1]

    yield start
    for script in runs:
        script.stop()


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def test_a_second_start_keeps_key_and_accounts(run: Run, tmp_path: Path) -> None:
    port = free_port()
    first = run("--port", port)
    words = first.until_ready()
    assert f"Open the page at http://127.0.0.1:{port}/" in words
    assert re.search(r"Sign in as admin with the password \S{12,}", words)
    assert f"--server http://127.0.0.1:{port} --token " in words
    key = (tmp_path / "data" / "secret_key").read_bytes()
    first.stop()

    words = run(f"--port={port}").until_ready()
    assert "with the password" not in words
    assert ".venv/bin/python manage.py changepassword admin" in words
    assert (tmp_path / "data" / "secret_key").read_bytes() == key
    assert (tmp_path / "data" / "secret_key").stat().st_mode & 0o777 == 0o600


def test_the_printed_password_signs_in(run: Run, tmp_path: Path) -> None:
    words = run("--port", free_port()).until_ready()
    found = re.search(r"with the password (\S+)", words)
    ready = re.search(r"Ready: http://127\.0\.0\.1:(\d+)/", words)
    assert found
    assert ready
    server = Server(tmp_path / "data")
    server.port = int(ready[1])
    assert '"database": "ok"' in server.get("/readyz", server.sign_in("admin", found[1]))


def test_an_open_address_shows_the_network_how_to_come_in(run: Run) -> None:
    port = free_port()
    words = run("--host", "0.0.0.0", "--port", port).until_ready()  # noqa: S104
    assert "plain HTTP" in words
    lines = [line for line in words.splitlines() if f":{port} --token" in line]
    assert len(lines) == 1
    for address in re.findall(r"Ready: (\S+)", words) or pytest.fail(words):
        host = address.removeprefix("http://").rstrip("/")
        request = urllib.request.Request(f"http://127.0.0.1:{port}/healthz", headers={"Host": host})
        assert urllib.request.urlopen(request, timeout=PATIENCE).read() == b"ok\n"


def test_a_busy_port_is_one_clear_line(run: Run) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        printed = run("--port", str(port)).until_end()
    assert printed == (
        f"Port {port} on 127.0.0.1 is already in use. Choose another one with --port.\n"
    )


def test_a_data_folder_that_cannot_be_written_is_one_clear_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "data"
    printed = run(REMOTES_DATA_DIR=str(folder)).until_end()
    assert printed == (
        f"The data folder {folder} can't be written (Not a directory). "
        "Set REMOTES_DATA_DIR to a folder that you may write to.\n"
    )


def test_a_second_server_on_the_same_data_names_the_first(run: Run, tmp_path: Path) -> None:
    first = run("--port", free_port())
    first.until_ready()
    printed = run("--port", free_port()).until_end()
    assert printed == (
        f"A server (process {first.process.pid}) already runs on the data folder "
        f"{tmp_path / 'data'}. Stop it first, or set REMOTES_DATA_DIR to another folder.\n"
    )


def test_a_too_old_python_is_one_clear_line(run: Run, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "script", tmp_path / "checkout" / "script")
    old = tmp_path / "bin"
    old.mkdir()
    for name in ("python", "python3", "python3.11", "python3.12", "python3.13"):
        (old / name).write_text("#!/bin/sh\ncase $2 in *print*) echo 3.9 ;; *) exit 1 ;; esac\n")
        (old / name).chmod(0o755)
    if shutil.which("uv", path="/usr/bin:/bin"):
        pytest.skip("uv would fetch a newer Python.")
    printed = run(root=tmp_path / "checkout", PATH=f"{old}:/usr/bin:/bin").until_end()
    assert printed.count("\n") == 1
    assert "Python 3.11 or newer is needed, and here is 3.9." in printed
