"""Digests: one per day with findings, registered before it is written."""

import json
from collections.abc import Mapping, Sequence

from daemon.model.finding import FindingStatus
from daemon.model.own_notes import DigestRow, PendingWrite
from daemon.store.db import Database


def digest_id(run: str) -> str:
    """Return the `lacuna_id` of the digest for a run."""
    return f"digest-{run}"


class DigestStore:
    """Where each digest is, and which runs it covers."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add_pending(self, pending: PendingWrite, *, day: str, run: str) -> None:
        """Store the text before the note is written; a second call for a run changes nothing."""
        self._db.execute(
            "INSERT INTO digests (id, path, note, day, runs) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO NOTHING",
            (pending.id, pending.path, pending.text, day, json.dumps([run])),
        )

    def pending(self) -> list[PendingWrite]:
        rows = self._db.rows("SELECT id, path, note FROM digests WHERE written = 0 ORDER BY id")
        return [PendingWrite(row["id"], row["path"], row["note"]) for row in rows]

    def repath(self, id: str, path: str) -> None:
        """Record that a digest is at another path; its runs refer to that one from then on."""
        with self._db.transaction():
            self._db.execute("UPDATE digests SET path = ? WHERE id = ?", (path, id))
            self._db.execute(
                "UPDATE runs SET digest_path = ? WHERE digest_path != '' AND id IN"
                " (SELECT value FROM digests, json_each(digests.runs) WHERE digests.id = ?)",
                (path, id),
            )

    def written(self, id: str, content_hash: str) -> None:
        self._db.execute(
            "UPDATE digests SET written = 1, note = '', content_hash = ? WHERE id = ?",
            (content_hash, id),
        )

    def learn(self, id: str, path: str, *, day: str, runs: Sequence[str]) -> None:
        """Store a digest whose row was lost, as one that is still to be read.

        A known one stays as it is.
        """
        self._db.execute(
            "INSERT INTO digests (id, path, written, day, runs) VALUES (?, ?, 1, ?, ?)"
            " ON CONFLICT (id) DO NOTHING",
            (id, path, day, json.dumps(list(runs))),
        )

    def added(self, id: str, run: str, path: str, content_hash: str) -> None:
        """Record that a digest has one more run; `content_hash` is "" while it is still to be
        read.
        """
        self._db.execute(
            "UPDATE digests SET path = ?, content_hash = ?, runs = json_insert(runs, '$[#]', ?)"
            " WHERE id = ? AND NOT EXISTS (SELECT 1 FROM json_each(runs) WHERE value = ?)",
            (path, content_hash, run, id, run),
        )

    def all(self) -> list[DigestRow]:
        """Return every digest that was written, by id."""
        rows = self._db.rows("SELECT * FROM digests WHERE written = 1 ORDER BY id")
        with self._db.read_rows():
            return [
                DigestRow(
                    row["id"],
                    row["path"],
                    row["content_hash"],
                    {id: FindingStatus(each) for id, each in json.loads(row["shown"]).items()},
                    row["day"],
                    tuple(json.loads(row["runs"])),
                )
                for row in rows
            ]

    def showed(
        self, id: str, path: str, content_hash: str, shown: Mapping[str, FindingStatus]
    ) -> None:
        """Record the current state of a digest's boxes, and its path."""
        body = json.dumps({id: each.value for id, each in sorted(shown.items())})
        self._db.execute(
            "UPDATE digests SET path = ?, content_hash = ?, shown = ? WHERE id = ?",
            (path, content_hash, body, id),
        )

    def path(self, run: str) -> str | None:
        """Return where the digest of a run was or will be written."""
        found: str | None = self._db.value(
            "SELECT digests.path FROM digests, json_each(digests.runs) WHERE value = ?", (run,)
        )
        return found

    def of_day(self, day: str) -> DigestRow | None:
        """Return the latest digest of a day."""
        return next((each for each in reversed(self.all()) if each.day == day), None)

    def paths(self) -> list[str]:
        return [row["path"] for row in self._db.rows("SELECT path FROM digests ORDER BY path")]
