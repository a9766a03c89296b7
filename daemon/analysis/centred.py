"""Vectors of notes without what all notes share, rounded to integers where it matters.

Products of small integers are exact in any order of summation. To round every vector takes longer
than to find out which products may matter, so there are approximate products with a known error.
"""

from math import sqrt

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Whole = npt.NDArray[np.int16]

# In how many notes the vault's common part must be seen before most of it is removed.
COMMON_NOTES = 10
# The factor for a vector of length 1. The sum of products of two is at most 4,010 squared, which
# float32 represents exactly; a cosine is off by at most 0.0001.
UNIT = 4_000
_BLOCK = 1_024  # rows that are rounded at once
_SHORTEST = 0.1  # length of a centred vector from which approximate products are good enough
_NOISE = 0.001  # more than sums of float32 products are ever off by


def centred(matrix: Floats, few: Ints | None = None) -> Floats:
    """Remove what all notes share (templates, language, the vault's only subject).

    `(n, d)` unit length in and out. The common part is estimated from all, or from these `few`. In
    a small vault the mean is less reliable, so less of it is removed.
    """
    return _without(matrix, common_part(matrix, few))


def common_part(matrix: Floats, few: Ints | None) -> Floats:
    """Return what all rows share, `(d,)`, estimated from all or from `few`."""
    size = len(matrix) if few is None else len(few)
    share = np.float32(size / (size + COMMON_NOTES))
    common: Floats = share * (matrix if few is None else matrix[few]).mean(axis=0, dtype=np.float32)
    return common


class Centred:
    """The rows of a matrix, `(n, d)`, without a common part, `(d,)`, in multiples of 1 / UNIT."""

    def __init__(self, plain: Floats, common: Floats) -> None:
        self.plain, self.common = plain, common

    def __len__(self) -> int:
        return len(self.plain)

    @property
    def error(self) -> float:
        """How much a product of `rounded` rows differs at most from an approximate one."""
        each = 0.5 * sqrt(self.plain.shape[1]) / UNIT  # the length of what rounding changes
        return (2 * each + each * each + _NOISE) * UNIT * UNIT

    def rounded(self, rows: Ints) -> Whole:
        """Return some rows as integers; each is computed independently of the others."""
        found = np.empty((len(rows), self.plain.shape[1]), np.int16)
        for start in range(0, len(rows), _BLOCK):
            some = slice(start, start + _BLOCK)
            rest = _without(self.plain[rows[some]], self.common)
            found[some] = np.rint(rest * np.float32(UNIT)).astype(np.int16)
        return found

    def approximate(self, rows: Ints) -> Floats:
        """Return the products of some rows with all, `(r, n)`: off by less than `error`, or inf."""
        ours = _without(self.plain[rows], self.common)
        squares = np.einsum("nd,nd->n", self.plain, self.plain)
        lengths = squares - 2 * (self.plain @ self.common) + self.common @ self.common
        is_short = lengths < _SHORTEST**2
        lengths[is_short] = 1.0
        found: Floats = (ours @ self.plain.T - (ours @ self.common)[:, None]) / np.sqrt(lengths)
        found *= np.float32(UNIT * UNIT)
        found[:, is_short] = np.inf
        return found


def _without(matrix: Floats, common: Floats) -> Floats:
    rest: Floats = matrix - common
    lengths = np.linalg.norm(rest, axis=1, keepdims=True)
    rest /= np.maximum(lengths, np.float32(1e-6))
    return rest
