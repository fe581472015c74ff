"""The dialog that connects a program: its lines work as they stand, and it says who arrived."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.end_to_end.pages import SLOW, answer, card, ended, remote, send, switch
from tests.end_to_end.servers import Server
from tests.end_to_end.terminals import terminal

pytestmark = pytest.mark.usefixtures("watch")

Visit = Callable[..., Page]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with nothing in it."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def env(home: Path) -> dict[str, str]:
    """The environment of somebody with Python alone: nothing of this checkout's is in it."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    path = [part for part in kept["PATH"].split(":") if ".venv" not in part]
    return kept | {"HOME": str(home), "PATH": ":".join(path), "NO_PROXY": "127.0.0.1,localhost"}


@pytest.fixture
def dialog(visit: Visit, shared_server: Server, request: pytest.FixtureRequest) -> Locator:
    """The open dialog; each test has a user of its own, and so a ``laptop`` of its own."""
    page = visit(shared_server, user=getattr(request, "param", "ana"))
    page.get_by_role("button", name="Connect something").click()
    dialog = page.get_by_role("dialog", name="Connect something")
    expect(dialog.get_by_test_id("connect-line-posix")).to_be_visible()
    return dialog


def test_the_line_connects_a_program_as_it_stands_and_the_dialog_says_so(
    dialog: Locator, home: Path, env: dict[str, str]
) -> None:
    page = dialog.page
    expect(dialog.get_by_role("status")).to_contain_text("Waiting for a program")
    line = dialog.get_by_test_id("connect-line-posix").inner_text()
    with terminal(line, home, env):
        expect(dialog.get_by_role("status")).to_contain_text(
            "laptop is connected: 3 functions", timeout=SLOW
        )
        assert (home / "laptop.py").exists()
        dialog.get_by_role("button", name="Use it in this chat").click()
        expect(dialog).to_have_count(0)
        expect(switch(page, "laptop")).to_be_checked()
        send(page, "Use disk_free to tell me how much room is left.")
        expect(card(page)).to_have_attribute("data-status", "done", timeout=SLOW)
        ended(page)
        expect(answer(page)).to_contain_text("free")
    expect(remote(page, "laptop")).to_have_attribute("data-here", "false")


@pytest.mark.parametrize("dialog", ["ben"], indirect=True)
def test_the_windows_line_connects_a_program_where_py_starts_python(
    dialog: Locator, tmp_path: Path, home: Path, env: dict[str, str]
) -> None:
    """What cmd and PowerShell make of the line's quotes, a POSIX shell does as well."""
    launcher = tmp_path / "bin" / "py"
    launcher.parent.mkdir()
    launcher.write_text('#!/bin/sh\nexec python3 "$@"\n')
    launcher.chmod(0o755)
    line = dialog.get_by_test_id("connect-line-windows").inner_text()
    assert line.startswith('py -c "')
    assert line.count('"') == 2
    assert not set("$`%!") & set(line)
    with terminal(line, home, env | {"PATH": f"{launcher.parent}:{env['PATH']}"}):
        expect(dialog.get_by_role("status")).to_contain_text("laptop is connected", timeout=SLOW)
    expect(dialog.get_by_role("status")).to_contain_text("Waiting for a program")


def test_each_dialog_shows_a_token_of_its_own_and_copies_the_line_whole(
    dialog: Locator,
) -> None:
    page = dialog.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    line = dialog.get_by_test_id("connect-line-posix").inner_text()
    dialog.get_by_role("button", name="Copy the line for macOS and Linux").click()
    expect(page.get_by_role("log").get_by_text("Copied.")).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()") == line
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Connect something")).to_be_focused()
    page.keyboard.press("Enter")
    fresh = dialog.get_by_test_id("connect-line-posix")
    expect(fresh).to_contain_text("rmt_")
    assert token_in(fresh.inner_text()) != token_in(line)


def token_in(line: str) -> str:
    found = re.search(r"rmt_[\w-]+", line)
    assert found, line
    return found[0]
