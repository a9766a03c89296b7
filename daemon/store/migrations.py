"""Migrate a database to the newest schema; it is copied before it is changed."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from daemon.model.errors import NewerSchemaError, StoreError
from daemon.store import copies
from daemon.store.integrity import all_or_nothing, check, translated
from daemon.store.lock import held_by, lock_path
from daemon.store.schema import MIGRATIONS, STARTED, Shape

_log = logging.getLogger(__name__)


def migrate(connection: sqlite3.Connection, path: Path, shape: Shape) -> None:
    """Run the scripts that the database at `path` lacks, all or none. Raises StoreError.

    Raises NewerSchemaError if a newer Lacuna wrote it.
    """
    migrations, is_cache = shape.migrations, shape.is_cache
    if _version(connection) == len(migrations):
        return
    with all_or_nothing(connection, path):
        version = _version(connection)  # again: another process may have been first
        if version > len(migrations):
            raise _too_new(path, version, len(migrations))
        if 0 < version < len(migrations) and not is_cache:
            _back_up(connection, path, version, len(migrations))
        for script in migrations[version:]:
            for statement in statements(script):
                connection.execute(statement)
        if version == 0 and not is_cache:
            connection.execute(STARTED)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
    if not is_cache:
        copies.prune(path)


def schema_of(path: Path) -> int:
    """Check a database that nobody is using, and return its schema version.

    Raises StoreError if it is corrupt, NewerSchemaError if this Lacuna is too old for it.
    """
    if not path.is_file():
        raise StoreError(f"{path}: the database does not exist")
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            check(connection)
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise StoreError(f"{path} is corrupt: {error}") from None
    if version == 0:
        raise StoreError(f"{path} is not a database of Lacuna")
    if version > len(MIGRATIONS):
        raise _too_new(path, version)
    return version


def mark_for_recovery(path: Path) -> None:
    """Make the next process that opens the database learn what the vault contains since."""
    with translated(path), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM meta WHERE key = 'to_learn'")
        connection.execute(STARTED)


def statements(script: str) -> Iterator[str]:
    """Split a script where SQLite itself ends a statement."""
    begun = ""
    for line in script.splitlines(keepends=True):
        begun += line
        if sqlite3.complete_statement(begun):
            yield begun
            begun = ""


def _back_up(connection: sqlite3.Connection, path: Path, version: int, newest: int) -> None:
    """Copy the database before it is changed; nobody else can write meanwhile.

    Raises StoreError if there is no space, or somebody is using it: a process that has not migrated
    it is an older Lacuna.
    """
    holder = held_by(lock_path(path.parent))
    if holder is not None:
        raise StoreError(
            f"cannot migrate {path} from schema {version} to {newest}: {holder}, an older"
            " Lacuna, has locked it. Stop it first"
        )
    size = connection.execute(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    ).fetchone()[0]
    copies.require_room(path, version, size)
    kept = copies.copy_path(path, version)
    copies.copy_database(path, kept, draft=copies.draft_path(path))
    _log.warning(
        "migrating the state from schema %d to %d; a copy of the old one is %s",
        *(version, newest, kept.name),
    )


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _too_new(path: Path, version: int, known: int = len(MIGRATIONS)) -> NewerSchemaError:
    return NewerSchemaError(
        f"{path} was written by a newer Lacuna (schema {version}, this one knows"
        f" {known}): update Lacuna"
    )
