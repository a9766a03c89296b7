"""What a vault publishes: notes and their chunks. Publishing is idempotent: a note that the hub
has with the same hash is not sent again, and sending it again changes nothing.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.dialects.postgresql import insert as upsert

from daemon.hub.database import HubError
from daemon.hub.members import Person
from daemon.hub.tables import DIMENSIONS, chunks, notes, vaults


@dataclass(frozen=True, slots=True)
class PublishedChunk:
    """A chunk; `text` is None where the owner shares only embeddings."""

    heading: str
    text: str | None
    embedding: Sequence[float] | None  # of `DIMENSIONS` numbers


@dataclass(frozen=True, slots=True)
class PublishedNote:
    """A note; `name` is None where the owner shares only embeddings."""

    path: str
    name: str | None
    hash: str  # of everything that is published of it
    chunks: Sequence[PublishedChunk] = field(default_factory=tuple)


class Vault:
    """A vault on the hub, for its owner, who alone publishes."""

    def __init__(self, connection: Connection, name: str, owner: Person) -> None:
        """`connection` is one of the hub itself. Raises HubError if it is somebody else's."""
        row = connection.execute(
            select(vaults.c.id).where(vaults.c.name == name, vaults.c.owner_id == owner.id)
        ).first()
        if row is None:  # the same for one of somebody else: its name is nobody's business
            raise HubError(f"you own no vault called {name}")
        self._connection, self._id = connection, int(row.id)

    def hashes(self) -> dict[str, str]:
        """Return the path and hash of each published note."""
        rows = self._connection.execute(
            select(notes.c.path, notes.c.hash).where(notes.c.vault_id == self._id)
        )
        return {row.path: row.hash for row in rows}

    def publish(self, batch: Sequence[PublishedNote]) -> int:
        """Store notes with their chunks; return how many were new or had changed."""
        known = self.hashes()
        changed = [note for note in batch if known.get(note.path) != note.hash]
        for note in changed:
            self._store(note)
        return len(changed)

    def withdraw(self, paths: Collection[str]) -> int:
        """Delete notes that are no longer shared; return how many there were."""
        done = self._connection.execute(
            delete(notes).where(notes.c.vault_id == self._id, notes.c.path.in_(paths))
        )
        return done.rowcount

    def _store(self, note: PublishedNote) -> None:
        for chunk in note.chunks:
            if chunk.embedding is not None and len(chunk.embedding) != DIMENSIONS:
                raise HubError(f"{note.path}: an embedding must have {DIMENSIONS} dimensions")
        values = {"vault_id": self._id, "path": note.path, "name": note.name, "hash": note.hash}
        stored = upsert(notes).values(values)
        id_ = self._connection.execute(
            stored.on_conflict_do_update(
                constraint="notes_path",
                set_={"name": note.name, "hash": note.hash, "published_at": func.now()},
            ).returning(notes.c.id)
        ).scalar_one()
        self._connection.execute(delete(chunks).where(chunks.c.note_id == id_))
        rows = [
            {
                "note_id": id_,
                "vault_id": self._id,
                "path": note.path,
                "place": place,
                "heading": chunk.heading,
                "text": chunk.text,
                "embedding": chunk.embedding,
            }
            for place, chunk in enumerate(note.chunks)
        ]
        if rows:
            self._connection.execute(insert(chunks), rows)
