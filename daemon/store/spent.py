"""Read the ledger: for `lacuna costs` and `lacuna privacy`."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime

from daemon.model.spending import FINDING, LedgerEntry, Sending, SpentSum
from daemon.store.db import Database, Row
from daemon.store.ledger import amounts_of


class Spent:
    """Reads the ledger, and deletes its old entries."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def sums(self, since: date | None = None) -> Iterator[SpentSum]:
        """Iterate over the costs, by day, run and source, since a calendar day."""
        first = since.isoformat() if since is not None else ""
        rows = self._db.each(
            "SELECT * FROM ledger_sums WHERE day >= ? ORDER BY day, run, source", (first,)
        )
        for row in rows:
            yield SpentSum(row["day"], row["run"], row["source"], amounts_of(row))

    def entries(self, since: datetime | None = None) -> Iterator[LedgerEntry]:
        """Iterate over everything sent from this machine, oldest first."""
        first = since.timestamp() if since is not None else 0.0
        rows = self._db.each(
            "SELECT * FROM ledger WHERE sent_at >= ? AND kind != ? ORDER BY sent_at, id",
            (first, FINDING),
        )
        return (_entry(row) for row in rows)

    def oldest(self) -> datetime | None:
        """Return the day since which every single request is recorded, or None if there is none."""
        found = self._db.value("SELECT min(sent_at) FROM ledger")
        return None if found is None else datetime.fromtimestamp(found, UTC)

    def prune(self, before: datetime, sums_before: date) -> int:
        """Delete single requests, and much older sums; return how many requests."""
        self._db.execute("DELETE FROM ledger_sums WHERE day < ?", (sums_before.isoformat(),))
        return self._db.execute("DELETE FROM ledger WHERE sent_at < ?", (before.timestamp(),))


def _entry(row: Row) -> LedgerEntry:
    sending = Sending(
        source=row["source"],
        kind=row["kind"],
        host=row["host"],
        what=row["what"],
        keys=tuple(json.loads(row["keys"])),
        amounts=amounts_of(row),
    )
    sent_at = datetime.fromtimestamp(row["sent_at"], UTC)
    return LedgerEntry(sent_at, row["run"], sending, bool(row["is_settled"]))
