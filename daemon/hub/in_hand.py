"""Locks on what a worker has in hand while it waits for a page, a source or a model.

They are advisory locks of PostgreSQL, which the worker's transaction holds until it ends. A lock on
a row would give this transaction a number, and while there is one, VACUUM cannot remove rows that
were deleted since: a slow source would keep the dead rows of all tables.
"""

from sqlalchemy import BigInteger, ColumnElement, Connection, func, text

# Keys of 64 bits, of this database.
HELD = """
SELECT (classid::bigint << 32) | objid::bigint AS key FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 1 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
# The snapshot of a query, which has the same effect, is kept until the next statement of the
# connection. This one needs none.
_NO_SNAPSHOT = text("SHOW server_version_num")
_TRY = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0))")


def take(connection: Connection, *names: str) -> bool:
    """Lock these names until the end of the transaction; return whether nobody else has one.

    If somebody has, the transaction must end: it may have locked the others. Otherwise, what they
    name must be read once more: it may have been done a moment ago.
    """
    return all(connection.scalar(_TRY, {"name": name}) for name in names)


def is_held(name: ColumnElement[str]) -> ColumnElement[bool]:
    """Return whether a worker has something in hand now."""
    held = text(HELD).columns(key=BigInteger)
    return func.hashtextextended(name, 0).in_(held)


def begin_waiting(connection: Connection) -> None:
    """Hold nothing but the locks from now on, until the next statement."""
    connection.execute(_NO_SNAPSHOT)
