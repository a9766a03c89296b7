"""Findings that a hub delivered, as far as this vault knows their state there."""

from dataclasses import dataclass

from daemon.model.finding import FindingStatus
from daemon.store.db import Database

_WHERE, _REVISION = "received_from", "received_revision"


@dataclass(frozen=True, slots=True)
class OwnDecision:
    """A decision of this vault that the hub has not got: of which delivery, and on which note."""

    delivery: int
    status: FindingStatus
    path: str


class ReceivedFindingStore:
    """Which finding of the vault is which delivery of the hub, and what the hub decided."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def revision(self, where: str) -> int:
        """Return the last change of this hub and vault that was carried out."""
        if self._db.get_meta(_WHERE) != where:
            return 0
        return int(self._db.get_meta(_REVISION) or 0)

    def reached(self, where: str, revision: int) -> None:
        """Store that all changes up to this one were carried out."""
        with self._db.transaction():
            self._db.set_meta(_WHERE, where)
            self._db.set_meta(_REVISION, str(revision))

    def status(self, finding: str) -> FindingStatus | None:
        """Return what the hub last said of a finding; None if it was never delivered."""
        query = "SELECT status FROM received_findings WHERE finding = ?"
        found = self._db.value(query, (finding,))
        return None if found is None else FindingStatus(found)

    def put(self, finding: str, delivery: int, status: FindingStatus) -> None:
        """Store the state of a delivery on the hub."""
        self._db.execute(
            "INSERT INTO received_findings (finding, delivery, status) VALUES (?, ?, ?)"
            " ON CONFLICT (finding) DO UPDATE SET"
            " delivery = excluded.delivery, status = excluded.status",
            (finding, delivery, status.value),
        )

    def to_send(self) -> list[OwnDecision]:
        """Return the decisions that were made here and that the hub has not got."""
        rows = self._db.rows(
            "SELECT r.delivery, f.status, f.path FROM received_findings r"
            " JOIN findings f ON f.id = r.finding"
            " WHERE r.status = 'pending' AND f.status <> 'pending' ORDER BY r.delivery"
        )
        return [
            OwnDecision(row["delivery"], FindingStatus(row["status"]), row["path"]) for row in rows
        ]

    def settle(self, delivery: int, status: FindingStatus) -> None:
        """Store that the hub has a decision, or has no such delivery any more."""
        self._db.execute(
            "UPDATE received_findings SET status = ? WHERE delivery = ?", (status.value, delivery)
        )
