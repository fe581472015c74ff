"""The README's own code blocks, word for word, from a clean clone to the agent's first call."""

import os
import re
import socket
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.servers import ROOT
from tests.end_to_end.terminals import terminal

README = (ROOT / "README.md").read_text()
CLONED_FROM = "https://remotes.example/remotes.git"
INSTALL_TIMEOUT = 400.0  # seconds; the first start downloads what it needs
FIRST_CALL = 60.0  # seconds from "ready" to the first call, as promised


def blocks(language: str) -> list[str]:
    """The README's fenced blocks of ``language``."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A newcomer's environment; the made-up address of the README leads to this checkout."""
    home = tmp_path_factory.mktemp("home")
    kept = ("PATH", "LANG", "TMPDIR", "PIP_", "UV_", "SSL_", "PYENV", "PLAYWRIGHT")
    env = {name: value for name, value in os.environ.items() if name.startswith(kept)}
    venv = str(ROOT / ".venv")
    path = [part for part in env["PATH"].split(":") if not part.startswith(venv)]
    return env | {
        "HOME": str(home),
        "PATH": ":".join(path),
        "PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip")),
        "PYENV_VERSION": "3.11.7",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": f"url.{ROOT}.insteadOf",
        "GIT_CONFIG_VALUE_0": CLONED_FROM,
        "GIT_CONFIG_KEY_1": "safe.directory",
        "GIT_CONFIG_VALUE_1": "*",
        "REMOTES_PORT": str(free_port()),
        "NO_PROXY": "127.0.0.1,localhost",
    }


@pytest.fixture(scope="module")
def checkout(
    newcomer: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str, str]:
    """A clean clone in which step 1 was done: its folder, the password and the line it printed."""
    folder = tmp_path_factory.mktemp("clone")
    with terminal(blocks("sh")[0], folder, newcomer) as first:
        first.wait_for("Ready: http", INSTALL_TIMEOUT)
        printed = first.log.read_text()
    password = re.search(r"Sign in as admin with the password (\S+)", printed)
    line = re.search(r"^python3 -c .*$", printed, re.MULTILINE)
    assert password, printed
    assert line, printed
    return folder / "remotes", password[1], line[0]


def test_the_readme_shows_the_file_that_the_line_writes() -> None:
    starter = ROOT / "clients" / "python" / "src" / "remotes_client"
    texts = [path.read_text() for path in starter.glob("*") if path.is_file()]
    (shown,) = blocks("python")
    assert any(shown in text for text in texts)


def test_from_a_clean_clone_to_the_first_call_in_under_a_minute(
    newcomer: dict[str, str], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, page: Page
) -> None:
    """Steps 1 to 3, as they stand."""
    with terminal(blocks("sh")[0], tmp_path_factory.mktemp("clone"), newcomer) as server:
        url = server.wait_for(r"Ready: (http://127\.0\.0\.1:\d+/)", INSTALL_TIMEOUT)[1]
        ready = time.monotonic()
        line = server.wait_for(r"(?m)^python3 -c .*$")[0]
        password = server.wait_for(r"with the password (\S+)")[1]
        shape = re.sub(r"rmt_[\w-]+", "rmt_…", line).replace(
            url.rstrip("/"), "http://127.0.0.1:8000"
        )
        assert shape in blocks("text")[0]
        with terminal(line, tmp_path, newcomer) as program:
            program.wait_for("Connected as laptop")
            assert (tmp_path / "laptop.py").read_text() == blocks("python")[0]

            page.goto(url)
            page.get_by_label("Name").fill("admin")
            page.get_by_label("Password").fill(password)
            page.get_by_role("button", name="Sign in").click()
            page.get_by_role("switch", name=re.compile("laptop")).click()
            page.get_by_role("textbox", name=re.compile("Message")).fill(blocks("text")[1].strip())
            page.get_by_test_id("send").click()
            call = page.get_by_test_id("call")
            expect(call).to_contain_text("disk_free")
            expect(call).to_contain_text("laptop")
            expect(page.get_by_test_id("message").last).to_contain_text("free", timeout=20_000)
            assert time.monotonic() - ready < FIRST_CALL


def test_a_second_start_takes_seconds_and_loses_nothing(
    checkout: tuple[Path, str, str], newcomer: dict[str, str], page: Page
) -> None:
    folder, password, _ = checkout
    started = time.monotonic()
    with terminal("script/server", folder, newcomer) as server:
        url = server.wait_for(r"Ready: (http://127\.0\.0\.1:\d+/)")[1]
        assert time.monotonic() - started < 20
        server.wait_for(r"manage\.py changepassword admin")
        assert password not in server.log.read_text()
        page.goto(url)
        page.get_by_label("Name").fill("admin")
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_test_id("composer")).to_be_visible()


def test_a_server_for_the_home_network_prints_lines_that_fit_it(
    checkout: tuple[Path, str, str], newcomer: dict[str, str], tmp_path: Path
) -> None:
    """``--host 0.0.0.0``: the printed line works from any address that the server has."""
    folder, _, _ = checkout
    (block,) = [block for block in blocks("sh") if "--host" in block]
    with terminal(block, folder, newcomer) as server:
        server.wait_for("Ready: ")
        server.wait_for("plain HTTP")
        line = server.wait_for(r"(?m)^python3 -c .*$")[0]
        with terminal(line, tmp_path, newcomer) as program:
            program.wait_for("Connected as laptop")


def test_a_real_models_settings_are_those_of_the_readme(
    checkout: tuple[Path, str, str], newcomer: dict[str, str], page: Page
) -> None:
    """Where nothing listens at OPENAI_BASE_URL, the page says which setting to look at."""
    folder, password, _ = checkout
    (block,) = [block for block in blocks("sh") if "OPENAI_BASE_URL" in block]
    with terminal(block, folder, newcomer) as server:
        url = server.wait_for(r"Ready: (http://127\.0\.0\.1:\d+/)")[1]
        page.goto(url)
        page.get_by_label("Name").fill("admin")
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("textbox", name=re.compile("Message")).fill("Hello")
        page.get_by_test_id("send").click()
        expect(page.get_by_test_id("message").last).to_contain_text(
            "OPENAI_BASE_URL", timeout=20_000
        )
