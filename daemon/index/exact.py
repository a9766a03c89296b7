"""Exact nearest-neighbour search with numpy alone: among few vectors, or without faiss."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from daemon.model.arrays import np

if TYPE_CHECKING:
    import numpy.typing as npt

# Vectors that are converted to 32 bits at a time, which takes nearly all of a search. If they
# all fit into one block, it stays converted: 13 MB of 384 numbers each.
_BLOCK = 8192


class ExactIndex:
    """Vectors of 16 bits with their ids; has the parts of the faiss index interface that are
    used.
    """

    def __init__(self, dimension: int) -> None:
        self.d = dimension
        self.ids: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._vectors: npt.NDArray[np.float16] = np.empty((0, dimension), dtype=np.float16)
        self._converted: npt.NDArray[np.float32] | None = None

    @property
    def ntotal(self) -> int:
        return len(self.ids)

    def add_with_ids(self, vectors: Any, ids: Any) -> None:
        self._vectors = np.concatenate([self._vectors, vectors.astype(np.float16)])
        self.ids = np.concatenate([self.ids, ids])
        self._converted = None

    def remove_ids(self, ids: Any) -> None:
        is_kept = ~np.isin(self.ids, ids)
        self._vectors, self.ids = self._vectors[is_kept], self.ids[is_kept]
        self._converted = None

    def search(self, queries: Any, k: int) -> tuple[Any, Any]:
        """Return the cosines and the ids of the `k` nearest, `(n, k)` each, nearest first."""
        cosines = np.concatenate([queries @ block.T for block in self._blocks()], axis=1)
        best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        order = np.argsort(-np.take_along_axis(cosines, best, axis=1), axis=1, kind="stable")
        nearest = np.take_along_axis(best, order, axis=1)
        return np.take_along_axis(cosines, nearest, axis=1), self.ids[nearest]

    def _blocks(self) -> Iterator["npt.NDArray[np.float32]"]:
        """Yield all vectors in 32 bits."""
        if len(self.ids) > _BLOCK:
            for at in range(0, len(self.ids), _BLOCK):
                yield self._vectors[at : at + _BLOCK].astype(np.float32)
            return
        if self._converted is None:
            self._converted = self._vectors.astype(np.float32)
        yield self._converted

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
