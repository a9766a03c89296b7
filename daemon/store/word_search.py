"""Find chunks by the words in them, in bounded time however common the words are.

What costs is scoring: a microsecond for every chunk that matches. Up to MOST_SCORED matches all is
scored; beyond that the rarest words decide, which is what a score by rarity comes to anyway.
"""

from collections.abc import Sequence

from daemon.store.db import Database
from daemon.store.words import parse_query

MOST_SCORED = 8_000

# In the order of the columns: title, heading, text.
_WEIGHTS = (8.0, 3.0, 1.0)
_NAMES = "{{title heading}} : ({})"  # the columns in which a word names something

# Equals stand in the order of their place, not of their ids, which tell how the index came to be.
_SCORED = """
WITH hits AS MATERIALIZED (
  SELECT rowid AS id, bm25(chunk_words, ?, ?, ?) AS score
  FROM chunk_words WHERE chunk_words MATCH ?
)
SELECT hits.id FROM hits JOIN chunks ON chunks.id = hits.id
WHERE score <= coalesce((SELECT score FROM hits ORDER BY score LIMIT 1 OFFSET ?), 1)
ORDER BY score, note, ordinal LIMIT ?
"""
_SOME = "SELECT rowid FROM chunk_words WHERE chunk_words MATCH ? LIMIT ?"
_COUNT = f"SELECT count(*) FROM ({_SOME})"  # noqa: S608 our own words
_CHUNKS = "SELECT count(*) FROM (SELECT 1 FROM chunks LIMIT ?)"


class WordSearch:
    """Searches the full-text index of chunks."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def find(self, query: str, limit: int) -> list[int]:
        """Return ids of chunks that hold the query's words, best first.

        Those with every word stand before those with some. Whatever the query holds is no error.
        """
        wanted = parse_query(query)
        if not wanted.each:
            return []
        found = self._with_all(wanted.everything, limit)
        if len(found) < limit and len(wanted.each) > 1:
            some = self._scored(" OR ".join(self._rarest(wanted.each)), limit)
            found += [chunk for chunk in some if chunk not in found]
        return found[:limit]

    def _with_all(self, expression: str, limit: int) -> list[int]:
        """What nearly every chunk says is sought where it names something, if it ever does."""
        found = self._db.rows(_SOME, (expression, MOST_SCORED + 1))
        if len(found) <= 1:
            return [row[0] for row in found]
        names = _NAMES.format(expression)
        too_many = len(found) > MOST_SCORED
        return self._scored(names if too_many and self._count(names, 1) else expression, limit)

    def _rarest(self, each: Sequence[str]) -> Sequence[str]:
        """The rarest of some expressions: as many as match MOST_SCORED chunks in all."""
        if int(self._db.value(_CHUNKS, (MOST_SCORED + 1,))) <= MOST_SCORED:
            return each
        counted = sorted((self._count(one), at) for at, one in enumerate(each))
        kept, left = [each[counted[0][1]]], MOST_SCORED - counted[0][0]
        for count, at in counted[1:]:
            left -= count
            if left < 0:
                break
            kept.append(each[at])
        return kept

    def _count(self, expression: str, most: int = -1) -> int:
        return int(self._db.value(_COUNT, (expression, most)))

    def _scored(self, expression: str, limit: int) -> list[int]:
        rows = self._db.rows(_SCORED, (*_WEIGHTS, expression, limit - 1, limit))
        return [row[0] for row in rows]
