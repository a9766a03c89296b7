"""What is saved of a damaged database: all that can be read and that the vault cannot give back."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from daemon.store.migrations import statements
from daemon.store.schema import REBUILT, SUMMED, UNREADABLE


def salvage(aside: Path, new: sqlite3.Connection) -> int:
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
                # Whatever cannot be read is lost, which `Database` says aloud.
                with suppress(sqlite3.Error):
                    for row in old.execute(f"SELECT * FROM {table} ORDER BY {order}"):  # noqa: S608 our own names
                        kept += _copy(row, table, new)
    for statement in statements(UNREADABLE):
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
