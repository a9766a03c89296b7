"""What is known of a vault from its settings and its state folder, without its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daemon.store.db import Database
from daemon.store.lock import held_by, lock_path
from daemon.store.requests import RequestStore

if TYPE_CHECKING:
    from pathlib import Path

    from daemon.config import Settings
    from daemon.store.events import EventLog


@dataclass(frozen=True, slots=True)
class VaultState:
    """A vault that another process works on; `events` has what any process reports."""

    settings: Settings
    state: Path
    events: EventLog

    def writer(self) -> str | None:
        """Return who has locked this vault (`lacuna run (pid 4711)`), or None."""
        return held_by(lock_path(self.state))

    def withdraw(self, request: int) -> bool:
        """Cancel a command that nobody has begun; return whether it was. Raises StoreError."""
        db = Database(self.state / "lacuna.db")
        try:
            return RequestStore(db).withdraw(request)
        finally:
            db.close()
