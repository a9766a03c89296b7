"""Generation numbers, increased with every change of the index, to detect outdated derived data.

They increase in the transaction of the change itself, so neither exists without the other.
"""

from collections.abc import Iterable

from daemon.store.db import Database

_INDEX, _CHUNKS = "generation", "chunks_generation"
_MAX_TOUCHED = 5_000


def generation(db: Database) -> str:
    """Return the generation of the whole index; the same number means the same index."""
    return db.get_meta(_INDEX) or "0"


def advance(db: Database) -> None:
    """Record that notes, links, chunks or embeddings changed."""
    _advance(db, _INDEX)


class Touched:
    """The hashes of chunks that were added, deleted or embedded since derived data was computed.

    Changes by another process appear as a gap in the numbers, and so do rollbacks: the touched
    chunks are then unknown.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._since = self._until = -1
        self._hashes: set[str] | None = None

    def add(self, hashes: Iterable[str]) -> None:
        """Record a change of chunks or embeddings, inside its transaction."""
        number = _advance(self._db, _CHUNKS)
        if self._hashes is None or number != self._until + 1:
            self._hashes = None
            return
        self._until = number
        self._hashes.update(hashes)
        if len(self._hashes) > _MAX_TOUCHED:
            self._hashes = None

    def forget(self) -> None:
        """Record a change that cannot be described by hashes."""
        _advance(self._db, _CHUNKS)
        self._hashes = None

    def since(self, number: int) -> set[str] | None:
        """Return what was touched since the chunks had this number; None if unknown."""
        now = self.number()
        if now == number:
            return set()
        return self._hashes if (self._since, self._until) == (number, now) else None

    def begin(self, number: int) -> None:
        """Start again, now that derived data is based on the chunks with this number."""
        self._since = self._until = number
        self._hashes = set()

    def number(self) -> int:
        """Return the generation of the chunks and their embeddings; the same number means the same
        content.
        """
        return int(self._db.get_meta(_CHUNKS) or 0)


def _advance(db: Database, key: str) -> int:
    rows = db.rows(
        "INSERT INTO meta (key, value) VALUES (?, '1') ON CONFLICT (key)"
        " DO UPDATE SET value = CAST(value + 1 AS TEXT) RETURNING value",
        (key,),
    )
    return int(rows[0][0])
