"""Which process may serve the data: one at a time, since live state is kept in its memory.

An advisory lock does this. The system drops it when the process ends, however it ends.
"""

import atexit
import os
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

_POSTGRES_KEY = 0x52454D4F5445  # "REMOTE", as one number of 64 bits
_WINDOWS_LOCK_OFFSET = 1 << 30  # beyond the text, which others must be able to read

_held: list[IO[str] | BaseDatabaseWrapper] = []


class DataInUseError(Exception):
    """Another process serves the same data."""


def hold_data() -> None:
    """Take the data for this process until it ends; calling it again changes nothing.

    Raises:
        DataInUseError: Another process has it; the text names that process.
    """
    if _held:
        return
    _hold(_lock_folder(settings.REMOTES_DATA_DIR))
    # In a thread of its own, since a server may import its application inside its event loop.
    with ThreadPoolExecutor(1) as thread:
        _hold(thread.submit(_lock_database).result())


def _hold(thing: IO[str] | BaseDatabaseWrapper) -> None:
    _held.append(thing)
    atexit.register(thing.close)


def _lock_folder(folder: Path) -> IO[str]:
    file = (folder / "server.lock").open("a+")
    if not _try_lock(file):
        file.seek(0)
        raise DataInUseError(
            f"A server (process {file.read().strip() or 'unknown'}) already runs on the data "
            f"folder {folder}. Stop it first, or set REMOTES_DATA_DIR to another folder."
        )
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


def _try_lock(file: IO[str]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - exists on Windows only

            file.seek(_WINDOWS_LOCK_OFFSET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - exists on POSIX only

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _lock_database() -> BaseDatabaseWrapper:
    """A connection to stay open.

    PostgreSQL's lock lives as long as it does. SQLite would, whenever the last of the short
    connections closes, fold its write-ahead log back into the file and wait for the disk.
    """
    own = connection.copy()
    own.settings_dict["OPTIONS"].pop("pool", None)
    own.inc_thread_sharing()  # the end of the process closes it, in another thread
    with own.cursor() as cursor:
        if own.vendor == "postgresql":
            name = f"remotes, process {os.getpid()} on {socket.gethostname()}"
            cursor.execute("SELECT set_config('application_name', %s, false)", [name])
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [_POSTGRES_KEY])
            if cursor.fetchone() != (True,):
                holder = _postgres_holder(own)
                raise DataInUseError(f"A server ({holder}) already runs on this database.")
        else:
            cursor.execute("SELECT 1 FROM sqlite_master")
    return own


def _postgres_holder(own: BaseDatabaseWrapper) -> str:
    with own.cursor() as cursor:
        cursor.execute(
            "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32) | objid::bigint"
            " = %s",
            [_POSTGRES_KEY],
        )
        row = cursor.fetchone()
    return row[0] if row else "unknown"
