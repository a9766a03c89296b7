"""What this vault published to a hub, as far as it knows."""

from collections.abc import Iterable, Mapping

from daemon.model.shared_notes import Published
from daemon.store.db import Database

_WHERE, _REVISION = "published_to", "published_revision"


class PublishedNoteStore:
    """The hash of each published note, and the revision of the vault on the hub."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def load(self, where: str) -> Published | None:
        """Return what was published to this hub and vault; None if it is unknown."""
        if self._db.get_meta(_WHERE) != where:
            return None
        rows = self._db.rows("SELECT path, hash FROM published_notes")
        revision = int(self._db.get_meta(_REVISION) or 0)
        return Published(revision=revision, hashes={row["path"]: row["hash"] for row in rows})

    def replace(self, where: str, published: Published) -> None:
        """Store what the hub reports."""
        with self._db.transaction():
            self._db.execute("DELETE FROM published_notes")
            self._db.set_meta(_WHERE, where)
            self.change(published.revision, published.hashes, ())

    def change(self, revision: int, hashes: Mapping[str, str], withdrawn: Iterable[str]) -> None:
        """Store what the hub accepted."""
        with self._db.transaction():
            gone = "DELETE FROM published_notes WHERE path = ?"
            self._db.executemany(gone, [(path,) for path in withdrawn])
            self._db.executemany(
                "INSERT INTO published_notes (path, hash) VALUES (?, ?)"
                " ON CONFLICT (path) DO UPDATE SET hash = excluded.hash",
                hashes.items(),
            )
            self._db.set_meta(_REVISION, str(revision))
