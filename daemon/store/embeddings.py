"""Embeddings by chunk hash and model; they outlive their chunks for a while."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import TYPE_CHECKING

from daemon.model.arrays import np
from daemon.model.notes import Vector
from daemon.store.db import Database, Row
from daemon.store.generation import Touched, advance

if TYPE_CHECKING:
    import numpy.typing as npt


# Unused embeddings are kept while there are no more of them than used ones, and always this many:
# an undo, a note that comes back by sync, another model on trial and back embed nothing.
_SWEEP_RESERVE = 500

_ALIKE = 1024  # chunks among which those of similar length are embedded together

_WHOLE = "embedded "  # meta, with the model: the id up to which every chunk has its embedding

# A name for the embedding ids' sequence: they restart when the database does.
_NAME = "embeddings"  # meta
_NAME_THEM = "INSERT OR IGNORE INTO meta VALUES (?, lower(hex(randomblob(16))))"

_USED = "EXISTS (SELECT 1 FROM chunks AS c WHERE c.hash = e.hash)"


_SWEEP = (
    "DELETE FROM embeddings WHERE id IN (SELECT id FROM embeddings AS e"  # noqa: S608 our own words
    f" WHERE NOT (model = ? AND {_USED}) ORDER BY id LIMIT ?)"
)
# Per chunk the rank of its note: among the newest or among the most linked, the better one.
_RANKS = """
WITH linked AS (
  SELECT resolved AS path, count(DISTINCT source) AS number FROM links GROUP BY resolved
), ranked AS (
  SELECT
    path,
    row_number() OVER (ORDER BY mtime_ns DESC, path) AS newest,
    row_number() OVER (ORDER BY coalesce(number, 0) DESC, path) AS most_linked
  FROM notes LEFT JOIN linked USING (path)
)
SELECT hash, min(min(newest, most_linked)) FROM chunks JOIN ranked ON path = note GROUP BY hash
"""
# All embeddings of a model as two texts, and the hashes of each note's chunks in order.
_IDS = "SELECT group_concat(hash), group_concat(id) FROM embeddings WHERE model = ?"
_HASHES = (
    "SELECT note, group_concat(hash) FROM"
    " (SELECT note, hash FROM chunks ORDER BY note, ordinal) GROUP BY note"
)
_SWEEP_FROM = 1.5  # embeddings per chunk from which the unused ones are counted


class EmbeddingStore:
    """The embeddings of the index, of which the vector index on disk is a cache."""

    def __init__(self, db: Database, touched: Touched | None = None) -> None:
        self._db = db
        self._touched = touched or Touched(db)

    def is_busy(self) -> bool:
        """Return whether another thread is in a statement or transaction now."""
        return self._db.is_busy()

    def missing(self, model: str) -> list[str]:
        """Return hashes of chunks without an embedding, each once, in embedding order.

        If there are many, those of the newest and of the most linked notes come first, alternately.
        Texts of similar length are embedded together fastest: of so many at a time, the longest is
        first. Chunks up to a certain id are known to have theirs, so after an edit only the new
        ones are checked.
        """
        whole = f"{_WHOLE}{model}"
        rows = self._db.rows(
            "SELECT c.hash, max(length(c.text)) AS length FROM chunks AS c"
            " LEFT JOIN embeddings AS e ON e.hash = c.hash AND e.model = ?"
            " WHERE c.id > ? AND e.id IS NULL AND (c.text != '' OR c.heading != '')"
            " GROUP BY c.hash ORDER BY max(c.id) DESC",
            (model, int(self._db.get_meta(whole) or 0)),
        )
        if not rows:
            last = str(self._db.value("SELECT coalesce(max(id), 0) FROM chunks"))
            if self._db.get_meta(whole) != last:
                self._db.set_meta(whole, last)
        if len(rows) > _ALIKE:
            ranks = dict(map(tuple, self._db.rows(_RANKS)))
            rows = sorted(rows, key=lambda row: (ranks[row[0]], row[0]))
        alike = (rows[at : at + _ALIKE] for at in range(0, len(rows), _ALIKE))
        return [
            row[0] for some in alike for row in sorted(some, key=lambda each: (-each[1], each[0]))
        ]

    def begin_at(self, first: int) -> None:
        """Record that chunks will be numbered from `first`, perhaps for the second time."""
        self._db.execute(
            "UPDATE meta SET value = CAST(? AS TEXT)"
            " WHERE substr(key, 1, length(?)) = ? AND CAST(value AS INTEGER) >= ?",
            (first - 1, _WHOLE, _WHOLE, first),
        )

    def sources(self, hashes: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Return per hash its heading and text."""
        rows = self._db.rows(
            "SELECT hash, heading, text FROM chunks"
            " WHERE hash IN (SELECT value FROM json_each(?)) GROUP BY hash",
            (json.dumps(hashes),),
        )
        return {row["hash"]: (row["heading"], row["text"]) for row in rows}

    def save(self, model: str, hashes: Sequence[str], vectors: Vector) -> None:
        """Store `vectors`, `(n, d)`, of the texts with these `hashes`."""
        blobs = (np.ascontiguousarray(vector, dtype="<f4").tobytes() for vector in vectors)
        with self._db.transaction():
            advance(self._db)
            self._db.execute(_NAME_THEM, (_NAME,))
            self._touched.add(hashes)
            self._db.executemany(
                "INSERT OR IGNORE INTO embeddings (hash, model, vector) VALUES (?, ?, ?)",
                ((hash_, model, blob) for hash_, blob in zip(hashes, blobs, strict=True)),
            )

    def saved(self, model: str) -> Iterator[tuple[str, Vector]]:
        """Yield every embedding of a model, including deleted chunks': the chunk's hash and
        `(d,)`.
        """
        rows = self._db.each("SELECT hash, vector FROM embeddings WHERE model = ?", (model,))
        yield from self._db.build_rows(lambda row: (row["hash"], _vector(row["vector"])), rows)

    def used(self, model: str) -> "npt.NDArray[np.int64]":
        """Return the ids of the embeddings that a chunk has now, ascending."""
        sql = f"SELECT id FROM embeddings AS e WHERE model = ? AND {_USED} ORDER BY id"  # noqa: S608
        return np.fromiter((row[0] for row in self._db.each(sql, (model,))), dtype=np.int64)

    def count(self, most: int) -> int:
        """Return how many embeddings there are, counted up to `most`."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM embeddings LIMIT ?)"
        return int(self._db.value(sql, (most,)))

    def used_among(self, hashes: Iterable[str], model: str) -> dict[int, bool]:
        """Return per embedding id whether a chunk has it now."""
        rows = self._db.rows(
            f"SELECT id, {_USED} FROM embeddings AS e"  # noqa: S608 our own words
            " WHERE hash IN (SELECT value FROM json_each(?)) AND model = ?",
            (json.dumps(list(hashes)), model),
        )
        return {row[0]: bool(row[1]) for row in rows}

    def covered(self, model: str) -> int:
        """Return how many chunks have an embedding."""
        last = int(self._db.value("SELECT coalesce(max(id), 0) FROM chunks"))
        if int(self._db.get_meta(f"{_WHOLE}{model}") or 0) >= last:
            chunks, empty = self._db.rows(
                "SELECT count(*) FROM chunks UNION ALL"
                " SELECT count(*) FROM chunks WHERE text = '' AND heading = ''"
            )
            return int(chunks[0]) - int(empty[0])
        return int(
            self._db.value(
                "SELECT count(*) FROM chunks AS c JOIN embeddings AS e ON e.hash = c.hash"
                " WHERE e.model = ?",
                (model,),
            )
        )

    def number_missing(self, model: str) -> int:
        """Return how many chunks have no embedding; writes nothing."""
        return int(
            self._db.value(
                "SELECT count(*) FROM chunks AS c"
                " LEFT JOIN embeddings AS e ON e.hash = c.hash AND e.model = ?"
                " WHERE c.id > ? AND e.id IS NULL AND (c.text != '' OR c.heading != '')",
                (model, int(self._db.get_meta(f"{_WHOLE}{model}") or 0)),
            )
        )

    def vectors(
        self, ids: Sequence[int], size: int = 4096
    ) -> "Iterator[tuple[npt.NDArray[np.int64], Vector]]":
        """Iterate over embeddings by id, a block of ids and `(n, d)` vectors at a time."""
        for at in range(0, len(ids), size):
            rows = self._db.rows(
                "SELECT id, vector FROM embeddings WHERE id IN (SELECT value FROM json_each(?))"
                " ORDER BY id",
                (json.dumps([int(id_) for id_ in ids[at : at + size]]),),
            )
            if rows:
                block = self._stacked(rows)
                yield np.array([row["id"] for row in rows], dtype=np.int64), block

    def chunk_ids(self, ids: Sequence[int]) -> dict[int, list[int]]:
        """Return, per embedding id, the ids of the chunks that have it, in order."""
        found: dict[int, list[int]] = {}
        for row in self._db.rows(
            "SELECT e.id, c.id FROM embeddings AS e JOIN chunks AS c ON c.hash = e.hash"
            " WHERE e.id IN (SELECT value FROM json_each(?)) ORDER BY c.id",
            (json.dumps(ids),),
        ):
            found.setdefault(row[0], []).append(row[1])
        return found

    def sample(self, model: str, most: int) -> list[str]:
        """Return hashes of at most so many embedded chunks, chosen by their hashes."""
        rows = self._db.rows(
            f"SELECT e.hash FROM embeddings AS e WHERE model = ? AND {_USED}"  # noqa: S608 ours
            " ORDER BY e.hash LIMIT ?",
            (model, most),
        )
        return [row[0] for row in rows]

    def of_hashes(self, model: str, hashes: Sequence[str]) -> Vector:
        """Return the embeddings of some chunks, `(n, d)`, by hash."""
        rows = self._db.rows(
            "SELECT vector FROM embeddings WHERE model = ?"
            " AND hash IN (SELECT value FROM json_each(?)) ORDER BY hash",
            (model, json.dumps(hashes)),
        )
        return self._stacked(rows)

    def of_chunks(
        self, model: str, among: Collection[str] | None = None
    ) -> Iterator[tuple[str, str, str, Vector]]:
        """Iterate over every chunk with an embedding, in order: its note, heading, text and `(d,)`
        vector.

        With `among`, only those of the notes at these paths.
        """
        where = "" if among is None else "AND c.note IN (SELECT value FROM json_each(?))"
        rows = self._db.each(
            "SELECT c.note, c.heading, c.text, e.vector"  # noqa: S608 our own words
            " FROM chunks AS c JOIN embeddings AS e ON e.hash = c.hash"
            f" WHERE e.model = ? {where} ORDER BY c.note, c.ordinal",
            (model,) if among is None else (model, json.dumps(sorted(among))),
        )
        yield from self._db.build_rows(
            lambda row: (row["note"], row["heading"], row["text"], _vector(row["vector"])), rows
        )

    def chunks_to_share(
        self, model: str, among: Collection[str]
    ) -> Iterator[tuple[str, str, str, "Vector | None"]]:
        """Iterate over every chunk of these notes as `of_chunks`; None without an embedding."""
        rows = self._db.each(
            "SELECT c.note, c.heading, c.text, e.vector FROM chunks AS c"
            " LEFT JOIN embeddings AS e ON e.hash = c.hash AND e.model = ?"
            " WHERE c.note IN (SELECT value FROM json_each(?)) ORDER BY c.note, c.ordinal",
            (model, json.dumps(sorted(among))),
        )
        for row in rows:
            blob = row["vector"]
            yield row["note"], row["heading"], row["text"], None if blob is None else _vector(blob)

    def chunk_keys(self, model: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """Return keys of the notes' chunks: per path, one of their texts and one of texts and
        embeddings.

        A note without chunks is in neither, one without embeddings only in the first. Two databases
        never give the same key with embeddings for different content.
        """
        name = f"{self._db.get_meta(_NAME) or ''} ".encode()
        # Joined here: SQLite would search its index once for each chunk.
        every = self._db.rows(_IDS, (model,))[0]
        id_of = dict(zip(*((each or "").split(",") for each in every), strict=True)).get
        texts: dict[str, bytes] = {}
        embedded: dict[str, bytes] = {}
        for rows in self._db.tuples(_HASHES):
            for note, hashes in rows:
                texts[note] = key = blake2b(hashes.encode(), digest_size=16).digest()
                own = [id_of(each, "") for each in hashes.split(",")]
                if any(own):
                    ids = ",".join(own).encode()
                    embedded[note] = blake2b(name + key + ids, digest_size=16).digest()
        return texts, embedded

    def note_vectors(self, model: str, note: str | None = None) -> dict[str, Vector]:
        """Return per path, or for one, the mean of its chunks' embeddings: `(d,)` float32, unit
        length.
        """
        where = "" if note is None else "AND c.note = ?"
        rows = self._db.each(
            "SELECT c.note, e.vector FROM chunks AS c JOIN embeddings AS e ON e.hash = c.hash"  # noqa: S608
            f" WHERE e.model = ? {where} ORDER BY c.note, c.ordinal",
            (model,) if note is None else (model, note),
        )
        means: dict[str, Vector] = {}
        for path, group in groupby(rows, key=lambda row: row["note"]):
            mean: Vector = self._stacked(list(group)).mean(axis=0)
            length = float(np.linalg.norm(mean))
            if length > 0:
                means[path] = (mean / length).astype(np.float32)
        return means

    def _stacked(self, rows: Sequence[Row]) -> Vector:
        """Return the vectors of rows, `(n, d)`. Raises CorruptStoreError."""
        with self._db.read_rows():
            return np.stack([_vector(row["vector"]) for row in rows])

    def sweep(self, model: str) -> int:
        """Delete the oldest unused embeddings if there are too many; return how many."""
        total, chunks = (
            int(row[0])
            for row in self._db.rows(
                "SELECT count(*) FROM embeddings UNION ALL SELECT count(*) FROM chunks"
            )
        )
        if total <= max(_SWEEP_RESERVE, chunks * _SWEEP_FROM):
            return 0
        used = int(
            self._db.value(
                f"SELECT count(*) FROM embeddings AS e WHERE model = ? AND {_USED}",  # noqa: S608
                (model,),
            )
        )
        spare = max(used, _SWEEP_RESERVE)
        if total - used <= spare:
            return 0
        with self._db.transaction():
            self._touched.forget()
            self._db.execute(  # those of other models may no longer be complete
                "DELETE FROM meta WHERE substr(key, 1, length(?)) = ? AND key != ?",
                (_WHOLE, _WHOLE, f"{_WHOLE}{model}"),
            )
            return self._db.execute(_SWEEP, (model, total - used - spare))


def _vector(blob: bytes) -> Vector:
    return np.frombuffer(blob, dtype="<f4")
