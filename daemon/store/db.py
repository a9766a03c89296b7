"""A connection to the database: one file, WAL, one writer at a time."""

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from daemon.model.errors import CorruptStoreError, LockedError, StoreError, UnreadableStoreError
from daemon.ports import Stop
from daemon.store import copies, marks
from daemon.store.integrity import (
    all_or_nothing,
    check,
    corrupt,
    is_corrupt,
    stoppable,
    translated,
    why_unreadable,
)
from daemon.store.lock import WriterLock, held_by, lock_path
from daemon.store.migrations import migrate
from daemon.store.private import create, make_folder
from daemon.store.salvage import REBUILT_LINE, salvage
from daemon.store.schema import MIGRATIONS, Shape

Row = sqlite3.Row
T = TypeVar("T")
_log = logging.getLogger(__name__)

PAGE = 16_384  # page size of a new database in bytes: texts on few pages are written faster
_PATIENCE = 30  # seconds that a statement waits for another process's transaction
_PRAGMAS = (
    f"page_size={PAGE}",
    "journal_mode=WAL",
    "synchronous=FULL",  # a pending write and a decision must survive a power cut, too
    "foreign_keys=ON",
    "temp_store=MEMORY",
    "journal_size_limit=33554432",
)


class Database:
    """A connection that several threads of one process may share.

    Every statement outside `transaction()` commits on its own. Raises StoreError for SQLite's
    errors: a full or read-only disk, no permission. A corrupt file is set aside and replaced, with
    everything recovered that the vault cannot restore; a cache starts empty.
    """

    def __init__(self, path: Path, shape: Shape | None = None) -> None:
        self.path = path
        self._shape = shape or Shape(MIGRATIONS)
        self._lock = threading.RLock()
        with translated(path):
            make_folder(path.parent)
            if marks.being_restored(path) is not None:
                raise StoreError(
                    f"{path}: a restore was not finished: repeat it with `lacuna restore FILE`"
                )
            try:
                aside = marks.pending(path)
                if aside is not None:
                    self._recreate(corrupt("found before"), aside)
                else:
                    self._open()
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if not is_corrupt(error):
                    raise
                self._recreate(error)

    def close(self) -> None:
        with self._lock, translated(self.path):
            self._connection.close()
            if _identity(self.path) == self._identity:  # otherwise we cannot vouch for it
                marks.mark_closed(self.path)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes in the block, or none. Nested calls join the outer transaction."""
        with self._lock:
            if self.in_transaction():
                yield
                return
            with all_or_nothing(self._connection, self.path):
                yield

    @contextmanager
    def waiting_at_most(self, seconds: float) -> Iterator[None]:
        """Wait at most so long for another process's transaction, then raise BusyStoreError."""
        self.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")
        try:
            yield
        finally:
            self.execute(f"PRAGMA busy_timeout = {_PATIENCE * 1000}")

    def in_transaction(self) -> bool:
        """Return whether the last change may still be rolled back."""
        return self._connection.in_transaction

    def is_busy(self) -> bool:
        """Return whether another thread is in a statement or transaction now."""
        is_free = self._lock.acquire(blocking=False)
        if is_free:
            self._lock.release()
        return not is_free

    def execute(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run one statement and return how many rows it changed."""
        with self._lock, translated(self.path):
            return self._connection.execute(sql, values).rowcount

    def insert(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run one INSERT and return the new row's id."""
        with self._lock, translated(self.path):
            return int(self._connection.execute(sql, values).lastrowid or 0)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with self.transaction(), translated(self.path):
            self._connection.executemany(sql, rows)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        with self._lock, translated(self.path):
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        with self._lock, translated(self.path):
            found: Row | None = self._connection.execute(sql, values).fetchone()
            return found

    def each(self, sql: str, values: Sequence[Any] = (), *, size: int = 1000) -> Iterator[Row]:
        """Iterate over rows that are too many to hold; other threads may work in between."""
        for rows in self.batches(sql, values, size=size):
            yield from rows

    def batches(
        self, sql: str, values: Sequence[Any] = (), *, size: int = 1000
    ) -> Iterator[list[Row]]:
        """Iterate over rows as `each` does, over several at once."""
        with self._lock, translated(self.path):
            cursor = self._connection.execute(sql, values)
        yield from self._fetched(cursor, size)

    def tuples(
        self, sql: str, values: Sequence[Any] = (), *, size: int = 1000
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Iterate over many rows as `batches` does, as tuples: read in half of the time."""
        with self._lock, translated(self.path):
            cursor = self._connection.cursor()
            cursor.row_factory = None
            cursor.execute(sql, values)
        yield from self._fetched(cursor, size)

    def _fetched(self, cursor: sqlite3.Cursor, size: int) -> Iterator[list[Any]]:
        try:
            while True:
                with self._lock, translated(self.path):
                    found = cursor.fetchmany(size)
                if not found:
                    return
                yield found
        finally:
            with suppress(sqlite3.ProgrammingError):  # the connection was closed before
                cursor.close()

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first column of the first row, or None."""
        found = self.row(sql, values)
        return None if found is None else found[0]

    def get_meta(self, key: str) -> str | None:
        found: str | None = self.value("SELECT value FROM meta WHERE key = ?", (key,))
        return found

    def set_meta(self, key: str, value: str) -> None:
        self.execute(
            "INSERT INTO meta (key, value) VALUES (?, ?)"
            " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def check(self) -> None:
        """Raise CorruptStoreError if this database must not be used any more; takes no time.

        Another process found it to be corrupt, or its file was removed or replaced: nobody would
        read anything written from now on.
        """
        if marks.is_marked_corrupt(self.path):
            raise CorruptStoreError(f"{self.path} is corrupt: restart to rebuild it")
        with translated(self.path):
            is_another = _identity(self.path) != self._identity
        if is_another:
            raise CorruptStoreError(f"{self.path} was replaced by another file: restart to use it")

    def checkpoint(self) -> None:
        """Checkpoint the journal into the file, as far as readers allow."""
        self.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def check_integrity(self, halt: Stop) -> None:
        """Read all of it, which takes a second or two per 100,000 chunks.

        Some damage appears only when the affected rows or words are read, and this connection's
        memory may still hold what is wrong on the disk: it uses a connection of its own. Raises
        CorruptStoreError, StoppedError; StoreError if it could not be read to the end.
        """
        with (
            translated(self.path),
            closing(sqlite3.connect(self.path, timeout=30)) as connection,
            stoppable(connection, halt),
        ):
            check(connection)

    @contextmanager
    def read_rows(self) -> Iterator[None]:
        """Treat malformed rows as corruption. Raises CorruptStoreError."""
        try:
            yield
        except (ValueError, KeyError, TypeError, StoreError) as error:
            with translated(self.path):
                raise corrupt(f"malformed row: {error!r}") from error

    def build_rows(self, make: Callable[[Row], T], rows: Iterable[Row]) -> Iterator[T]:
        """Build a value from each row. Raises CorruptStoreError for a malformed one."""
        for row in rows:
            try:
                yield make(row)
            except (ValueError, KeyError, TypeError):
                with self.read_rows():
                    raise

    def build_at_once(
        self, make: Callable[[list[Any]], Iterable[T]], batches: Iterable[list[Any]]
    ) -> Iterator[T]:
        """Make values of many rows at once, as `build_rows` does."""
        for rows in batches:
            with self.read_rows():
                found = list(make(rows))
            yield from found

    def _open(self) -> None:
        if marks.is_marked_corrupt(self.path):
            raise corrupt("found at work")
        unproven = self.path.exists() and not marks.was_closed_cleanly(self.path)
        # The process that is using it checked it when it started.
        unproven = unproven and held_by(lock_path(self.path.parent)) is None
        create(self.path)  # SQLite gives its journals the mode of the file
        self._connection = sqlite3.connect(
            self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            self._connection.row_factory = sqlite3.Row
            for pragma in _PRAGMAS:
                self._connection.execute(f"PRAGMA {pragma}")
            if unproven:
                check(self._connection)
            migrate(self._connection, self.path, self._shape)
            self._identity = _identity(self.path)
        except BaseException as error:
            is_damaged = isinstance(error, sqlite3.DatabaseError) and is_corrupt(error)
            why = why_unreadable(self.path) if is_damaged else ""
            self._connection.close()
            if why:
                raise UnreadableStoreError(f"{self.path}: {why}: check the disk") from error
            raise

    def _recreate(self, error: Exception, aside: Path | None = None) -> None:
        """Set the database aside, or continue that where a kill interrupted it."""
        if self._shape.is_cache:
            marks.forget(self.path)
            copies.remove(self.path)
            self._open()
            _log.error("%s was corrupt (%s): it is made again", self.path, error)
            return
        try:
            with WriterLock(lock_path(self.path.parent), holder="lacuna, repairing its database,"):
                aside = aside or marks.begin_setting_aside(self.path)
                marks.set_aside(self.path, aside)
                self._open()
                with self.transaction():
                    kept = salvage(aside, self._connection)
                    line = (
                        f"the database was damaged ({error}) and rebuilt: {kept} rows were kept;"
                        f" the damaged file is {aside.name}"
                    )
                    self._connection.execute(REBUILT_LINE, (line,))
                marks.end_setting_aside(self.path)
        except LockedError as locked:
            raise CorruptStoreError(
                f"{self.path} is corrupt ({error}) and about to be repaired: {locked};"
                " try again in a moment"
            ) from error
        _log.error(
            "%s was corrupt (%s): it is kept as %s and replaced; %d rows of agendas, runs and "
            "findings were recovered from it, the rest is read from the vault again",
            *(self.path, error, aside.name, kept),
        )


class ReadOnlyDatabase(Database):
    """A read-only connection of its own: it waits for no transaction of the writer.

    The writer must have opened the database already. Raises StoreError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        with translated(path):
            self._connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=ro",
                uri=True,
                timeout=5,
                isolation_level=None,
                check_same_thread=False,
            )
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA temp_store=MEMORY")

    def close(self) -> None:
        with self._lock, translated(self.path):
            self._connection.close()


def _identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of the file, or None if there is none. Raises OSError."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
