"""What a vault publishes: notes and their chunks.

Each batch names the revision that it follows, so that two machines that publish the same vault
never mix: the second one is refused, compares again, and continues. A batch that is sent again
after a lost answer is refused in the same way, and found to be there.
"""

from collections.abc import Sequence
from typing import TypeAlias

import psycopg
from pgvector import HalfVector
from sqlalchemy import (
    BigInteger,
    Connection,
    any_,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, REGCONFIG
from sqlalchemy.dialects.postgresql import insert as upsert

from daemon.hub.deliveries import forget_closed
from daemon.hub.members import Person
from daemon.hub.tables import chunks, findings, notes, vaults, wanted
from daemon.hub.waiting_chunks import require_model
from daemon.model.errors import HubConflictError, HubError
from daemon.model.shared_findings import SharedFinding
from daemon.model.shared_notes import Batch, Published, SharedChunk, SharedNote, unpacked

_SIMPLE = cast("simple", REGCONFIG)
_STORE = text("""
INSERT INTO notes (vault_id, path, name, hash)
SELECT :vault, * FROM unnest(
  CAST(:paths AS text[]), CAST(:names AS text[]), CAST(:hashes AS text[]))
ON CONFLICT ON CONSTRAINT notes_path DO UPDATE
SET name = excluded.name, hash = excluded.hash, published_at = now()
RETURNING id, path
""")
_COPY = (
    "COPY chunks (note_id, vault_id, path, place, heading, text, embedding) FROM STDIN"
    " WITH (FORMAT BINARY)"
)
_Row: TypeAlias = tuple[int, int, str, int, str, str | None, bytes | None]
_APART = "xapartx"  # a word between texts


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

    @property
    def id(self) -> int:
        return self._id

    def published(self) -> Published:
        """Return what the hub has of this vault.

        The revision is read first: what is published in between makes the next batch a conflict.
        """
        revision = select(vaults.c.revision).where(vaults.c.id == self._id)
        found = self._connection.execute(revision).scalar_one()
        rows = self._connection.execute(
            select(notes.c.path, notes.c.hash).where(notes.c.vault_id == self._id)
        )
        return Published(revision=found, hashes={row.path: row.hash for row in rows})

    def apply(self, batch: Batch) -> int:
        """Store and delete notes; return the new revision. Raises HubError, HubConflictError."""
        follows = (vaults.c.id == self._id, vaults.c.revision == batch.revision)
        changed = update(vaults).where(*follows).values(revision=vaults.c.revision + 1)
        revision = self._connection.execute(changed.returning(vaults.c.revision)).scalar()
        if revision is None:
            raise HubConflictError("another machine published to this vault: compare again")
        if batch.has_embeddings:
            require_model(self._connection, batch.model or "")
        if batch.withdrawn:
            of_vault = (notes.c.vault_id == self._id, notes.c.path.in_(batch.withdrawn))
            self._connection.execute(delete(notes).where(*of_vault))
        if batch.notes:
            self._store({note.path: note for note in batch.notes})
        if batch.withdrawn or batch.notes:
            forget_closed(self._connection, self._id)
        return int(revision)

    def _store(self, batch: dict[str, SharedNote]) -> None:
        values = {
            "vault": self._id,
            "paths": list(batch),
            "names": [note.name for note in batch.values()],
            "hashes": [note.hash for note in batch.values()],
        }
        ids = {row.path: row.id for row in self._connection.execute(_STORE, values)}
        for table in (chunks, wanted):
            of_notes = table.c.note_id == any_(literal(list(ids.values()), ARRAY(BigInteger)))
            self._connection.execute(delete(table).where(of_notes))
        made = [
            self._row(ids[path], path, place, chunk)
            for path, note in batch.items()
            for place, chunk in enumerate(note.chunks)
        ]
        if made:
            _copy(self._connection, made)
        names = [
            {"note_id": ids[path], "vault_id": self._id, "path": path, "name": name}
            for path, note in batch.items()
            for name in note.wanted
        ]
        if names:
            self._connection.execute(insert(wanted), names)
        self._store_findings(ids, batch)

    def _store_findings(self, ids: dict[str, int], batch: dict[str, SharedNote]) -> None:
        """Store the findings of a batch; one that was changed keeps its deliveries."""
        given = {ids[path]: note.finding for path, note in batch.items() if note.finding}
        ended = ids.values() - given.keys()
        self._connection.execute(delete(findings).where(findings.c.note_id.in_(ended)))
        paths = {id_: path for path, id_ in ids.items()}
        for note, finding in given.items():
            stored = upsert(findings).values(
                note_id=note,
                vault_id=self._id,
                path=paths[note],
                topic=finding.topic,
                body=finding.model_dump(mode="json"),
                words=func.to_tsvector(_SIMPLE, _about(finding)),
            )
            new = {name: stored.excluded[name] for name in ("topic", "body", "words")}
            self._connection.execute(
                stored.on_conflict_do_update(constraint="findings_note", set_=new)
            )

    def _row(self, note: int, path: str, place: int, chunk: SharedChunk) -> _Row:
        known = None if chunk.embedding is None else unpacked(chunk.embedding)
        vector = None if known is None else HalfVector(known).to_binary()
        return note, self._id, path, place, chunk.heading, chunk.text, vector


def _copy(connection: Connection, rows: Sequence[_Row]) -> None:
    """Store chunks. Vectors are sent as PostgreSQL keeps them: as text, they take most of the time.

    Raises HubError.
    """
    raw = connection.connection.driver_connection
    try:
        with raw.cursor() as cursor, cursor.copy(_COPY) as copy:  # type: ignore[union-attr]  # psycopg
            copy.set_types(("int8", "int8", "text", "int4", "text", "text", "bytea"))
            for row in rows:
                copy.write_row(row)
    except psycopg.Error as error:
        line = str(error).strip().partition("\n")[0]
        raise HubError(f"the database refused: {line}") from error


def _about(finding: SharedFinding) -> str:
    """Return the texts in which a finding says what it is about, apart: no phrase spans two."""
    return f" {_APART} ".join((finding.topic, finding.title, finding.question))
