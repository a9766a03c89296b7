"""Check the integrity of a database, and translate SQLite's errors."""

import errno
import os
import sqlite3
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from daemon.model.errors import (
    BusyStoreError,
    CorruptStoreError,
    StoreError,
    UnreadableStoreError,
)
from daemon.ports import Stop
from daemon.store import marks

# SQLite's errors for a damaged or overwritten file; all others may be temporary.
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
# Without further details, while reading, and on short reads. A failed write may be due to a full
# disk, and is retried for as long as that takes.
_STEPS = 100_000  # SQLite VM steps between two checks for a stop: milliseconds
_NOT_READ = {
    *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ),
    sqlite3.SQLITE_IOERR_CORRUPTFS,  # what SQLite makes of EIO while it opens a file
}
_OF_THE_DISK = {errno.EIO, errno.ENXIO, errno.ESTALE}
_OPEN_FILES = Path("/proc/self/fd")
_BLOCK = 1 << 20


def corrupt(why: str) -> sqlite3.DatabaseError:
    """Return the error that SQLite raises for a corrupt file."""
    error = sqlite3.DatabaseError(why)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


@contextmanager
def stoppable(connection: sqlite3.Connection, halt: Stop) -> Iterator[None]:
    """Interrupt a long statement when a stop is requested. Raises StoppedError."""
    connection.set_progress_handler(lambda: halt.is_requested, _STEPS)
    try:
        yield
    except sqlite3.OperationalError:
        if halt.is_requested:
            halt.check()
        raise
    finally:
        connection.set_progress_handler(None, 0)


def check(connection: sqlite3.Connection) -> None:
    """Raise SQLite's error for a corrupt file if any page, text or word is damaged."""
    # The quick check does not compare an index with its table.
    verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if verdict != "ok":
        raise corrupt(str(verdict).splitlines()[-1])
    for table, columns in _texts(connection).items():
        deque(connection.execute(f"SELECT {columns} FROM {table}"), maxlen=0)  # noqa: S608 our own names
    for name in ("chunk_words", "passage_words"):
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (name,)).fetchone():
            continue
        # The check above does not interpret the pages of a virtual table. This check is a write
        # statement that changes nothing.
        connection.execute(f"INSERT INTO {name} ({name}) VALUES ('integrity-check')")  # noqa: S608 our own names
        connection.rollback()


def _texts(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the text columns of each table that has some."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for table, column in connection.execute(
        "SELECT t.name, c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c"
        " WHERE t.type = 'table' AND t.sql LIKE 'CREATE TABLE%' AND c.type = 'TEXT'"
    ):
        found[table].append(column)
    return {table: ", ".join(columns) for table, columns in found.items()}


def is_corrupt(error: Exception) -> bool:
    """Return whether an error says that the file is damaged."""
    if isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error):
        return True  # malformed text
    # Extended codes, such as that of a full-text index, contain the primary one in the low byte.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _CORRUPT


def why_unreadable(path: Path, open_files: Path = _OPEN_FILES) -> str:
    """Return the system's error if the disk fails to read a file or its journal, else "".

    SQLite reports a failed read of an open file as a damaged one. Only files that this process has
    open are read, by their descriptors: closing another one would drop SQLite's locks.
    """
    names = {str(path.absolute()), f"{path.absolute()}-wal"}
    with suppress(FileNotFoundError):  # no such folder, or a file was closed meanwhile
        for link in open_files.iterdir():
            with suppress(FileNotFoundError):
                if str(link.readlink()) in names and (why := _why_not_read(int(link.name))):
                    return why
    return ""


def _why_not_read(descriptor: int) -> str:
    at = 0
    try:
        while block := os.pread(descriptor, _BLOCK, at):
            at += len(block)
    except OSError as error:
        return str(error.strerror) if error.errno in _OF_THE_DISK else ""
    return ""


def _breaks_a_rule(error: Exception, path: Path) -> bool:
    """Return whether a constraint of our own tables failed because the file is damaged.

    Our writes never break a constraint: if one does, the data is misplaced, which a full check
    almost always detects. What it does not detect is rebuilt too, but not repeatedly.
    """
    if not isinstance(error, sqlite3.IntegrityError):
        return False
    try:
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            check(connection)
    except (sqlite3.Error, UnicodeDecodeError) as found:
        if is_corrupt(found):
            return True
    return not marks.was_set_aside_lately(path)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and the file system into one line that names the file."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if is_corrupt(error) and (why := why_unreadable(path)):
            raise UnreadableStoreError(f"{path}: {why}: check the disk") from error
        if is_corrupt(error) or _breaks_a_rule(error, path):
            marks.mark_corrupt(path)
            raise CorruptStoreError(
                f"{path} is corrupt ({error}): restart to rebuild it"
            ) from error
        if (code := getattr(error, "sqlite_errorcode", 0)) & 0xFF == sqlite3.SQLITE_IOERR:
            kind = UnreadableStoreError if code in _NOT_READ else StoreError
            raise kind(f"{path}: {error}: check the disk, and whether it is full") from error
        kind = BusyStoreError if code & 0xFF == sqlite3.SQLITE_BUSY else StoreError
        raise kind(f"{path}: {error}") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error


@contextmanager
def all_or_nothing(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Commit all of it, or nothing on any error. Raises StoreError."""
    with translated(path):
        connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        with translated(path):
            connection.execute("COMMIT")
    finally:
        # SQLite may have rolled back on its own, as it does when the disk is full.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
