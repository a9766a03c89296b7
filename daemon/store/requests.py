"""What commands ask of the running daemon, which is the only writer while it runs."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from daemon.store.db import Database, Row


class RequestState(StrEnum):
    NEW = "new"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Request:
    """One thing asked.

    While it is worked on, `answer` holds `progress`, and in `agenda` the id of the agenda that was
    made for it; then it holds the result.
    """

    id: int
    kind: str
    body: Mapping[str, Any]
    state: RequestState
    answer: Mapping[str, Any]


class RequestStore:
    """A queue that survives both sides: the asker may go away, the daemon may restart."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def ask(self, kind: str, body: Mapping[str, Any], *, now: datetime) -> int:
        """Queue a request and return its id."""
        return self._db.insert(
            "INSERT INTO requests (kind, body, asked_at) VALUES (?, ?, ?)",
            (kind, json.dumps(body), now.isoformat()),
        )

    def get(self, id: int) -> Request | None:
        row = self._db.row("SELECT * FROM requests WHERE id = ?", (id,))
        return self._understood(row) if row else None

    def begin(self, kind: str, body: Mapping[str, Any], *, now: datetime) -> Request:
        """Return a request that the asker carries out: what was left of the same, or a new one.

        Only for whoever holds the writer's lock.
        """
        with self._db.transaction():
            id_ = self._db.value(
                "SELECT id FROM requests WHERE kind = ? AND body = ?"
                " AND state IN ('new', 'working') ORDER BY id LIMIT 1",
                (kind, json.dumps(body)),
            )
            id_ = self.ask(kind, body, now=now) if id_ is None else id_
            self._db.execute("UPDATE requests SET state = 'working' WHERE id = ?", (id_,))
            return self._understood(self._db.rows("SELECT * FROM requests WHERE id = ?", (id_,))[0])

    def take(self, besides: Collection[str] = ()) -> Request | None:
        """Return the oldest new request of no kind in `besides`, marked as being worked on."""
        if self._db.value("SELECT 1 FROM requests WHERE state = 'new'") is None:
            return None  # asked every second, so without taking the write lock
        with self._db.transaction():
            row = self._db.row(
                "SELECT * FROM requests WHERE state = 'new'"
                " AND kind NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT 1",
                (json.dumps(list(besides)),),
            )
            if row is None:
                return None
            self._db.execute("UPDATE requests SET state = 'working' WHERE id = ?", (row["id"],))
            return self._understood(row)

    def withdraw(self, id: int) -> bool:
        """Take back a request that nobody has begun; whether that was so."""
        with self._db.transaction():
            is_new = self._db.value("SELECT 1 FROM requests WHERE id = ? AND state = 'new'", (id,))
            self._db.execute("DELETE FROM requests WHERE id = ? AND state = 'new'", (id,))
        return is_new is not None

    def tell(self, id: int, told: Mapping[str, Any]) -> None:
        """Add to what is told of a request while it is worked on."""
        self._db.execute(
            "UPDATE requests SET answer = json_patch(answer, ?) WHERE id = ?",
            (json.dumps(told), id),
        )

    def answer(self, id: int, state: RequestState, answer: Mapping[str, Any]) -> None:
        self._db.execute(
            "UPDATE requests SET state = ?, answer = ? WHERE id = ?",
            (state, json.dumps(answer), id),
        )

    def requeue(self) -> None:
        """Make what a daemon that died was working on new again; forget what is long answered."""
        self._db.execute("UPDATE requests SET state = 'new' WHERE state = 'working'")
        self.forget_answered()

    def forget_answered(self) -> None:
        """Forget what was answered, but for the last hundred."""
        self._db.execute(
            "DELETE FROM requests WHERE state IN ('done', 'failed')"
            " AND id < (SELECT max(id) - 100 FROM requests)"
        )

    def _understood(self, row: Row) -> Request:
        with self._db.understood():
            return _request(row)


def _request(row: Row) -> Request:
    return Request(
        id=row["id"],
        kind=row["kind"],
        body=json.loads(row["body"]),
        state=RequestState(row["state"]),
        answer=json.loads(row["answer"]),
    )
