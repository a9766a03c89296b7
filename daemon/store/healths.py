"""The last analysis of the whole vault, as long as its inputs are unchanged."""

from daemon.store.db import Database


class HealthStore:
    """Stores one text under a key that is a fingerprint of its inputs."""

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
