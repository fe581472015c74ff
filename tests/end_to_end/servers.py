"""Real server processes for tests: started, looked into, stopped."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from http.cookiejar import CookieJar
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_TIMEOUT = 60.0  # seconds; a busy machine starts slowly
STOP_TIMEOUT = 20.0  # seconds
PATIENCE = 20.0  # seconds that one answer may take

USERS = ("admin", "ana", "ben")
"""The accounts of every server; ``admin`` is a superuser."""
PASSWORD = "correct horse battery staple"

TOKENS = "tokens.json"

FILL = f"""
import json
from django.conf import settings
from django.contrib.auth.models import User
from remotes import tokens

made = {{}}
for name in {USERS!r}:
    staff = name == "admin"
    user = User.objects.create_user(
        name, password={PASSWORD!r}, is_staff=staff, is_superuser=staff
    )
    made[name] = tokens.make(user, "test")
(settings.REMOTES_DATA_DIR / {TOKENS!r}).write_text(json.dumps(made))
"""


class Server:
    """One ``manage.py runserver`` on a data folder of its own and a free port of loopback."""

    def __init__(self, data_dir: Path, env: Mapping[str, str] | None = None) -> None:
        self.data_dir = data_dir
        self.port = 0
        self.env = _clean_environment() | {"REMOTES_DATA_DIR": str(data_dir)} | dict(env or {})
        self.process: subprocess.Popen[bytes] | None = None
        self._log = data_dir / "server.log"

    @property
    def url(self) -> str:
        """The page's address without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws_url(self) -> str:
        """The socket's address."""
        return f"ws://127.0.0.1:{self.port}/ws/"

    def start(self) -> None:
        """Start it and wait until it listens; again on the same port after a stop."""
        seen = len(self.log())
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command("runserver", "--noreload", f"127.0.0.1:{self.port}"),
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.port = int(self._wait_for(r"Ready: http://127\.0\.0\.1:(\d+)/", seen).group(1))

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send the signal and wait for the end; returns the exit status. Safe to call twice."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def log(self) -> str:
        """All that it has printed, over all its starts."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def manage(self, *args: str) -> str:
        """Run ``manage.py`` beside the server on the same data; returns what it printed."""
        done = subprocess.run(
            self._command(*args), cwd=ROOT, env=self.env, capture_output=True, text=True
        )
        assert done.returncode == 0, f"manage.py {' '.join(args)}:\n{done.stdout}{done.stderr}"
        return done.stdout

    def token(self, user: str = "ana", name: str | None = None) -> str:
        """A token of ``user``: the one that every test server knows, or a new one with a name."""
        if name is None:
            tokens: dict[str, str] = json.loads((self.data_dir / TOKENS).read_text())
            return tokens[user]
        return self.manage("create_token", user, "--name", name).splitlines()[-1]

    def sign_in(self, user: str = "ana", password: str = PASSWORD) -> str:
        """Sign in through the page; returns the value of a Cookie header."""
        jar = CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        page = f"{self.url}/accounts/login/"
        form = opener.open(page, timeout=PATIENCE).read().decode()
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
        assert found, form
        fields = {
            "username": user,
            "password": password,
            "csrfmiddlewaretoken": found[1],
            "next": "/healthz",
        }
        opener.open(page, urllib.parse.urlencode(fields).encode(), PATIENCE).read()
        cookies = {cookie.name: cookie.value for cookie in jar}
        assert "remotes_session" in cookies, f"{user} could not sign in"
        return "; ".join(f"{name}={value}" for name, value in cookies.items())

    def get(self, path: str, cookie: str = "") -> str:
        """The body of the page at ``path``."""
        request = urllib.request.Request(self.url + path, headers={"Cookie": cookie})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            body: bytes = answer.read()
        return body.decode()

    def _command(self, *args: str) -> list[str]:
        return [sys.executable, str(ROOT / "manage.py"), *args]

    def _wait_for(self, pattern: str, seen: int) -> re.Match[str]:
        assert self.process is not None
        try:
            return wait_for(pattern, lambda: self.log()[seen:], self.process)
        except AssertionError:
            self.stop()
            raise


def wait_for(
    pattern: str, read: Callable[[], str], process: subprocess.Popen[bytes]
) -> re.Match[str]:
    """The first match in what ``read`` returns; fails once ``process`` has ended without it."""
    end = time.monotonic() + START_TIMEOUT
    while time.monotonic() < end:
        ended = process.poll() is not None
        if found := re.search(pattern, read()):
            return found
        if ended:
            break
        time.sleep(0.05)
    raise AssertionError(f"The server did not start:\n{read()}")


def make_template(folder: Path) -> None:
    """Fill ``folder`` with what a new server's data folder holds, and the accounts of USERS."""
    server = Server(folder)
    server.manage("migrate", "--verbosity", "0")
    server.manage("collectstatic", "--no-input", "--verbosity", "0")
    server.manage(
        "shell",
        "--verbosity",
        "0",
        "--command",
        FILL,
    )


def copy_template(template: Path, folder: Path) -> Path:
    """A new data folder like ``template``, with a key of its own; static files are linked."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(template / "db.sqlite3", folder)
    shutil.copy(template / TOKENS, folder)
    shutil.copytree(template / "static", folder / "static", copy_function=os.link)
    return folder


def _clean_environment() -> dict[str, str]:
    ours = ("REMOTES_", "OPENAI_", "DJANGO_", "DATABASE_URL", "COV_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"PYTHONUNBUFFERED": "1", "NO_PROXY": "127.0.0.1,localhost"}
