"""What is kept of the data when a new version changes it."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.commands import manage


@pytest.fixture(scope="module")
def old_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of a version that lacked one of the tables, with one account."""
    folder = tmp_path_factory.mktemp("old")
    manage(folder, "migrate", "--verbosity", "0")
    manage(folder, "first_account")
    manage(folder, "migrate", "--verbosity", "0", "sessions", "zero")
    return folder


@pytest.fixture
def older(old_data: Path, tmp_path: Path) -> Path:
    """A data folder of this test's own with the old data."""
    return shutil.copytree(old_data, tmp_path / "data")


def copies(folder: Path) -> list[Path]:
    return sorted((folder / "backups").glob("*"))


def test_an_upgrade_keeps_a_copy_of_what_was_there_and_the_next_start_none(older: Path) -> None:
    printed = manage(older, "prepare").stdout
    assert "is kept at" not in manage(older, "prepare").stdout
    (copy,) = copies(older)
    assert f"a copy of it is kept at {copy}" in printed
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("SELECT username FROM auth_user").fetchall() == [("admin",)]
        tables = database.execute("SELECT name FROM sqlite_master").fetchall()
    assert ("django_session",) not in tables


def test_only_the_last_copies_are_kept(older: Path) -> None:
    (older / "backups").mkdir()
    for day in range(1, 8):
        (older / "backups" / f"2001010{day}-120000-before-0.0.{day}.sqlite3").touch()
    manage(older, "prepare")
    names = [copy.name for copy in copies(older)]
    assert [name.partition("-before-")[2] for name in names[:4]] == [
        "0.0.4.sqlite3",
        "0.0.5.sqlite3",
        "0.0.6.sqlite3",
        "0.0.7.sqlite3",
    ]
    assert len(names) == 5
