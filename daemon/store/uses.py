"""The rate limit state of each source, stored so that limits hold across restarts."""

from daemon.model.sources import SourceUse
from daemon.store.db import Database


class UseStore:
    """The rate limit state of every source, by its name."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, name: str) -> SourceUse:
        row = self._db.row(
            "SELECT next_at, failures, shut_until FROM source_turns WHERE name = ?", (name,)
        )
        return SourceUse(*row) if row else SourceUse()

    def put(self, name: str, use: SourceUse) -> None:
        self._db.execute(
            "INSERT INTO source_turns (name, next_at, failures, shut_until)"
            " VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET"
            " next_at = excluded.next_at, failures = excluded.failures,"
            " shut_until = excluded.shut_until",
            (name, use.next_at, use.failures, use.shut_until),
        )
