"""Copies of a database: for a backup, and of its state before a migration.

`lacuna.db.schema-7` is the whole database when its schema was 7.
"""

import os
import re
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from daemon.model.errors import StoreError
from daemon.store.integrity import translated

KEPT = 2  # the newest; each is as large as the database
_NAME = re.compile(r"\.schema-(\d+)")
_SPARE_BYTES = 16 * 1024 * 1024  # bytes that a migration itself may write


def copy_path(path: Path, version: int) -> Path:
    """Return the path of the copy of the database at `path` with schema `version`."""
    return path.with_name(f"{path.name}.schema-{version}")


def draft_path(path: Path) -> Path:
    """Return the path of an unfinished copy; one left by a kill is overwritten."""
    return path.with_name(f".{path.name}.schema.tmp")


def require_room(path: Path, version: int, size: int) -> None:
    """Raise StoreError if the disk has no space for a copy of `size` bytes and the migration."""
    free = shutil.disk_usage(path.parent).free + _size(draft_path(path))
    if free < size + _SPARE_BYTES:
        needed = (size + _SPARE_BYTES) // 1_000_000 + 1
        raise StoreError(
            f"{path} has schema {version} and is kept as it is: bringing it up to date begins with"
            f" a backup, which needs {needed} MB, and {free // 1_000_000} MB are free"
        )


def prune(path: Path) -> None:
    """Delete all copies but the newest `KEPT`. Raises OSError."""
    found = {
        int(number[1]): copy
        for copy in path.parent.glob(f"{path.name}.schema-*")
        if (number := _NAME.fullmatch(copy.name.removeprefix(path.name)))
    }
    for version in sorted(found)[:-KEPT]:
        found[version].unlink(missing_ok=True)


def copy_database(source: Path, target: Path, *, draft: Path) -> None:
    """Copy a consistent snapshot of a database while others may write to it.

    `draft` is where the copy is made, in the same folder as `target`. Raises StoreError: no space,
    no database.
    """
    with translated(source):
        try:
            remove(draft)  # left by a kill
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with (
                closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as old,
                closing(sqlite3.connect(draft, isolation_level=None)) as new,
            ):
                old.execute("PRAGMA busy_timeout = 30000")
                old.backup(new)
                new.execute("PRAGMA journal_mode = DELETE")  # all of it is in one file
            _flush(draft)
            draft.replace(target)
            _flush(target.parent)
        finally:
            remove(draft)


def settle(path: Path) -> None:
    """Checkpoint the journal into the database, as far as it can be read."""
    if path.is_file():
        with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=30)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def remove(draft: Path) -> None:
    """Delete a database and its journals, if they exist."""
    for ending in ("", "-journal", "-wal", "-shm"):
        draft.with_name(draft.name + ending).unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Make a file, or a folder's list of names, survive a power cut."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
