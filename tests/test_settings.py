"""What a server is like on its first start, and under production settings."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from tests.support.commands import ROOT, manage


def value(folder: Path, expression: str, **env: str) -> str:
    """What ``expression`` over the settings is in a new process, as text."""
    code = f"from django.conf import settings\nprint({expression})"
    done = manage(folder, "shell", "--verbosity", "0", "--command", code, **env)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_deployment_check_is_clean_under_production_settings(tmp_path: Path) -> None:
    done = manage(
        tmp_path,
        *("check", "--deploy", "--fail-level", "WARNING"),
        REMOTES_HTTPS="1",
        REMOTES_ALLOWED_HOSTS="chat.example.org",
        REMOTES_TRUSTED_ORIGINS="https://chat.example.org",
    )
    assert done.returncode == 0, done.stderr
    assert "no issues (2 silenced)" in done.stdout  # settings.py says why


def test_a_first_start_makes_a_random_key_that_only_its_owner_may_read(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    key = value(first, "settings.SECRET_KEY")
    assert len(key) >= 64
    assert (first / "secret_key").stat().st_mode & 0o777 == 0o600
    assert first.stat().st_mode & 0o777 == 0o700
    assert value(first, "settings.SECRET_KEY") == key
    assert value(second, "settings.SECRET_KEY") != key


def test_processes_that_start_together_agree_on_one_key(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from remotes_project import environment\n"
        "sys.stdin.readline()\n"
        f"print(environment.secret_key(pathlib.Path({str(tmp_path)!r})))"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    keys = {process.communicate()[0] for process in processes}
    assert len(keys) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_a_first_start_is_closed_to_the_network_and_shows_no_debug_pages(tmp_path: Path) -> None:
    told = "settings.DEBUG, settings.REMOTES_HOST, settings.ALLOWED_HOSTS"
    assert value(tmp_path, told) == "False 127.0.0.1 ['localhost', '127.0.0.1', '[::1]']"


def test_an_open_address_allows_the_names_of_this_machine(tmp_path: Path) -> None:
    hosts = value(
        tmp_path,
        "settings.ALLOWED_HOSTS",
        REMOTES_HOST="0.0.0.0",  # noqa: S104
        REMOTES_ALLOWED_HOSTS="chat.example.org, other.example.org",
    )
    for host in ("127.0.0.1", "chat.example.org", "other.example.org"):
        assert f"'{host}'" in hosts
    assert ".local'" in hosts
    assert "'*'" not in hosts


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("REMOTES_DEBUG", "perhaps"), ("REMOTES_PORT", "http"), ("REMOTES_LIMITS", "{")],
)
def test_a_value_that_makes_no_sense_is_one_line_that_names_it(
    tmp_path: Path, name: str, wrong: str
) -> None:
    done = manage(tmp_path, "check", **{name: wrong})
    assert done.returncode != 0
    assert name in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/accounts/login/", "/admin/", "/nowhere"])
def test_every_answer_carries_the_content_security_policy(client: Client, path: str) -> None:
    policy = client.get(path).headers["Content-Security-Policy"]
    assert policy.split("; ") == [
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "object-src 'none'",
    ]
