"""The only owner of sqlite3: one file, WAL, numbered migrations, one writer at a time."""

import logging
import os
import sqlite3
import threading
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from daemon.model.errors import (
    CorruptStoreError,
    LockedError,
    NewerSchemaError,
    StoreError,
    UnreadableStoreError,
)
from daemon.store import copies, marks
from daemon.store.lock import WriterLock, held_by
from daemon.store.private import create, make_folder
from daemon.store.schema import (
    BEGUN,
    MIGRATIONS,
    REBUILT,
    REBUILT_LINE,
    SUMMED,
    UNREADABLE,
    Shape,
)

Row = sqlite3.Row
_log = logging.getLogger(__name__)

PAGE = 16_384  # bytes of a page of a new database: texts that need few pages are written faster
_PRAGMAS = (
    f"page_size={PAGE}",
    "journal_mode=WAL",
    "synchronous=FULL",  # a promise and a decision outlive a power cut, too
    "foreign_keys=ON",
    "temp_store=MEMORY",
    "journal_size_limit=33554432",
)
# What a torn or overwritten file answers with; everything else is trouble that may pass.
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
# Without a word of more, while reading, and while reading less than there should be. What could not
# be written may be so because the disk is full, and is tried again for as long as that takes.
_NOT_READ = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ}


class Database:
    """A connection that several threads of one process may share.

    Every statement outside `transaction()` commits by itself. Raises StoreError for whatever
    SQLite reports: a full or read-only disk, no permission. A corrupt file is kept aside and begun
    anew, with what can still be read of everything that the vault cannot give back; a cache is
    begun empty.
    """

    def __init__(self, path: Path, shape: Shape | None = None) -> None:
        self.path = path
        self._shape = shape or Shape(MIGRATIONS)
        self._lock = threading.RLock()
        with _translated(path):
            make_folder(path.parent)
            if marks.being_restored(path) is not None:
                raise StoreError(
                    f"{path}: a restore was not finished: do it again with `lacuna restore FILE`"
                )
            try:
                aside = marks.pending(path)
                if aside is not None:
                    self._begin_anew(_corrupt("found before"), aside)
                else:
                    self._open()
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if not _is_corrupt(error):
                    raise
                self._begin_anew(error)

    def close(self) -> None:
        with self._lock, _translated(self.path):
            self._connection.close()
            if _identity(self.path) == self._identity:  # else it is not ours to vouch for
                marks.mark_closed(self.path)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Nested calls join the outer transaction."""
        with self._lock:
            if self.in_transaction():
                yield
                return
            with _translated(self.path):
                self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                with _translated(self.path):
                    self._connection.execute("COMMIT")
            finally:
                # SQLite may have rolled back by itself, as it does when the disk is full.
                if self.in_transaction():
                    self._connection.execute("ROLLBACK")

    def in_transaction(self) -> bool:
        """Whether what was changed last may still be undone."""
        return self._connection.in_transaction

    def execute(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run one statement and return how many rows it changed."""
        with self._lock, _translated(self.path):
            return self._connection.execute(sql, values).rowcount

    def insert(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run one INSERT and return the new row's id."""
        with self._lock, _translated(self.path):
            return int(self._connection.execute(sql, values).lastrowid or 0)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with self.transaction(), _translated(self.path):
            self._connection.executemany(sql, rows)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        with self._lock, _translated(self.path):
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        with self._lock, _translated(self.path):
            found: Row | None = self._connection.execute(sql, values).fetchone()
            return found

    def each(self, sql: str, values: Sequence[Any] = (), *, size: int = 1000) -> Iterator[Row]:
        """Go over rows that would be too many to hold; other threads may work in between."""
        with self._lock, _translated(self.path):
            cursor = self._connection.execute(sql, values)
        with closing(cursor):
            while True:
                with self._lock, _translated(self.path):
                    found = cursor.fetchmany(size)
                if not found:
                    return
                yield from found

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
        """Raise CorruptStoreError when this is no database to go on with; takes no time.

        Another process found it to be corrupt, or its file was taken away or replaced: what is
        written from here then would be read by nobody.
        """
        if marks.is_marked_corrupt(self.path):
            raise CorruptStoreError(f"{self.path} is corrupt: start again to have it rebuilt")
        with _translated(self.path):
            is_another = _identity(self.path) != self._identity
        if is_another:
            raise CorruptStoreError(f"{self.path} is another file now: start again to have it read")

    def checkpoint(self) -> None:
        """Bring what is in the journal into the file itself, where readers leave room for it."""
        self.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def look_through(self) -> None:
        """Read all of it, which takes a second or two per 100,000 chunks.

        Some damage shows only when the very rows or words that it hit are asked for, and what is
        wrong on the disk may still be right in this connection's memory: it takes one of its own.
        Raises CorruptStoreError; StoreError when it could not be read to the end.
        """
        with _translated(self.path), closing(sqlite3.connect(self.path, timeout=30)) as connection:
            _look_through(connection)

    @contextmanager
    def understood(self) -> Iterator[None]:
        """Take rows that say what nobody wrote for what they are. Raises CorruptStoreError."""
        try:
            yield
        except (ValueError, KeyError, TypeError, StoreError) as error:
            with _translated(self.path):
                raise _corrupt(f"a row that nobody wrote: {error!r}") from error

    def _open(self) -> None:
        if marks.is_marked_corrupt(self.path):
            raise _corrupt("found at work")
        unproven = self.path.exists() and not marks.was_closed_whole(self.path)
        # Whoever is at work on it looked it through when it began.
        unproven = unproven and held_by(self._lock_path) is None
        create(self.path)  # SQLite gives its journals the mode of the file
        self._connection = sqlite3.connect(
            self.path, timeout=30, isolation_level=None, check_same_thread=False
        )
        try:
            self._connection.row_factory = sqlite3.Row
            for pragma in _PRAGMAS:
                self._connection.execute(f"PRAGMA {pragma}")
            if unproven:
                _look_through(self._connection)
            self._migrate()
            self._identity = _identity(self.path)
        except BaseException:
            self._connection.close()
            raise

    def _migrate(self) -> None:
        migrations, is_cache = self._shape.migrations, self._shape.is_cache
        if self._version() == len(migrations):
            return
        with self.transaction():
            version = self._version()  # again: another process may have been first
            if version > len(migrations):
                raise _too_new(self.path, version, len(migrations))
            if 0 < version < len(migrations) and not is_cache:
                self._keep_as_it_is(version)
            for script in migrations[version:]:
                for statement in _statements(script):
                    self._connection.execute(statement)
            if version == 0 and not is_cache:
                self._connection.execute(BEGUN)
            self._connection.execute(f"PRAGMA user_version = {len(migrations)}")
        if not is_cache:
            copies.prune(self.path)

    def _keep_as_it_is(self, version: int) -> None:
        """Copy the database before it is changed; nobody else can write meanwhile.

        Raises StoreError when there is no room, or when somebody is at work on it: who is, and has
        not brought it up to date, is an older Lacuna.
        """
        holder = held_by(self._lock_path)
        if holder is not None:
            raise StoreError(
                f"{self.path} has schema {version} and must be brought to {len(MIGRATIONS)}, but"
                f" {holder} of an older Lacuna is at work on it: stop that one first"
            )
        size = self._connection.execute(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        ).fetchone()[0]
        copies.require_room(self.path, version, size)
        kept = copies.copy_path(self.path, version)
        copy_database(self.path, kept, draft=copies.draft_path(self.path))
        _log.warning(
            "the state is brought from schema %d to %d; as it was, it is kept as %s",
            *(version, len(MIGRATIONS), kept.name),
        )

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    def _begin_anew(self, error: Exception, aside: Path | None = None) -> None:
        """Set the database aside, or go on with that where a kill ended it."""
        if self._shape.is_cache:
            marks.forget(self.path)
            _take_away(self.path)
            self._open()
            _log.error("%s was corrupt (%s): it is made again", self.path, error)
            return
        try:
            with WriterLock(self._lock_path, holder="lacuna, mending its database,"):
                aside = aside or marks.begin_setting_aside(self.path)
                marks.set_aside(self.path, aside)
                self._open()
                with self.transaction():
                    kept = _salvage(aside, self._connection)
                    line = (
                        f"the database was damaged ({error}) and rebuilt: {kept} rows were kept;"
                        f" the damaged file is {aside.name}"
                    )
                    self._connection.execute(REBUILT_LINE, (line,))
                marks.end_setting_aside(self.path)
        except LockedError as locked:
            raise CorruptStoreError(
                f"{self.path} is corrupt ({error}) and about to be mended: {locked};"
                " try again in a moment"
            ) from error
        _log.error(
            "%s was corrupt (%s): it is kept as %s and begun anew; %d rows of agendas, runs and"
            " findings were saved from it, the rest is read from the vault again",
            *(self.path, error, aside.name, kept),
        )

    @property
    def _lock_path(self) -> Path:
        return self.path.with_name("daemon.lock")


def copy_database(source: Path, target: Path, *, draft: Path) -> None:
    """Copy a database as it is at this moment, in one piece, while others may write to it.

    `draft` is where the copy is made, in the same folder as `target`. Raises StoreError: no room,
    no database.
    """
    with _translated(source):
        try:
            _take_away(draft)  # what a kill left
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with (
                closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as old,
                closing(sqlite3.connect(draft, isolation_level=None)) as new,
            ):
                old.execute("PRAGMA busy_timeout = 30000")
                old.backup(new)
                new.execute("PRAGMA journal_mode = DELETE")  # all of it is in the one file
            _flush(draft)
            draft.replace(target)
            _flush(target.parent)
        finally:
            _take_away(draft)


def schema_of(path: Path) -> int:
    """Look a database through that nobody is at work on, and return its schema's version.

    Raises StoreError when it is corrupt, NewerSchemaError when this Lacuna is too old for it.
    """
    if not path.is_file():
        raise StoreError(f"{path}: there is no database")
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            _look_through(connection)
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise StoreError(f"{path} is corrupt: {error}") from None
    if version == 0:
        raise StoreError(f"{path} is no database of Lacuna's")
    if version > len(MIGRATIONS):
        raise _too_new(path, version)
    return version


def settle(path: Path) -> None:
    """Have what is in the journal written into the database, as far as it can be read."""
    if path.is_file():
        with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=30)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def begin_to_learn(path: Path) -> None:
    """Have whoever opens the database learn what the vault tells of the time since."""
    with _translated(path), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM meta WHERE key = 'to_learn'")
        connection.execute(BEGUN)


def _too_new(path: Path, version: int, known: int = len(MIGRATIONS)) -> NewerSchemaError:
    return NewerSchemaError(
        f"{path} was written by a newer Lacuna (schema {version}, this one knows"
        f" {known}): update Lacuna"
    )


def _take_away(draft: Path) -> None:
    for ending in ("", "-journal", "-wal", "-shm"):
        draft.with_name(draft.name + ending).unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Have a file, or a folder's list of names, outlive a power cut."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _corrupt(why: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(why)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def _look_through(connection: sqlite3.Connection) -> None:
    """Raise what SQLite raises for a corrupt file when any page, text or word of it is."""
    # The quick check leaves out whether an index says what its table does.
    verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if verdict != "ok":
        raise _corrupt(str(verdict).splitlines()[-1])
    for table, columns in _texts(connection).items():
        deque(connection.execute(f"SELECT {columns} FROM {table}"), maxlen=0)  # noqa: S608 our own names
    for name in ("chunk_words", "passage_words"):
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (name,)).fetchone():
            continue
        # What SQLite keeps in the pages of a virtual table means nothing to the check above. It
        # is asked like a change, and changes nothing.
        connection.execute(f"INSERT INTO {name} ({name}) VALUES ('integrity-check')")  # noqa: S608 our own names
        connection.rollback()


def _texts(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the columns that hold text, of each table that has some."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for table, column in connection.execute(
        "SELECT t.name, c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c"
        " WHERE t.type = 'table' AND t.sql LIKE 'CREATE TABLE%' AND c.type = 'TEXT'"
    ):
        found[table].append(column)
    return {table: ", ".join(columns) for table, columns in found.items()}


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of the file, or None when there is none. Raises OSError."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _is_corrupt(error: Exception) -> bool:
    if isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error):
        return True  # text that nobody wrote
    # Extended codes, such as that of a full-text index, keep the primary one in the low byte.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _CORRUPT


def _breaks_a_rule(error: Exception, path: Path) -> bool:
    """Whether a constraint of our own tables failed because the file is damaged.

    What we write never breaks a rule: something is where it should not be, which a full check
    shows, or nearly always. What it does not show is rebuilt too, but not again and again.
    """
    if not isinstance(error, sqlite3.IntegrityError):
        return False
    try:
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            _look_through(connection)
    except (sqlite3.Error, UnicodeDecodeError) as found:
        if _is_corrupt(found):
            return True
    return not marks.was_set_aside_lately(path)


def _salvage(aside: Path, new: sqlite3.Connection) -> int:
    """Copy whatever can be read of what the vault cannot give back; return the number of rows."""
    kept = 0
    tables = [
        str(row[0])
        for row in new.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        if row[0] not in REBUILT and not row[0].startswith(("sqlite_", "chunk_words"))
    ]
    with closing(sqlite3.connect(aside, isolation_level=None)) as old:
        old.row_factory = sqlite3.Row
        for table in tables:
            # From both ends: a bad page in the middle hides what is behind it.
            for order in ("1", "1 DESC", "rowid", "rowid DESC"):
                # Whatever cannot be read is lost, which `_begin_anew` says aloud.
                with suppress(sqlite3.Error):
                    for row in old.execute(f"SELECT * FROM {table} ORDER BY {order}"):  # noqa: S608 our own names
                        kept += _copy(row, table, new)
    for statement in _statements(UNREADABLE):
        kept -= new.execute(statement).rowcount
    new.execute(SUMMED)
    return kept


def _copy(row: sqlite3.Row, table: str, new: sqlite3.Connection) -> int:
    """Copy one row, unless it is there; return how many that were."""
    names, marked = ", ".join(row.keys()), ", ".join("?" * len(row))
    sql = f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marked})"  # noqa: S608 our own names
    try:
        return new.execute(sql, tuple(row)).rowcount
    except sqlite3.Error:
        return 0  # it hangs on a row that is lost


def _statements(script: str) -> Iterator[str]:
    """Split a script where SQLite itself sees a statement end."""
    begun = ""
    for line in script.splitlines(keepends=True):
        begun += line
        if sqlite3.complete_statement(begun):
            yield begun
            begun = ""


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Turn SQLite's and the file system's errors into one line that names the file."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if _is_corrupt(error) or _breaks_a_rule(error, path):
            marks.mark_corrupt(path)
            raise CorruptStoreError(
                f"{path} is corrupt ({error}): start again to have it rebuilt"
            ) from error
        if (code := getattr(error, "sqlite_errorcode", 0)) & 0xFF == sqlite3.SQLITE_IOERR:
            kind = UnreadableStoreError if code in _NOT_READ else StoreError
            raise kind(f"{path}: {error}: check the disk, and whether it is full") from error
        raise StoreError(f"{path}: {error}") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
