"""Embeddings of recent queries, so that a command that repeats one does not load the model.

A file of their hashes and vectors; the queries themselves are not in it. Of two processes that
write at the same moment, one is forgotten: it is a cache.
"""

from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from daemon.store.files import write_json

FILE = "query-embeddings.json"
_KEPT = timedelta(hours=24)
_MOST = 200  # queries
_FORM = TypeAdapter(dict[str, tuple[float, str]])  # seconds, and the embedding, by hash


class QueryEmbeddings:
    """The embeddings of a vault's queries of the last 24 hours, as text."""

    def __init__(self, state: Path, model: str, now: datetime) -> None:
        self._path, self._model, self._now = state / FILE, model, now

    def get(self, query: str) -> str | None:
        """Return the embedding of a query, or None."""
        kept = self._kept().get(self._key(query))
        return kept[1] if kept else None

    def put(self, query: str, embedding: str) -> None:
        """Keep an embedding. Raises StoreError."""
        kept = self._kept() | {self._key(query): (self._now.timestamp(), embedding)}
        newest = sorted(kept.items(), key=lambda each: -each[1][0])[:_MOST]
        write_json(self._path, dict(newest))

    def _kept(self) -> dict[str, tuple[float, str]]:
        try:
            found = _FORM.validate_json(self._path.read_bytes())
        except (OSError, ValidationError):  # there is none yet, or it was damaged
            return {}
        oldest = (self._now - _KEPT).timestamp()
        return {key: each for key, each in found.items() if oldest < each[0]}

    def _key(self, query: str) -> str:
        return sha256(f"{self._model}\0{query}".encode()).hexdigest()
