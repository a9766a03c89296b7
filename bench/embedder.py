"""An embedder that costs next to nothing, for what is measured beside embedding.

Each word has a direction of its own and a text is the sum of its rarer words, so that texts on one
subject are near each other, as those of a real model are. 384 numbers, as the default model's.
"""

import re
import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from daemon.model.arrays import np
from daemon.ports import Vectors

if TYPE_CHECKING:
    import numpy.typing as npt

DIMENSION = 384
_PLACES = 12  # of the dimensions that one word points to
_MIN_LETTERS = 4  # letters; shorter words are mostly those that every text has
_WORD = re.compile(rf"[^\W_]{{{_MIN_LETTERS},}}")


class CheapEmbedder:
    """Counts the texts that it was asked for in `embedded`."""

    def __init__(self, model: str = "cheap") -> None:
        self._model = model
        self._places: dict[str, npt.NDArray[np.int64]] = {}
        self.embedded = 0

    @property
    def model(self) -> str:
        return self._model

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        self.embedded += len(texts)
        rows = np.stack([self._sum(text) for text in texts]).astype(np.float32)
        if progress is not None:
            progress(len(texts))
        unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def close(self) -> None:
        """Do nothing: there is no process."""

    def _sum(self, text: str) -> "npt.NDArray[np.float64]":
        places = [self._of(word) for word in _WORD.findall(text.casefold())]
        found = np.concatenate(places) if places else np.zeros(1, dtype=np.int64)
        # An odd number is the same place with the other sign.
        counts = np.bincount(found, minlength=2 * DIMENSION)
        row: npt.NDArray[np.float64] = (counts[0::2] - counts[1::2]).astype(np.float64)
        row[0] += 0.01  # a text without words has a direction, too
        return row

    def _of(self, word: str) -> "npt.NDArray[np.int64]":
        found = self._places.get(word)
        if found is None:
            chance = np.random.default_rng(zlib.crc32(word.encode()))
            found = self._places[word] = chance.integers(0, 2 * DIMENSION, _PLACES)
        return found
