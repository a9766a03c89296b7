"""Commands for the one writer, stored until they are answered: a kill loses none.

The process that works on a request owns it for a while and renews that lease. A request returns to
the queue when its owner cannot be working on it any more, and fails after too many attempts.
"""

import json
import math
import os
import secrets
import time
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from daemon.model.errors import KeyReusedError, error_of
from daemon.model.request import MAX_ATTEMPTS, Request, RequestState
from daemon.store.db import Database, Row

LEASE = timedelta(minutes=15)  # as long as systemd waits for a heartbeat
_TAKE = (
    "UPDATE requests SET state = 'working', owner = ?, leased_until = ?, attempts = attempts + 1"
    " WHERE id = ?"
)
# Only one process at a time may write, so another process that owned a request has ended.
_ABANDONED = "state = 'working' AND (owner != ? OR leased_until < ?)"
GIVEN_UP = (
    f"was given up after {MAX_ATTEMPTS} attempts: each time the process that worked on it"
    " ended before it was done. The log says why; give the command again to try once more"
)


class RequestStore:
    """A queue that survives both sides: the client may exit, the daemon may restart."""

    def __init__(self, db: Database, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._db = db
        self._monotonic = monotonic
        self._held: dict[int, float] = {}  # leases of this process, by a clock that nobody sets

    def ask(
        self, kind: str, body: Mapping[str, Any], *, now: datetime, key: str | None = None
    ) -> int:
        """Queue a request and return its id; if its key is that of an earlier one, return the
        earlier id.

        Raises LacunaError if the earlier one was another command.
        """
        with self._db.transaction():
            known = self._db.row("SELECT * FROM requests WHERE key = ?", (key,))
            if known is None:
                return self._db.insert(
                    "INSERT INTO requests (kind, body, asked_at, key) VALUES (?, ?, ?, ?)",
                    (kind, json.dumps(body), now.isoformat(), key),
                )
        _check_same(known, kind, body)
        return int(known["id"])

    def by_key(self, kind: str, body: Mapping[str, Any], key: str) -> dict[str, Any] | None:
        """Return the answer to an earlier request with a key; None if it has none yet.

        Raises LacunaError if it failed, or was another command.
        """
        row = self._db.row("SELECT * FROM requests WHERE key = ?", (key,))
        if row is None:
            return None
        _check_same(row, kind, body)
        known = self._understood(row)
        if known.state is RequestState.FAILED:
            raise error_of(known.answer.get("kind", ""), known.answer.get("error", "it failed"))
        return dict(known.answer) if known.state is RequestState.DONE else None

    def get(self, id: int) -> Request | None:
        row = self._db.row("SELECT * FROM requests WHERE id = ?", (id,))
        return self._understood(row) if row else None

    def unanswered(self) -> list[Request]:
        """Return pending requests and those in progress, oldest first."""
        return self._all("state IN ('new', 'working')", ())

    def given_up(self, since: datetime) -> list[Request]:
        """Return what failed after too many attempts and was asked since a time."""
        bounds = (MAX_ATTEMPTS, since.isoformat())
        return self._all("state = 'failed' AND attempts >= ? AND asked_at >= ?", bounds)

    def begin(
        self, kind: str, body: Mapping[str, Any], *, now: datetime, key: str | None = None
    ) -> Request:
        """Return a request that the client carries out itself: a pending equal one, or a new one.

        With a key, only one of the same key is equal.

        Its attempts count from here, because the user has just asked again. Only for the holder of
        the writer's lock.
        """
        with self._db.transaction():
            id_ = self._db.value(
                "SELECT id FROM requests WHERE kind = ? AND body = ?"
                " AND state IN ('new', 'working') AND key IS ? ORDER BY id LIMIT 1",
                (kind, json.dumps(body), key),
            )
            id_ = self.ask(kind, body, now=now, key=key) if id_ is None else id_
            self._db.execute("UPDATE requests SET attempts = 0 WHERE id = ?", (id_,))
            return self._lease(id_, now)

    def take(self, besides: Collection[str] = (), *, now: datetime) -> Request | None:
        """Return the oldest new request of no kind in `besides`, and take ownership of it."""
        if self._db.value("SELECT 1 FROM requests WHERE state = 'new'") is None:
            return None  # called often, so without taking the write lock
        with self._db.transaction():
            id_ = self._db.value(
                "SELECT id FROM requests WHERE state = 'new'"
                " AND kind NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT 1",
                (json.dumps(list(besides)),),
            )
            return None if id_ is None else self._lease(id_, now)

    def renew(self, *, now: datetime) -> None:
        """Renew this process's leases."""
        self._held = dict.fromkeys(self._held, self._monotonic() + LEASE.total_seconds())
        self._db.execute(
            "UPDATE requests SET leased_until = ? WHERE state = 'working' AND owner = ?",
            ((now + LEASE).isoformat(), this_process()),
        )

    def withdraw(self, id: int) -> bool:
        """Cancel a request that no process has started; return whether it was cancelled."""
        with self._db.transaction():
            is_new = self._db.value("SELECT 1 FROM requests WHERE id = ? AND state = 'new'", (id,))
            self._db.execute("DELETE FROM requests WHERE id = ? AND state = 'new'", (id,))
        return is_new is not None

    def keep(self, request: Request, known: Mapping[str, Any]) -> None:
        """Update a request while it is in progress."""
        self._db.execute(
            "UPDATE requests SET answer = json_patch(answer, ?) WHERE id = ? AND attempts = ?",
            (json.dumps(known), request.id, request.attempts),
        )

    def answer(self, request: Request, state: RequestState, answer: Mapping[str, Any]) -> bool:
        """Store the result of a request; False if another process owns it by now."""
        changed = self._db.execute(
            "UPDATE requests SET state = ?, answer = ? WHERE id = ? AND attempts = ?",
            (state, json.dumps(answer), request.id, request.attempts),
        )
        self._held.pop(request.id, None)
        return bool(changed)

    def release(self, request: Request) -> None:
        """Return a request that was stopped properly to the queue: that does not count as an
        attempt.
        """
        self._db.execute(
            "UPDATE requests SET state = 'new', owner = '', attempts = attempts - 1"
            " WHERE id = ? AND attempts = ? AND state = 'working'",
            (request.id, request.attempts),
        )
        self._held.pop(request.id, None)

    def requeue(self, *, now: datetime) -> list[Request]:
        """Return abandoned requests to the queue; return those that have failed too often instead.

        This process keeps its own as long as it renews the lease, however the clock is set. Only
        for the holder of the writer's lock.
        """
        bounds = (this_process(), now.isoformat())
        if self._db.value(f"SELECT 1 FROM requests WHERE {_ABANDONED}", bounds) is None:  # noqa: S608 our own words
            return []
        with self._db.transaction():
            found = [each for each in self._all(_ABANDONED, bounds) if not self._is_held(each)]
            for each in found:
                self._put_back(each)
        return [each for each in found if each.attempts >= MAX_ATTEMPTS]

    def forget_answered(self) -> None:
        """Delete answered requests, except the last hundred."""
        self._db.execute(
            "DELETE FROM requests WHERE state IN ('done', 'failed')"
            " AND id < (SELECT max(id) - 100 FROM requests)"
        )

    def _lease(self, id_: int, now: datetime) -> Request:
        self._db.execute(_TAKE, (this_process(), (now + LEASE).isoformat(), id_))
        self._held[id_] = self._monotonic() + LEASE.total_seconds()
        return self._all("id = ?", (id_,))[0]

    def _is_held(self, request: Request) -> bool:
        """Return whether this process may still be working on it."""
        until = self._held.get(request.id, -math.inf)
        return request.owner == this_process() and self._monotonic() < until

    def _put_back(self, request: Request) -> None:
        if request.attempts >= MAX_ATTEMPTS:
            self.answer(request, RequestState.FAILED, {"error": GIVEN_UP})
            return
        self._db.execute(
            "UPDATE requests SET state = 'new', owner = '' WHERE id = ?", (request.id,)
        )

    def _all(self, where: str, values: tuple[object, ...]) -> list[Request]:
        rows = self._db.rows(f"SELECT * FROM requests WHERE {where} ORDER BY id", values)  # noqa: S608 our own words
        return [self._understood(row) for row in rows]

    def _understood(self, row: Row) -> Request:
        with self._db.read_rows():
            return _request(row)


def _check_same(known: Row, kind: str, body: Mapping[str, Any]) -> None:
    """Raise LacunaError if a request with the same key was another command."""
    if (known["kind"], json.loads(known["body"])) != (kind, body):
        raise KeyReusedError(f"{kind}: another command was given with this key; use a new key")


def this_process() -> str:
    """Return the name by which this process owns requests; it is unique."""
    return _name(os.getpid())


@cache
def _name(pid: int) -> str:
    return f"{pid}-{secrets.token_hex(8)}"


def _request(row: Row) -> Request:
    return Request(
        id=row["id"],
        kind=row["kind"],
        body=json.loads(row["body"]),
        state=RequestState(row["state"]),
        answer=json.loads(row["answer"]),
        asked_at=datetime.fromisoformat(row["asked_at"]),
        owner=row["owner"],
        leased_until=datetime.fromisoformat(row["leased_until"]) if row["leased_until"] else None,
        attempts=row["attempts"],
    )
