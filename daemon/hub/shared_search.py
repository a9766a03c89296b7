"""Search over every vault that somebody may read, in one ranking."""

from dataclasses import dataclass
from functools import cached_property

from pgvector import HalfVector
from sqlalchemy import ColumnElement, Connection, Select, cast, func, select
from sqlalchemy.dialects.postgresql import REGCONFIG

from daemon.hub.readable import readable
from daemon.hub.tables import chunks, notes, vaults
from daemon.model.shared_notes import Vector16

_CANDIDATES = 50  # chunks of each ranking
_FEW = 1_000  # notes, whose passages are sorted exactly in some hundredths of a second
_RANK = 60  # of reciprocal rank fusion: Cormack and others, SIGIR 2009


@dataclass(frozen=True, slots=True)
class SharedHit:
    """A note of a vault on the hub, by its best chunk."""

    vault: str
    owner: str
    path: str
    name: str | None
    heading: str
    text: str | None  # None where only embeddings are shared
    score: float  # larger is better; comparable within one search


class SharedSearch:
    """Searches on a connection of `Database.as_person`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def search(self, words: str, embedding: "Vector16 | None", limit: int) -> list[SharedHit]:
        """Return notes, the best first, by words, and by meaning where a `(384,)` embedding is
        given.
        """
        return self._hits(self._scores(words, embedding), limit)

    def passages(self, words: str, embedding: "Vector16 | None") -> list[int]:
        """Return ids of chunks, the best first, found in the same way."""
        scores = self._scores(words, embedding)
        return sorted(scores, key=lambda id_: (-scores[id_], id_))

    def _scores(self, words: str, embedding: "Vector16 | None") -> dict[int, float]:
        rankings = [self._ranked(self._by_words(words))]
        if embedding is not None:
            rankings.append(self._ranked(self._by_meaning(embedding)))
        scores: dict[int, float] = {}
        for ranking in rankings:
            for rank, id_ in enumerate(ranking):
                scores[id_] = scores.get(id_, 0.0) + 1 / (_RANK + rank + 1)
        return scores

    def nearest(self, embedding: Vector16, limit: int) -> list[int]:
        """Return ids of the chunks whose embeddings are nearest to a `(384,)` one."""
        return list(self._connection.scalars(self._by_meaning(embedding).limit(limit)))

    def _by_words(self, words: str) -> Select[tuple[int]]:
        query = func.websearch_to_tsquery(cast("simple", REGCONFIG), words)
        found = chunks.c.words.op("@@", is_comparison=True)(query)
        best = func.ts_rank_cd(chunks.c.words, query).desc()
        return readable(chunks).where(found).order_by(best, chunks.c.id)

    def _by_meaning(self, embedding: Vector16) -> Select[tuple[int]]:
        distance = self.distance(HalfVector(embedding))
        return readable(chunks).where(chunks.c.embedding.is_not(None)).order_by(distance)

    def distance(self, embedding: HalfVector) -> ColumnElement[float]:
        """Return the cosine distance to sort by: from the index, or exact where somebody may read
        few notes. The index gives up when too many that they may not read are nearer.
        """
        distance: ColumnElement[float] = chunks.c.embedding.cosine_distance(embedding)
        return distance + 0 if self._reads_few else distance

    @cached_property
    def _reads_few(self) -> bool:
        some = readable(notes).limit(_FEW + 1).subquery()
        number = self._connection.scalar(select(func.count()).select_from(some)) or 0
        return number <= _FEW

    def _ranked(self, ids: Select[tuple[int]]) -> list[int]:
        return list(self._connection.scalars(ids.limit(_CANDIDATES)))

    def _hits(self, scores: dict[int, float], limit: int) -> list[SharedHit]:
        rows = self._connection.execute(
            select(
                *(chunks.c.id, chunks.c.note_id, chunks.c.heading, chunks.c.text),
                *(notes.c.path, notes.c.name, vaults.c.name.label("vault")),
                func.owner_name(vaults.c.id).label("owner"),
            )
            .join(notes, notes.c.id == chunks.c.note_id)
            .join(vaults, vaults.c.id == chunks.c.vault_id)
            .where(chunks.c.id.in_(scores))
        )
        best: dict[int, SharedHit] = {}
        for row in sorted(rows, key=lambda row: (-scores[row.id], row.vault, row.path)):
            hit = SharedHit(
                row.vault, row.owner, row.path, row.name, row.heading, row.text, scores[row.id]
            )
            best.setdefault(row.note_id, hit)
        return list(best.values())[:limit]
