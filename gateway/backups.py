"""Copies of the SQLite database, taken before a new version changes its tables."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

KEPT = 5


def before_migrating() -> Path | None:
    """A copy of the database if migrating will change it; None when there is nothing to copy.

    Only SQLite files are copied: PostgreSQL brings its own tools.
    """
    if connection.vendor != "sqlite" or not _migrations_will_change_it():
        return None
    return _copy(Path(connection.settings_dict["NAME"]))


def _migrations_will_change_it() -> bool:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return bool(plan) and bool(executor.loader.applied_migrations)


def _copy(database: Path) -> Path:
    folder = settings.REMOTES_DATA_DIR / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    stamp = timezone.now().strftime("%Y%m%d-%H%M%S")
    copy: Path = folder / f"{stamp}-before-{settings.REMOTES_VERSION}.sqlite3"
    os.close(os.open(copy, os.O_WRONLY | os.O_CREAT, 0o600))
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    for old in sorted(folder.glob("*-before-*.sqlite3"))[:-KEPT]:
        old.unlink()
    return copy
