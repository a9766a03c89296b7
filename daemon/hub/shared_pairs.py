"""Passages of different people that are about the same."""

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from daemon.hub.readable import readable
from daemon.hub.shared_search import SharedHit, SharedSearch
from daemon.hub.tables import chunks, notes, vaults
from daemon.model.shared_notes import Vector16

_READ = 100  # passages, the newest or the best on a topic
_NEIGHBOURS = 5  # of each
_FARTHEST = 0.5  # cosine distance: those farther away are about something else

_USABLE = (chunks.c.text.is_not(None), chunks.c.embedding.is_not(None))


@dataclass(frozen=True, slots=True)
class SharedPair:
    """Two passages, the first one of the person whose name comes first."""

    one: SharedHit
    other: SharedHit


class SharedPairs:
    """Pairs on a connection of `Database.as_person`: both passages can be read."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._search = connection, SharedSearch(connection)

    def similar(self, words: str, embedding: "Vector16 | None", limit: int) -> list[SharedPair]:
        """Return pairs of passages with text of different owners, the most similar first: about a
        topic, or without `words` among what was published last.
        """
        near: dict[tuple[int, int], float] = {}
        for id_ in self._read(words, embedding):
            for other, distance in self._neighbours(id_):
                near[min(id_, other), max(id_, other)] = distance
        ids = sorted(near, key=lambda pair: (near[pair], pair))[:limit]
        hits = self._hits({id_ for pair in ids for id_ in pair})
        pairs = (sorted((hits[one], hits[other]), key=_place) for one, other in ids)
        return [SharedPair(one, other) for one, other in pairs]

    def _read(self, words: str, embedding: "Vector16 | None") -> list[int]:
        if words:
            found = self._search.passages(words, embedding)
            return found[:_READ]
        newest = (
            select(chunks.c.id)
            .join(notes, notes.c.id == chunks.c.note_id)
            .where(chunks.c.id.in_(readable(chunks)), *_USABLE)
            .order_by(notes.c.published_at.desc(), chunks.c.id.desc())
            .limit(_READ)
        )
        return list(self._connection.scalars(newest))

    def _neighbours(self, id_: int) -> list[tuple[int, float]]:
        here = select(chunks.c.embedding, vaults.c.owner_id).join(
            vaults, vaults.c.id == chunks.c.vault_id
        )
        row = self._connection.execute(here.where(chunks.c.id == id_, *_USABLE)).first()
        if row is None:  # without a text or an embedding
            return []
        theirs = select(vaults.c.id).where(vaults.c.owner_id != row.owner_id)
        distance = self._search.distance(row.embedding)
        near = (
            readable(chunks)
            .add_columns(distance)
            .where(chunks.c.vault_id.in_(theirs), *_USABLE)
            .order_by(distance)
            .limit(_NEIGHBOURS)
        )
        rows = self._connection.execute(near).all()
        return [(other, float(far)) for other, far in rows if far <= _FARTHEST]

    def _hits(self, ids: set[int]) -> dict[int, SharedHit]:
        rows = self._connection.execute(
            select(
                *(chunks.c.id, chunks.c.heading, chunks.c.text),
                *(notes.c.path, notes.c.name, vaults.c.name.label("vault")),
                func.owner_name(vaults.c.id).label("owner"),
            )
            .join(notes, notes.c.id == chunks.c.note_id)
            .join(vaults, vaults.c.id == chunks.c.vault_id)
            .where(chunks.c.id.in_(ids))
        )
        return {
            row.id: SharedHit(row.vault, row.owner, row.path, row.name, row.heading, row.text, 0.0)
            for row in rows
        }


def _place(hit: SharedHit) -> tuple[str, str, str]:
    return hit.owner, hit.vault, hit.path
