"""When each source may be asked again: kept over restarts, so that its limits are."""

from dataclasses import dataclass

from daemon.store.db import Database


@dataclass(frozen=True, slots=True)
class Use:
    """One source's use. Times are Unix times in seconds.

    `next_at` is when it may be asked again; `failures` are those since it last answered; until
    `shut_until` it is left alone. What it was asked is in the ledger.
    """

    next_at: float = 0.0
    failures: int = 0
    shut_until: float = 0.0


class UseStore:
    """The use of every source, by its name."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, name: str) -> Use:
        row = self._db.row(
            "SELECT next_at, failures, shut_until FROM source_turns WHERE name = ?", (name,)
        )
        return Use(*row) if row else Use()

    def put(self, name: str, use: Use) -> None:
        self._db.execute(
            "INSERT INTO source_turns (name, next_at, failures, shut_until)"
            " VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET"
            " next_at = excluded.next_at, failures = excluded.failures,"
            " shut_until = excluded.shut_until",
            (name, use.next_at, use.failures, use.shut_until),
        )
