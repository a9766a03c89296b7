"""The last look at the whole vault, as long as nothing that it hangs on has changed."""

from daemon.store.db import Database


class HealthStore:
    """Keeps one text under a key that stands for all that it was made of."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, key: str) -> str | None:
        found: str | None = self._db.value("SELECT body FROM healths WHERE key = ?", (key,))
        return found

    def keep(self, key: str, body: str) -> None:
        """Keep `body`, and forget what was kept before."""
        with self._db.transaction():
            self._db.execute("DELETE FROM healths")
            self._db.execute("INSERT INTO healths (key, body) VALUES (?, ?)", (key, body))
