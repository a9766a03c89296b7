"""Findings: where each note is, and the user's decision."""

import json
from collections.abc import Callable, Iterable
from datetime import datetime

from daemon.model.errors import LacunaError
from daemon.model.finding import FindingRecord, FindingState, FindingStatus, Lesson
from daemon.model.own_notes import PendingWrite
from daemon.model.topics import question_key, topic_key
from daemon.store.db import Database, Row
from daemon.store.topics import TopicStore

_PREFIX_MIN = 3


class FindingStore:
    """All findings, registered before they are written and kept after they are reviewed."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._topics = TopicStore(db)

    def add_pending(self, record: FindingRecord, note_text: str) -> None:
        """Store a finding before its note is written; a known one stays as it is."""
        self._db.execute(
            "INSERT INTO findings (id, run, path, status, title, source, key, topic, credibility,"
            " created_at, note, about, question, sources, keys)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO NOTHING",
            (
                record.id,
                record.run,
                record.path,
                record.status.value,
                record.title,
                record.source,
                record.key,
                record.topic,
                record.credibility,
                record.created_at.isoformat(),
                note_text,
                record.about,
                record.question,
                json.dumps(record.sources),
                json.dumps(record.keys),
            ),
        )

    def pending(self) -> list[PendingWrite]:
        rows = self._db.rows("SELECT id, path, note FROM findings WHERE written = 0 ORDER BY id")
        return [PendingWrite(row["id"], row["path"], row["note"]) for row in rows]

    def repath(self, id: str, path: str) -> None:
        """Record that the note of this finding is (or will be) at `path`."""
        self._db.execute("UPDATE findings SET path = ? WHERE id = ?", (path, id))

    def written(self, id: str, content_hash: str) -> None:
        self._db.execute(
            "UPDATE findings SET written = 1, note = '', content_hash = ? WHERE id = ?",
            (content_hash, id),
        )

    def learn(self, record: FindingRecord) -> None:
        """Store a finding whose row was lost, from its note."""
        with self._db.transaction():
            self.add_pending(record, "")
            self.written(record.id, record.content_hash)
            self.update(record)

    def get(self, ref: str) -> FindingRecord | None:
        """Find by id, a unique prefix of it, path or file name.

        Raises LacunaError if several match.
        """
        row = self._db.row("SELECT * FROM findings WHERE id = ?", (ref,))
        if row is not None:
            return self._records([row])[0]
        found = [record for record in self.all() if _is_meant(record, ref)]
        if len(found) > 1:
            raise LacunaError(f"{ref}: {len(found)} findings match; give more of the id")
        return found[0] if found else None

    def all(
        self, status: FindingStatus | None = None, agenda: str | None = None
    ) -> list[FindingRecord]:
        """Return findings (with one status, of an agenda by its id), newest first."""
        rows = self._db.rows(
            "SELECT * FROM findings WHERE (?1 IS NULL OR status = ?1)"
            " AND (?2 IS NULL OR run IN (SELECT id FROM runs WHERE agenda = ?2))"
            " ORDER BY created_at DESC, id",
            (status.value if status else None, agenda),
        )
        return self._records(rows)

    def reviewable(self) -> list[FindingRecord]:
        """Return the findings whose notes were written: if one is gone, the user removed it."""
        rows = self._db.rows("SELECT * FROM findings WHERE written = 1 ORDER BY created_at, id")
        return self._records(rows)

    def standings(self) -> dict[str, FindingState]:
        """Return the status of every finding by its id."""
        rows = self._db.rows("SELECT id, status, path FROM findings")
        return {row["id"]: FindingState(FindingStatus(row["status"]), row["path"]) for row in rows}

    def of_run(self, run: str) -> list[FindingRecord]:
        rows = self._db.rows("SELECT * FROM findings WHERE run = ? ORDER BY created_at, id", (run,))
        return self._records(rows)

    def known_keys(self, *, besides_run: str = "") -> frozenset[str]:
        """Return the keys of everything ever offered, whatever the decision: see `answered`.

        A resumed run excludes its own findings with `besides_run`.
        """
        return frozenset(
            key for record in self.all() if record.run != besides_run for key in _keys_of(record)
        )

    def answered(self, *, besides_run: str = "") -> dict[str, str]:
        """Return the paths of pending and accepted findings, by the keys of their answers.

        These are the keys of their documents, sentences and questions; the newest finding counts.
        """
        return {
            key: record.path
            for record in reversed(self.all())
            if record.run != besides_run and record.status is not FindingStatus.DISMISSED
            for key in _keys_of(record)
        }

    def renamed(self, old: str, new: str) -> None:
        """Update findings that refer to a note that was moved."""
        self._db.execute("UPDATE findings SET about = ? WHERE about = ?", (new, old))

    def lessons(self) -> tuple[Lesson, ...]:
        """Return the lessons of all decisions, in a deterministic order."""
        rows = self._db.rows("SELECT * FROM findings WHERE status != 'pending' ORDER BY id")
        return tuple(
            Lesson(
                topic=topic_key(record.topic),
                note=record.about,
                became=record.path if record.status is FindingStatus.ACCEPTED else "",
                is_accepted=record.status is FindingStatus.ACCEPTED,
                decided_at=record.decided_at,
            )
            for record in self._records(rows)
            if record.decided_at is not None
        )

    def paths(self) -> list[str]:
        return [row["path"] for row in self._db.rows("SELECT path FROM findings")]

    def update(self, record: FindingRecord) -> None:
        """Store what a review changes: path, status, hash, feedback, missing, decided, hold."""
        self._db.execute(
            "UPDATE findings SET path = ?, status = ?, content_hash = ?, feedback = ?,"
            " missing_at = ?, decided_at = ?, hold = ? WHERE id = ?",
            (
                record.path,
                record.status.value,
                record.content_hash,
                record.feedback,
                _text(record.missing_at),
                _text(record.decided_at),
                record.hold,
                record.id,
            ),
        )

    def decide(
        self,
        record: FindingRecord,
        *,
        at: datetime,
        never: bool = False,
        also: Callable[[], None] = lambda: None,
    ) -> None:
        """Store a decision (`record` has the new status), and its effect on the topic.

        In one transaction with the writes of `also`.
        """
        with self._db.transaction():
            self.update(record)
            also()
            if record.status is not FindingStatus.DISMISSED:
                self._topics.retract(record.id)
            elif never and not self._is_restored(record):
                self._topics.never_suggest(record.topic, at=at, by=record.id)

    def _is_restored(self, record: FindingRecord) -> bool:
        """Return whether the topic was restored after this decision: its box stays ticked."""
        restored_at = self._topics.restored().get(topic_key(record.topic))
        if restored_at is None or record.decided_at is None:
            return False
        return record.decided_at <= restored_at

    def _records(self, rows: Iterable[Row]) -> list[FindingRecord]:
        with self._db.read_rows():
            return [_record(row) for row in rows]


def _is_meant(record: FindingRecord, ref: str) -> bool:
    name = record.path.rpartition("/")[2]
    if ref in (record.path, name, name.removesuffix(".md")):
        return True
    return len(ref) >= _PREFIX_MIN and record.id.startswith(ref)


def _keys_of(record: FindingRecord) -> list[str]:
    question = [question_key(record.question)] if record.question else []
    return [record.key, *record.keys, *question]


def _text(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _at(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _record(row: Row) -> FindingRecord:
    return FindingRecord(
        id=row["id"],
        run=row["run"],
        path=row["path"],
        status=FindingStatus(row["status"]),
        title=row["title"],
        source=row["source"],
        key=row["key"],
        topic=row["topic"],
        credibility=row["credibility"],
        created_at=datetime.fromisoformat(row["created_at"]),
        content_hash=row["content_hash"],
        feedback=row["feedback"],
        missing_at=_at(row["missing_at"]),
        decided_at=_at(row["decided_at"]),
        about=row["about"],
        question=row["question"],
        sources=tuple(json.loads(row["sources"])),
        keys=tuple(json.loads(row["keys"])),
        hold=row["hold"],
    )
