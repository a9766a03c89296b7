"""An embedding model beside embeddings that a hub's workers made of documents."""

from collections.abc import Callable, Mapping, Sequence

from daemon.model.arrays import np
from daemon.model.shared_documents import text_key
from daemon.model.shared_notes import Vector16
from daemon.ports import Embedder, Vectors

_MOST = 20_000  # embeddings that are kept: 15 MB


class KnownVectors:
    """Embeds what is not known. The model's own embeddings and those of a hub are of one model."""

    def __init__(self, own: Embedder) -> None:
        self._own = own
        self._known: dict[bytes, Vector16] = {}

    @property
    def model(self) -> str:
        return self._own.model

    def add(self, found: Mapping[bytes, Vector16]) -> None:
        """Keep embeddings of this model, by `text_key`; the oldest are dropped."""
        self._known |= found
        for key in list(self._known)[: max(0, len(self._known) - _MOST)]:
            del self._known[key]

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """Return `(n, d)` float32 vectors of unit length, as `Embedder` says. Raises ModelError."""
        known = [self._known.get(text_key(each)) for each in texts]
        new = [text for text, vector in zip(texts, known, strict=True) if vector is None]
        if len(new) == len(texts):
            return self._own.embed(texts, progress)
        made = iter(self._own.embed(new, progress) if new else ())
        rows = [next(made) if vector is None else _unit(vector) for vector in known]
        found: Vectors = np.stack(rows).astype(np.float32)
        return found

    def close(self) -> None:
        """Stop the model's process, if one is running."""
        self._own.close()


def _unit(vector: Vector16) -> Vectors:
    wide = vector.astype(np.float32)
    unit: Vectors = wide / max(float(np.linalg.norm(wide)), 1e-12)
    return unit
