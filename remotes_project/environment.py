"""What the environment says about one server: switches, lists, its data folder and its key."""

import json
import os
import secrets
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

SECRET_KEY_BYTES = 64
HIGHEST_PORT = 65535


def flag(name: str) -> bool:
    """Whether the variable ``name`` is switched on; raises if it is neither on nor off."""
    value = os.environ.get(name, "").strip().lower()
    if value in ("1", "true", "yes", "on"):
        return True
    if value in ("", "0", "false", "no", "off"):
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def words(name: str) -> list[str]:
    """The values of the variable ``name``, which are separated by commas."""
    return [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]


def number(name: str, default: int) -> int:
    """The variable ``name`` as a whole number that is not negative."""
    value = os.environ.get(name, "").strip() or str(default)
    if not value.isdecimal():
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.")
    return int(value)


def port(name: str, default: int) -> int:
    """The variable ``name``, which ``--port`` sets, as a TCP port; 0 lets the system choose."""
    value = os.environ.get(name, "").strip() or str(default)
    if not value.isdecimal() or int(value) > HIGHEST_PORT:
        raise ImproperlyConfigured(
            f"The port (--port, or {name}) must be a number up to {HIGHEST_PORT}, not {value!r}."
        )
    return int(value)


def numbers(name: str) -> dict[str, float]:
    """The variable ``name`` as a JSON object whose values are numbers."""
    try:
        value = json.loads(os.environ.get(name) or "{}")
    except ValueError:
        value = None
    if not isinstance(value, dict) or not all(isinstance(n, int | float) for n in value.values()):
        raise ImproperlyConfigured(f'{name} must be JSON like {{"call_timeout": 60}}.')
    return value


def data_folder(default: Path) -> Path:
    """The folder that holds everything this server keeps, made if it is not there."""
    folder = Path(os.environ.get("REMOTES_DATA_DIR") or default).expanduser().absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(folder, error.strerror) from error
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise _unusable(folder, "Permission denied")
    return folder


def secret_key(folder: Path) -> str:
    """The key that signs sessions: REMOTES_SECRET_KEY, or the one kept in ``folder``.

    The first call on a folder makes a random key in a file of mode 600. Processes that start
    together agree: the key is written aside and linked into place, and the first link counts.
    """
    if key := os.environ.get("REMOTES_SECRET_KEY"):
        return key
    path = folder / "secret_key"
    try:
        if not path.exists():
            _write_key(path)
        return path.read_text().strip()
    except OSError as error:
        raise _unusable(folder, error.strerror) from error


def _write_key(path: Path) -> None:
    draft = path.with_name(f"secret_key.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(SECRET_KEY_BYTES))
    with suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()


def _unusable(folder: Path, reason: str | None) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"The data folder {folder} can't be written ({reason}). "
        "Set REMOTES_DATA_DIR to a folder that you may write to."
    )
