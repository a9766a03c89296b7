"""Attempts at what waits, counted before the work begins: what kills its workers is given up.

They are in a table of their own and in a transaction of their own: that of the work ends with it.
"""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, delete, select, text
from sqlalchemy.dialects.postgresql import insert as upsert

from daemon.hub.database import Database, begin_job
from daemon.hub.tables import attempts

MOST = 5  # attempts, after which something is given up
ALONE = 3  # attempts, after which a passage is embedded alone: another one may be to blame
_IDLE = {"embed": "10min", "extract": "10min", "research": "2min", "models": "15min"}


def begin_work(connection: Connection, queue: str) -> None:
    """Have the database end this transaction if its worker is stopped for long: others go on.

    Raises HubVersionError if the tables are not those of this version.
    """
    begin_job(connection)
    timeout = text("SELECT set_config('idle_in_transaction_session_timeout', :most, true)")
    connection.execute(timeout, {"most": _IDLE[queue]})


def count_attempt(database: Database, queue: str, ids: Sequence[int]) -> None:
    """Count an attempt, in a transaction of its own."""
    made = upsert(attempts).values([{"queue": queue, "id": each, "number": 1} for each in ids])
    more = {"number": attempts.c.number + 1}
    with database.begin() as connection:
        connection.execute(made.on_conflict_do_update(index_elements=["queue", "id"], set_=more))


def forget_attempts(connection: Connection, queue: str, ids: Sequence[int] | None = None) -> None:
    """Forget attempts that ended well, or all of a queue."""
    of = (attempts.c.queue == queue, *((attempts.c.id.in_(ids),) if ids is not None else ()))
    connection.execute(delete(attempts).where(*of))


def is_given_up(queue: str, id_: ColumnElement[int]) -> ColumnElement[bool]:
    """Return whether there were as many attempts as there may be."""
    of = (attempts.c.queue == queue, attempts.c.id == id_, attempts.c.number >= MOST)
    return select(attempts.c.id).where(*of).exists()
