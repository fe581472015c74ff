"""Management commands run as an operator runs them: in a process of their own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def manage(folder: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a management command on the data in ``folder``, with the project's own settings."""
    ours = ("REMOTES_", "DJANGO_", "OPENAI_", "DATABASE_URL")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *args],
        env=clean | {"REMOTES_DATA_DIR": str(folder), "REMOTES_PORT": "0"} | env,
        capture_output=True,
        text=True,
    )


def interruptible(*command: str) -> list[str]:
    """``command``, ended by Ctrl+C even where the tests run in a shell's background.

    Such a shell has what it starts ignore SIGINT, and a program that begins so stays so.
    """
    reset = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL);"
    return [sys.executable, "-c", f"{reset} os.execvp(sys.argv[1], sys.argv[1:])", *command]
