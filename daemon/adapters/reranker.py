"""Score passages against a query in a child process that starts on demand."""

from collections.abc import Callable, Sequence
from pathlib import Path

from daemon.adapters.embed_protocol import Kind, Start
from daemon.adapters.model_child import ChildModel, default_threads
from daemon.model.arrays import np
from daemon.model_files import model_name
from daemon.ports import Vectors

_WORKER = "daemon.adapters.embed_worker"
_PASSAGES_A_FRAME = 64


class ChildReranker(ChildModel):
    """Starts `embed_worker` with a cross-encoder; thread-safe.

    A child that dies is restarted once; if it dies again, or the model is not available, raises
    ModelError.
    """

    def __init__(
        self,
        model: str,
        model_path: Path | None = None,
        *,
        idle_seconds: float,
        threads: int = 0,
        allow_download: bool = True,
        on_download: Callable[[str], None] = lambda _model: None,
    ) -> None:
        start = Start(
            kind=Kind.RERANK,
            model=model,
            model_path=str(model_path) if model_path is not None else "",
            threads=threads or default_threads(),
            idle_seconds=idle_seconds,
            allow_download=allow_download,
        )
        super().__init__(model_name(model, model_path), lambda: _WORKER, start, on_download)

    def score(self, query: str, passages: Sequence[str]) -> Vectors:
        """Return `(n,)` float32 logits, in the order of `passages`. Raises ModelError."""
        if not passages:
            return np.empty(0, dtype=np.float32)
        order = sorted(range(len(passages)), key=lambda at: (len(passages[at]), passages[at]))
        scores = np.empty(len(passages), dtype=np.float32)
        with self._holder.lock:
            for at in range(0, len(order), _PASSAGES_A_FRAME):
                frame = order[at : at + _PASSAGES_A_FRAME]
                request = [query, [passages[number] for number in frame]]
                scores[frame] = self._holder.ask(request, len(frame))[:, 0]
        return scores
