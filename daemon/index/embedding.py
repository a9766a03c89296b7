"""Embed what has no embedding yet, in batches, while the caller continues with other work.

Only the model runs on a thread of its own; all reading and writing happens on the caller's.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from daemon.index.calibrate import calibrate
from daemon.index.chunk import embedded_text
from daemon.index.vectors import VectorIndex
from daemon.model.background import in_background
from daemon.ports import Embedder, Vectors
from daemon.store.notes import NoteStore

_TEXTS_A_BATCH = 64
_LONG = 1000  # chunks


@dataclass(frozen=True, slots=True)
class _Batch:
    """Chunks that are being embedded: their hashes, and the future result."""

    hashes: Sequence[str]
    vectors: "Future[Vectors]"


class Embedding:
    """Embeds one vault's chunks; there is one per vault, in the process that may write."""

    def __init__(self, notes: NoteStore, vectors: VectorIndex | None, embedder: Embedder) -> None:
        self._notes = notes
        self._vectors = vectors
        self._embedder = embedder
        self._missing: list[str] = []
        self._batch: _Batch | None = None
        self.done = 0  # chunks embedded since `begin`

    @property
    def total(self) -> int:
        """How many chunks are to be embedded, counted from `begin`."""
        in_work = len(self._batch.hashes) if self._batch is not None else 0
        return self.done + in_work + len(self._missing)

    @property
    def is_long(self) -> bool:
        """Return whether so much is left that it can wait for a better time."""
        return len(self._missing) > _LONG

    @property
    def is_busy(self) -> bool:
        """Return whether a batch is being embedded now."""
        return self._batch is not None

    def begin(self) -> None:
        """Find the chunks without an embedding, the newest and most linked notes first."""
        self._missing = self._notes.embeddings.missing(self._embedder.model)
        if self._batch is not None:
            in_work = frozenset(self._batch.hashes)
            self._missing = [hash_ for hash_ in self._missing if hash_ not in in_work]
        self.done = 0

    def step(
        self,
        patience: float,
        *,
        may_start: bool = True,
        on_kept: Callable[[], None] = lambda: None,
        on_done: Callable[[], None] = lambda: None,
    ) -> bool:
        """Work for at most `patience` seconds; return whether everything is embedded.

        `on_kept` is called after each stored batch; its exceptions end the work. The last batch
        continues in the background: `on_done` is called, on another thread, when it can be stored.
        Unless it `may_start`, no further batch is begun. Raises ModelError, StoppedError; the batch
        is then retried.
        """
        deadline = time.monotonic() + patience
        while True:
            if self._batch is None:
                if self._missing and not may_start:
                    return False
                if not self._start(on_done):
                    self.finish()
                    return True
            if not self._save(max(deadline - time.monotonic(), 0)):
                return False
            on_kept()

    def finish(self) -> None:
        """Update everything that is derived from all embeddings."""
        self._notes.embeddings.sweep(self._embedder.model)
        calibrate(self._notes, self._embedder.model)
        if self._vectors is not None:
            self._vectors.save()

    def _start(self, on_done: Callable[[], None]) -> bool:
        """Begin with the next batch; False when there is none."""
        sources: dict[str, tuple[str, str]] = {}
        while self._missing and not sources:
            hashes, self._missing = self._missing[:_TEXTS_A_BATCH], self._missing[_TEXTS_A_BATCH:]
            sources = self._notes.embeddings.sources(hashes)  # some may be gone by now
        if not sources:
            return False
        texts = [embedded_text(*source) for source in sources.values()]
        vectors = in_background(lambda: self._embedder.embed(texts))
        self._batch = _Batch(tuple(sources), vectors)
        vectors.add_done_callback(lambda _: on_done())
        return True

    def _save(self, patience: float) -> bool:
        """Store a finished batch; False if it is not finished within `patience` seconds."""
        batch = self._batch
        if batch is None:
            return True
        try:
            vectors = batch.vectors.result(patience)
        except TimeoutError:
            return False
        except BaseException:
            self._batch, self._missing = None, [*batch.hashes, *self._missing]
            raise
        self._batch = None
        self._notes.embeddings.save(self._embedder.model, batch.hashes, vectors)
        self.done += len(batch.hashes)
        return True
