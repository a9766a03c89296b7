"""The audit log: who did what, appended to and never changed."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select

from daemon.hub.tables import audit


class Logged(NamedTuple):
    """An entry of the audit log."""

    at: datetime
    person: str
    action: str
    object: str
    details: dict[str, Any]


def record(connection: Connection, by: str, action: str, object_: str, **details: str) -> None:
    """Append an audit entry in the same transaction as the change it records."""
    connection.execute(
        insert(audit).values(person=by, action=action, object=object_, details=details)
    )


def newest(connection: Connection, limit: int) -> list[Logged]:
    """Return entries, the newest first."""
    columns = (audit.c.at, audit.c.person, audit.c.action, audit.c.object, audit.c.details)
    rows = connection.execute(select(*columns).order_by(audit.c.id.desc()).limit(limit))
    return [Logged(*row) for row in rows]
