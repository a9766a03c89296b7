"""Digests: one per run, promised before it is written."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from daemon.model.finding import FindingStatus
from daemon.store.db import Database
from daemon.store.promise import Promise


def digest_id(run: str) -> str:
    """Return the `lacuna_id` of a run's digest."""
    return f"digest-{run}"


@dataclass(frozen=True, slots=True)
class DigestRow:
    """A digest as it was last seen; `shown` is what its boxes said of each finding, by its id."""

    id: str
    path: str
    content_hash: str
    shown: dict[str, FindingStatus]


class DigestStore:
    """Where each run's digest is."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def promise(self, promise: Promise) -> None:
        """Keep the text before the note is written; a second promise for a run changes nothing."""
        self._db.execute(
            "INSERT INTO digests (id, path, note) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
            (promise.id, promise.path, promise.text),
        )

    def promised(self) -> list[Promise]:
        rows = self._db.rows("SELECT id, path, note FROM digests WHERE written = 0 ORDER BY id")
        return [Promise(row["id"], row["path"], row["note"]) for row in rows]

    def repath(self, id: str, path: str) -> None:
        self._db.execute("UPDATE digests SET path = ? WHERE id = ?", (path, id))

    def written(self, id: str, content_hash: str) -> None:
        self._db.execute(
            "UPDATE digests SET written = 1, note = '', content_hash = ? WHERE id = ?",
            (content_hash, id),
        )

    def learn(self, id: str, path: str, content_hash: str) -> None:
        """Keep a digest whose row was lost; one that is known stays."""
        self._db.execute(
            "INSERT INTO digests (id, path, written, content_hash) VALUES (?, ?, 1, ?)"
            " ON CONFLICT (id) DO NOTHING",
            (id, path, content_hash),
        )

    def all(self) -> list[DigestRow]:
        """Return every digest that was written, by id."""
        rows = self._db.rows(
            "SELECT id, path, content_hash, shown FROM digests WHERE written = 1 ORDER BY id"
        )
        with self._db.understood():
            return [
                DigestRow(
                    row["id"],
                    row["path"],
                    row["content_hash"],
                    {id: FindingStatus(each) for id, each in json.loads(row["shown"]).items()},
                )
                for row in rows
            ]

    def showed(
        self, id: str, path: str, content_hash: str, shown: Mapping[str, FindingStatus]
    ) -> None:
        """Keep what a digest's boxes say now, and where it is."""
        body = json.dumps({id: each.value for id, each in sorted(shown.items())})
        self._db.execute(
            "UPDATE digests SET path = ?, content_hash = ?, shown = ? WHERE id = ?",
            (path, content_hash, body, id),
        )

    def path(self, run: str) -> str | None:
        """Return where the digest of `run` was written or is going to be."""
        found: str | None = self._db.value(
            "SELECT path FROM digests WHERE id = ?", (digest_id(run),)
        )
        return found

    def paths(self) -> list[str]:
        return [row["path"] for row in self._db.rows("SELECT path FROM digests ORDER BY path")]
