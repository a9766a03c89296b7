"""Exact nearest-neighbour search with numpy alone, slower, for an install without faiss."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from daemon.model.arrays import np

if TYPE_CHECKING:
    import numpy.typing as npt

_BLOCK = 8192  # vectors that are converted to 32 bits at a time


class ExactIndex:
    """Vectors of 16 bits with their ids; has the parts of the faiss index interface that are
    used.
    """

    def __init__(self, dimension: int) -> None:
        self.d = dimension
        self.ids: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._vectors: npt.NDArray[np.float16] = np.empty((0, dimension), dtype=np.float16)

    @property
    def ntotal(self) -> int:
        return len(self.ids)

    def add_with_ids(self, vectors: Any, ids: Any) -> None:
        self._vectors = np.concatenate([self._vectors, vectors.astype(np.float16)])
        self.ids = np.concatenate([self.ids, ids])

    def remove_ids(self, ids: Any) -> None:
        is_kept = ~np.isin(self.ids, ids)
        self._vectors, self.ids = self._vectors[is_kept], self.ids[is_kept]

    def search(self, queries: Any, k: int) -> tuple[Any, Any]:
        """Return the cosines and the ids of the `k` nearest, `(n, k)` each, nearest first."""
        blocks = range(0, len(self.ids), _BLOCK)
        cosines = np.concatenate(
            [queries @ self._vectors[at : at + _BLOCK].astype(np.float32).T for at in blocks],
            axis=1,
        )
        best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        order = np.argsort(-np.take_along_axis(cosines, best, axis=1), axis=1, kind="stable")
        nearest = np.take_along_axis(best, order, axis=1)
        return np.take_along_axis(cosines, nearest, axis=1), self.ids[nearest]

    def write(self, file: BinaryIO) -> None:
        """Write ids and vectors, one after the other. Raises OSError."""
        for array in (self.ids, self._vectors):
            np.save(file, array, allow_pickle=False)


def read_exact(path: Path) -> ExactIndex:
    """Read a file written by `write`. Raises OSError, RuntimeError for any other file."""
    try:
        with path.open("rb") as file:
            ids, vectors = (np.load(file, allow_pickle=False) for _ in range(2))
    except (ValueError, EOFError) as error:
        raise RuntimeError(str(error)) from error
    index = ExactIndex(vectors.shape[1])
    index.add_with_ids(vectors, ids)
    return index
