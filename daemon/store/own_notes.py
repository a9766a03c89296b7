"""Our notes that are neither findings nor agendas nor digests: registered before they are
written.
"""

from daemon.model.own_notes import PendingWrite
from daemon.store.db import Database

_MOVED_TO = "inbox_moved_to"  # meta


class OwnNoteStore:
    """The path of each of them, by its `lacuna_id`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add_pending(self, pending: PendingWrite) -> None:
        """Store the text before the note is written; if the note is gone, again."""
        self._db.execute(
            "INSERT INTO own_notes (id, path, note) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE"
            " SET path = excluded.path, note = excluded.note, written = 0",
            (pending.id, pending.path, pending.text),
        )

    def pending(self) -> list[PendingWrite]:
        rows = self._db.rows("SELECT id, path, note FROM own_notes WHERE written = 0 ORDER BY id")
        return [PendingWrite(row["id"], row["path"], row["note"]) for row in rows]

    def repath(self, id: str, path: str) -> None:
        self._db.execute("UPDATE own_notes SET path = ? WHERE id = ?", (path, id))

    def written(self, id: str, content_hash: str) -> None:
        self._db.execute(
            "UPDATE own_notes SET written = 1, note = '', content_hash = ? WHERE id = ?",
            (content_hash, id),
        )

    def path(self, id: str) -> str | None:
        """Return where a note was or will be written, or None if there never was one."""
        found: str | None = self._db.value("SELECT path FROM own_notes WHERE id = ?", (id,))
        return found

    def inbox_place(self) -> str:
        """Return the last known folder of the inbox, or ""."""
        return self._db.get_meta(_MOVED_TO) or ""

    def save_inbox_place(self, place: str) -> None:
        self._db.set_meta(_MOVED_TO, place)

    def paths(self) -> list[str]:
        return [row["path"] for row in self._db.rows("SELECT path FROM own_notes ORDER BY path")]
