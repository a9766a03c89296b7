"""Embed texts in a child process that starts on demand and exits when idle."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from daemon.adapters.embed_protocol import Kind, Start
from daemon.adapters.model_child import ChildHolder, ChildModel, default_threads
from daemon.model.arrays import np
from daemon.model_files import model_name
from daemon.ports import Vectors

_WORKER = "daemon.adapters.embed_worker"
_TEXTS_A_FRAME = 64


class ChildEmbedder(ChildModel):
    """Starts `embed_worker` when there is something to embed; thread-safe.

    `threads` 0 leaves one core free if there are more than two. A child that dies is restarted
    once; if it dies again, or the model is not available, raises ModelError.
    """

    def __init__(
        self,
        model: str,
        model_path: Path | None = None,
        *,
        idle_seconds: float,
        threads: int = 0,
        allow_download: bool = True,
        backend: str,
        state: Path | None = None,
        on_download: Callable[[str], None] = lambda _model: None,
    ) -> None:
        start = Start(
            kind=Kind.EMBED,
            model=model,
            model_path=str(model_path) if model_path is not None else "",
            threads=threads or default_threads(),
            idle_seconds=idle_seconds,
            allow_download=allow_download,
            backend=backend,
            state=str(state) if state is not None else "",
        )
        super().__init__(model_name(model, model_path), lambda: _WORKER, start, on_download)

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """Return `(n, d)` float32 vectors of unit length, in the order of `texts`.

        Texts of similar length are batched together, which is fastest; the same texts always give
        the same batches. Raises ModelError.
        """
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda at: (-len(texts[at]), texts[at]))
        blocks = []
        with self._holder.lock:
            for at in range(0, len(order), _TEXTS_A_FRAME):
                frame = order[at : at + _TEXTS_A_FRAME]
                blocks.append(self._holder.ask([texts[number] for number in frame], len(frame)))
                if progress is not None:
                    progress(len(frame))
        sorted_vectors = np.concatenate(blocks)
        vectors = np.empty_like(sorted_vectors)
        vectors[order] = sorted_vectors
        return vectors

    def make_copy(self, texts: Sequence[str]) -> None:
        """Make a copy of the model for onnxruntime, and compare it on `texts`. Raises ModelError.

        See `daemon.prepared_model`. The next child embeds with the copy if it is good and faster.
        """
        holder = ChildHolder(lambda: _WORKER, replace(self._start, kind=Kind.COPY))
        with holder.lock:
            try:
                holder.ask(list(texts), 1)
            finally:
                holder.end()
        self.close()
