"""A database of an earlier schema: brought up to date with all in it, and kept as it was."""

import json
import logging
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from daemon.model.errors import StoreError
from daemon.store import copies, migrations
from daemon.store.db import Database
from daemon.store.lock import WriterLock
from daemon.store.schema import MIGRATIONS

NEWEST = len(MIGRATIONS)
EARLIER = range(1, NEWEST)
AT = "2026-11-21T09:30:00+00:00"
ROWS: dict[str, list[tuple[object, ...]]] = {
    "meta": [("to_learn", "0")],
    "agendas": [("a-1", "Inbox/Agenda.md", "done", AT, None, "{}", 1, "text", "hash")],
    "runs": [("r-1", "a-1", "done", AT, AT, "Inbox/Digest.md", json.dumps({"words": "stärke"}))],
    "findings": [
        (
            *("f-1", "r-1", "Inbox/F.md", "accepted", "Starch", "https://example.org", "k"),
            *("bread", 0.7, AT, 1, "the note", "hash", "#good", None, AT),
        )
    ],
    "never_topics": [("bees", AT, "f-1")],
    "job_runs": [("weekly", AT)],
    "embeddings": [(1, "h", "m", b"\x00\x01" * 500)],
}


def made_at(path: Path, version: int) -> None:
    """Make the database that a Lacuna of schema `version` left, with something in every noun."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        for script in MIGRATIONS[:version]:
            connection.executescript(script)
        for table, rows in ROWS.items():
            for row in rows:
                marked = ", ".join("?" * len(row))
                # The columns of the first schema: later ones have their defaults.
                names = connection.execute(f"SELECT name FROM pragma_table_info('{table}')")
                columns = ", ".join(name for (name,) in names.fetchmany(len(row)))
                connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marked})", row)
        connection.execute(f"PRAGMA user_version = {version}")


def everything(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """What stands in the tables of `ROWS`, as far as the first schema knew columns."""
    found = {}
    with closing(sqlite3.connect(path)) as connection:
        for table, rows in ROWS.items():
            cut = [row[: len(rows[0])] for row in connection.execute(f"SELECT * FROM {table}")]
            found[table] = cut
    return found


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize("version", EARLIER)
def test_every_earlier_schema_is_brought_up_to_date_with_all_its_rows(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "lacuna.db"
    made_at(path, version)
    Database(path).close()
    assert version_of(path) == NEWEST
    assert everything(path) == ROWS
    kept = copies.copy_path(path, version)
    assert version_of(kept) == version
    assert everything(kept) == ROWS
    assert kept.stat().st_mode & 0o777 == 0o600


def test_what_stands_in_the_journal_only_is_in_the_backup_too(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    made_at(path, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("INSERT INTO never_topics (topic, said_at) VALUES ('wasps', '')")
        Database(path).close()
    with closing(sqlite3.connect(copies.copy_path(path, 1))) as kept:
        found = kept.execute("SELECT topic FROM never_topics ORDER BY topic").fetchall()
    assert found == [("bees",), ("wasps",)]


def test_a_new_database_and_one_that_is_up_to_date_are_not_copied(tmp_path: Path) -> None:
    for _ in range(2):
        Database(tmp_path / "lacuna.db").close()
    assert not list(tmp_path.glob("*schema*"))


def test_the_place_of_the_backup_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made_at(tmp_path / "lacuna.db", 2)
    with caplog.at_level(logging.WARNING):
        Database(tmp_path / "lacuna.db").close()
    assert "from schema 2 to" in caplog.text
    assert "copy of the old one is lacuna.db.schema-2" in caplog.text


def test_only_the_newest_backups_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    made_at(path, NEWEST - 1)
    for version in (1, 2, 3):
        copies.copy_path(path, version).write_bytes(b"old")
    mine = path.with_name("lacuna.db.schema-mine")
    mine.write_bytes(b"what somebody put there")
    Database(path).close()
    left = {copy.name for copy in tmp_path.glob("lacuna.db.schema-*")}
    assert left == {"lacuna.db.schema-3", f"lacuna.db.schema-{NEWEST - 1}", mine.name}


def test_without_room_for_a_backup_nothing_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lacuna.db"
    made_at(path, 1)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
    with pytest.raises(StoreError, match=r"needs 17 MB, and 1 MB are free"):
        Database(path)
    assert version_of(path) == 1
    assert everything(path) == ROWS


def test_a_backup_that_fails_changes_nothing_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lacuna.db"
    made_at(path, 1)

    def fail(_path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(copies, "_flush", fail)
    with pytest.raises(StoreError, match="No space left"):
        Database(path)
    assert version_of(path) == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["lacuna.db"]


def test_a_database_locked_by_an_older_lacuna_is_not_migrated(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    made_at(path, 1)
    with (
        WriterLock(tmp_path / "daemon.lock", holder="lacuna run"),
        pytest.raises(StoreError, match=rf"lacuna run \(pid {os.getpid()}\), an older Lacuna"),
    ):
        Database(path)
    assert version_of(path) == 1
    Database(path).close()
    assert version_of(path) == NEWEST


STEPS = sum(len(list(migrations.statements(script))) for script in MIGRATIONS[1:])


@pytest.mark.parametrize("point", sorted({0, 1, 2, STEPS - 1, STEPS}))
def test_a_killed_migration_is_rolled_back_and_repeated(tmp_path: Path, point: int) -> None:
    path = tmp_path / "lacuna.db"
    made_at(path, 1)
    code = f"""
import os, signal
from pathlib import Path
from daemon.store import copies, db, migrations
split, left = migrations.statements, [{point}]
def killed_after(script):
    for statement in split(script):
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        yield statement
migrations.statements = killed_after
prune = copies.prune
def last(path):
    os.kill(os.getpid(), signal.SIGKILL)
copies.prune = last
db.Database(Path({str(path)!r}))
"""
    ended = subprocess.run([sys.executable, "-c", code], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert version_of(path) in (1, NEWEST)
    Database(path).close()
    assert version_of(path) == NEWEST
    assert everything(path) == ROWS
    assert everything(copies.copy_path(path, 1)) == ROWS


def test_a_migration_killed_during_its_backup_is_repeated(tmp_path: Path) -> None:
    path = tmp_path / "lacuna.db"
    made_at(path, 1)
    code = f"""
import os, signal
from pathlib import Path
from daemon.store import copies, db
copies._flush = lambda path: os.kill(os.getpid(), signal.SIGKILL)
db.Database(Path({str(path)!r}))
"""
    ended = subprocess.run([sys.executable, "-c", code], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert copies.draft_path(path).exists()
    assert not copies.copy_path(path, 1).exists()
    Database(path).close()
    assert not copies.draft_path(path).exists()
    assert everything(copies.copy_path(path, 1)) == ROWS
