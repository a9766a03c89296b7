"""Notices to be delivered, one row for each channel; they survive a restart."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from daemon.model.notice import Notice, NoticeKind, QueuedNotice
from daemon.store.db import Database, Row

KEPT = timedelta(days=2)  # after which a notice is no longer of interest
_MAX_ROWS = 200  # rows; the oldest are dropped
_MAX_TROUBLE_LENGTH = 300


class OutboxStore:
    """Each notice in it is sent at least once, or given up after `KEPT`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, notice: Notice, channels: Iterable[str], *, due_at: datetime) -> None:
        """Queue a notice for each of `channels`; repeated ones are ignored."""
        rows = [
            (
                notice.id,
                channel,
                json.dumps(_to_json(notice), ensure_ascii=False),
                notice.created_at.isoformat(),
                due_at.timestamp(),
            )
            for channel in channels
        ]
        with self._db.transaction():
            self._db.executemany(
                "INSERT INTO outbox (notice, channel, body, created_at, due_at)"
                " VALUES (?, ?, ?, ?, ?) ON CONFLICT (notice, channel) DO NOTHING",
                rows,
            )
            self._db.execute(
                "DELETE FROM outbox WHERE id <= (SELECT max(id) FROM outbox) - ?", (_MAX_ROWS,)
            )

    def due(self, now: datetime) -> list[QueuedNotice]:
        """Return what is due now, oldest first.

        One that is due in more than a day was postponed by a wrong clock.
        """
        seconds = now.timestamp()
        rows = self._db.rows(
            "SELECT * FROM outbox WHERE due_at <= ? OR due_at > ? ORDER BY id",
            (seconds, seconds + timedelta(days=1).total_seconds()),
        )
        return self._waiting(rows)

    def next_at(self) -> datetime | None:
        """Return when the first notice is due, or None."""
        seconds = self._db.value("SELECT min(due_at) FROM outbox")
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)

    def all(self) -> list[QueuedNotice]:
        return self._waiting(self._db.rows("SELECT * FROM outbox ORDER BY id"))

    def sent(self, id: int) -> None:
        self._db.execute("DELETE FROM outbox WHERE id = ?", (id,))

    def put_off(self, id: int, until: datetime, why: str = "") -> None:
        """Retry it later; with a reason, the attempt counts as failed."""
        self._db.execute(
            "UPDATE outbox SET due_at = ?, tries = tries + ?, trouble = ? WHERE id = ?",
            (until.timestamp(), 1 if why else 0, why[:_MAX_TROUBLE_LENGTH], id),
        )

    def withdraw(self, beginning: str) -> None:
        """Delete the notices whose id has this prefix: they are no longer true."""
        self._db.execute(
            "DELETE FROM outbox WHERE substr(notice, 1, length(?1)) = ?1", (beginning,)
        )

    def give_up(self, now: datetime) -> list[QueuedNotice]:
        """Drop outdated notices, and return them."""
        waiting = [each for each in self.all() if abs(now - each.notice.created_at) > KEPT]
        for each in waiting:
            self.sent(each.id)
        return waiting

    def _waiting(self, rows: Iterable[Row]) -> list[QueuedNotice]:
        with self._db.read_rows():
            return [_from_row(row) for row in rows]


def _to_json(notice: Notice) -> dict[str, object]:
    return {
        "kind": notice.kind.value,
        "title": notice.title,
        "text": notice.text,
        "counts": dict(notice.counts),
    }


def _from_row(row: Row) -> QueuedNotice:
    body = json.loads(row["body"])
    created_at = datetime.fromisoformat(row["created_at"])
    notice = Notice(
        id=row["notice"],
        kind=NoticeKind(body["kind"]),
        created_at=created_at,
        title=body["title"],
        text=body["text"],
        counts={str(name): int(value) for name, value in body["counts"].items()},
    )
    due_at = datetime.fromtimestamp(row["due_at"], created_at.tzinfo)
    return QueuedNotice(row["id"], row["channel"], notice, due_at, row["tries"], row["trouble"])
