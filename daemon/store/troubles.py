"""Recent errors, and whether they are over, for `lacuna status`."""

from datetime import datetime

from daemon.model.notice import TroubleRow
from daemon.store.db import Database, Row

_MAX_ROWS = 100  # rows; the oldest are deleted
_MAX_LINE_LENGTH = 1000  # characters of a line


class TroubleStore:
    """The last errors."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, part: str, line: str, at: datetime) -> bool:
        """Record an error; return whether it is new."""
        line = line[:_MAX_LINE_LENGTH]
        with self._db.transaction():
            again = self._db.execute(
                "UPDATE troubles SET times = times + 1, last_at = ?"
                " WHERE part = ? AND line = ? AND over_at IS NULL",
                (at.isoformat(), part, line),
            )
            if again:
                return False
            self.over(part, at)
            self._db.execute(
                "INSERT INTO troubles (part, line, first_at, last_at) VALUES (?, ?, ?, ?)",
                (part, line, at.isoformat(), at.isoformat()),
            )
            self._db.execute(
                "DELETE FROM troubles WHERE id <= (SELECT max(id) FROM troubles) - ?", (_MAX_ROWS,)
            )
        return True

    def over(self, part: str, at: datetime) -> None:
        """Record that a part has recovered."""
        self._db.execute(
            "UPDATE troubles SET over_at = ? WHERE part = ? AND over_at IS NULL",
            (at.isoformat(), part),
        )

    def all_over(self, at: datetime) -> None:
        """Mark all errors as over at the start of a process, which reports again what still
        fails.
        """
        self._db.execute("UPDATE troubles SET over_at = ? WHERE over_at IS NULL", (at.isoformat(),))

    def last(self, limit: int = 5) -> list[TroubleRow]:
        """Return the last errors, newest first."""
        rows = self._db.rows(
            "SELECT * FROM troubles ORDER BY last_at DESC, id DESC LIMIT ?", (limit,)
        )
        with self._db.read_rows():
            return [_trouble(row) for row in rows]


def _trouble(row: Row) -> TroubleRow:
    return TroubleRow(
        part=row["part"],
        line=row["line"],
        first_at=datetime.fromisoformat(row["first_at"]),
        last_at=datetime.fromisoformat(row["last_at"]),
        times=row["times"],
        over_at=datetime.fromisoformat(row["over_at"]) if row["over_at"] else None,
    )
