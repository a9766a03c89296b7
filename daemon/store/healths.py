"""The last analysis of the whole vault while its inputs are unchanged, and figures of each day."""

from datetime import date

from daemon.store.db import Database


class HealthStore:
    """Stores one text under a key that is a fingerprint of its inputs, and a text for each day."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, key: str) -> str | None:
        found: str | None = self._db.value("SELECT body FROM healths WHERE key = ?", (key,))
        return found

    def last(self) -> str | None:
        """Return the last text, whatever its inputs were."""
        found: str | None = self._db.value("SELECT body FROM healths LIMIT 1")
        return found

    def save(self, key: str, body: str) -> None:
        """Store `body`, and delete the previous one."""
        with self._db.transaction():
            self._db.execute("DELETE FROM healths")
            self._db.execute("INSERT INTO healths (key, body) VALUES (?, ?)", (key, body))

    def keep_day(self, day: date, body: str) -> None:
        """Store the figures of a day; those of an earlier analysis of this day are replaced."""
        self._db.execute("INSERT OR REPLACE INTO health_days VALUES (?, ?)", (str(day), body))

    def days(self, since: date) -> dict[date, str]:
        """Return the figures of each day on which there was an analysis, the oldest first."""
        rows = self._db.rows(
            "SELECT day, body FROM health_days WHERE day >= ? ORDER BY day", (str(since),)
        )
        return {date.fromisoformat(row["day"]): row["body"] for row in rows}
