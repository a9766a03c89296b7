"""The last seen `research:` value of each note, and when each job last ran."""

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

from daemon.store.db import Database

_TAG = "research_tag"  # meta


class TriggerStore:
    """The memory that makes a trigger fire once, and a missed job run once."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def values(self) -> dict[str, str]:
        """Return note path → trigger value as last seen."""
        return {row["note"]: row["value"] for row in self._db.rows("SELECT * FROM triggers")}

    def replace(self, values: dict[str, str]) -> None:
        """Store `values` as last seen."""
        if values == self.values():  # as in nearly every scan: nothing needs to be written
            return
        with self._db.transaction():
            self._db.execute("DELETE FROM triggers")
            self._db.executemany("INSERT INTO triggers (note, value) VALUES (?, ?)", values.items())

    def fired(self, note: str, value: str) -> None:
        """Record that `note` fired with `value`."""
        self._db.execute(
            "INSERT INTO triggers (note, value) VALUES (?, ?)"
            " ON CONFLICT (note) DO UPDATE SET value = excluded.value",
            (note, value),
        )

    def tag(self) -> str | None:
        """Return the research tag at the last comparison."""
        return self._db.get_meta(_TAG)

    def begin_tag(self, tag: str, fired: Mapping[str, str]) -> None:
        """Store the tag, and values of notes that already had it and did not fire."""
        with self._db.transaction():
            for note, value in fired.items():
                self.fired(note, value)
            self._db.set_meta(_TAG, tag)

    def renamed(self, old: str, new: str) -> None:
        """Move a note's value to its new path: a moved note was not tagged again."""
        self._db.execute("UPDATE OR REPLACE triggers SET note = ? WHERE note = ?", (new, old))

    def forget(self, note: str) -> None:
        """Let the trigger of `note` fire once more."""
        self._db.execute("DELETE FROM triggers WHERE note = ?", (note,))

    def runs(self) -> dict[str, datetime]:
        """Return job → when it last ran, of those that have run."""
        rows = self._db.rows("SELECT job, last_run_at FROM job_runs WHERE NOT is_new")
        return {row["job"]: datetime.fromisoformat(row["last_run_at"]) for row in rows}

    def last_run(self, job: str) -> datetime | None:
        """Return when a job last ran, or became known, with the UTC offset at that time."""
        value = self._db.value("SELECT last_run_at FROM job_runs WHERE job = ?", (job,))
        if not value:
            return None
        at = datetime.fromisoformat(value)
        # An offset of nothing is one, too: UTC itself would leave open where that was.
        return at.replace(tzinfo=timezone(at.utcoffset() or timedelta(0), "there"))

    def record_run(self, job: str, at: datetime) -> None:
        """Record when a job ran, with the UTC offset at that time: see `scheduler/policy.py`."""
        self._db.execute(
            "INSERT INTO job_runs (job, last_run_at) VALUES (?, ?) ON CONFLICT (job)"
            " DO UPDATE SET last_run_at = excluded.last_run_at, is_new = 0",
            (job, at.isoformat()),
        )

    def begin(self, job: str, at: datetime) -> None:
        """Record when a job became known, or resumed after a wrong clock."""
        self._db.execute(
            "INSERT INTO job_runs (job, last_run_at, is_new) VALUES (?, ?, 1) ON CONFLICT (job)"
            " DO UPDATE SET last_run_at = excluded.last_run_at",
            (job, at.isoformat()),
        )

    def has_run(self, job: str) -> bool:
        """Return whether a job has run, and is not only known."""
        found = self._db.value("SELECT 1 FROM job_runs WHERE job = ? AND NOT is_new", (job,))
        return found is not None

    def paused(self) -> dict[str, datetime]:
        """Return job → the time it was paused; the key "" means all jobs."""
        rows = self._db.rows("SELECT job, paused_at FROM job_pauses")
        return {row["job"]: datetime.fromisoformat(row["paused_at"]) for row in rows}

    def pause(self, job: str, at: datetime) -> None:
        """Record that a job is paused; if it is paused already, the earlier time stays."""
        self._db.execute(
            "INSERT INTO job_pauses (job, paused_at) VALUES (?, ?) ON CONFLICT (job) DO NOTHING",
            (job, at.isoformat()),
        )

    def resume(self, job: str) -> None:
        """Resume a job; "" resumes all, including those that were paused individually."""
        self._db.execute("DELETE FROM job_pauses WHERE job = ? OR ? = ''", (job, job))
