"""Search the passages of the user's documents by words."""

import json
from collections.abc import Sequence

from daemon.model.arrays import np
from daemon.store.db import Database
from daemon.store.query import parse_query

MAX_SCORED = 40_000  # matching passages that are scored: each takes a microsecond
_TITLE, _TEXT = 1.0, 1.0  # weights of the columns
_MATCHES = "SELECT count(*) FROM (SELECT 1 FROM passage_words WHERE passage_words MATCH ? LIMIT ?)"
_SCORED = """
WITH hits AS MATERIALIZED (
  SELECT rowid AS id, bm25(passage_words, ?, ?) AS score
  FROM passage_words WHERE passage_words MATCH ? ORDER BY score, id LIMIT ?
)
SELECT p.document, p.ordinal, -hits.score FROM hits JOIN passages AS p ON p.id = hits.id
ORDER BY hits.score, p.document, p.ordinal
"""


class PassageWords:
    """The words of all passages of one vault's library."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def by_words(self, query: str, most: int) -> list[tuple[int, int, float]]:
        """Return document, ordinal and BM25 score of passages with the query's words, best first.

        Of common words in a large library only the rarest count.
        """
        each = parse_query(query).each
        if not each:
            return []
        expression = " OR ".join(self._rarest(each))
        rows = self._db.rows(_SCORED, (_TITLE, _TEXT, expression, most))
        return [(row[0], row[1], row[2]) for row in rows]

    def rarities(self, query: str) -> list[tuple[str, float]]:
        """Return each expression of a query with its rarity: 0 if every passage contains it."""
        total = int(self._db.value("SELECT count(*) FROM passages"))
        return [
            (one, float(np.log(1 + total / (1 + self._count(one, total)))))
            for one in parse_query(query).each
        ]

    def holding(self, expression: str, passages: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
        """Return which of some passages (document, ordinal) match an expression."""
        # The plus prevents SQLite from running the full-text search once for each passage.
        rows = self._db.rows(
            "WITH wanted AS MATERIALIZED (SELECT p.id, p.document, p.ordinal FROM json_each(?) AS j"
            " JOIN passages AS p ON p.document = json_extract(j.value, '$[0]')"
            " AND p.ordinal = json_extract(j.value, '$[1]')), held AS MATERIALIZED ("
            "SELECT rowid AS id FROM passage_words WHERE passage_words MATCH ?"
            " AND +rowid IN (SELECT id FROM wanted))"
            " SELECT document, ordinal FROM wanted WHERE id IN (SELECT id FROM held)",
            (json.dumps(passages), expression),
        )
        return {(row[0], row[1]) for row in rows}

    def _rarest(self, each: Sequence[str]) -> Sequence[str]:
        total = int(self._db.value("SELECT count(*) FROM passages"))
        if total <= MAX_SCORED:
            return each
        counted = sorted((self._count(one, MAX_SCORED + 1), at) for at, one in enumerate(each))
        kept, left = [each[counted[0][1]]], MAX_SCORED - counted[0][0]
        for count, at in counted[1:]:
            left -= count
            if left < 0:
                break
            kept.append(each[at])
        return kept

    def _count(self, expression: str, most: int) -> int:
        return int(self._db.value(_MATCHES, (expression, most)))
