"""Upper bounds of how many notes have each run of words, in a table that is updated, not rebuilt.

Each run is counted at two places of one block, so its count is at most the lower of both. A change
reads and writes only the blocks of its own runs.
"""

import numpy as np
import numpy.typing as npt

from daemon.analysis.repeats import Counts, Hashes
from daemon.store.derived import COUNTS, Derived

_BLOCKS = 1_024
_PLACES_PER_RUN = 2  # of the table; with fewer, bounds are too high more often
_SMALLEST = 256  # places of a block
_FULL = 255  # a place that may have been higher never falls
_BLOCK_BITS, _SECOND_BITS = np.uint64(54), np.uint64(27)

_Places = npt.NDArray[np.int64]


def build(derived: Derived, runs: Hashes) -> None:
    """Count the runs of all notes, each once per note, ascending."""
    size = _SMALLEST
    while size * _BLOCKS < _PLACES_PER_RUN * len(runs):
        size *= 2
    first_of_each = np.arange(_BLOCKS, dtype=np.uint64) << _BLOCK_BITS
    ends = [*np.searchsorted(runs, first_of_each).tolist(), len(runs)]
    derived.put(
        COUNTS,
        ((_name(at), b"", _counted(runs[ends[at] : ends[at + 1]], size)) for at in range(_BLOCKS)),
    )


def update(derived: Derived, runs: Hashes, change: Counts) -> Counts:
    """Add the `change` in how many notes have each of some runs, which are ascending.

    Return in how many notes each is now, at most.
    """
    bounds = np.zeros(len(runs), np.int64)
    blocks = _blocks(runs)
    starts = np.flatnonzero(np.diff(blocks, prepend=-1)).tolist()
    written = []
    for start, end in zip(starts, [*starts[1:], len(runs)], strict=True):
        some, name = slice(start, end), _name(int(blocks[start]))
        table = np.frombuffer(next(derived.bodies(COUNTS, [name]))[1], np.uint8).astype(np.int64)
        is_full = table == _FULL
        places = _places(runs[some], len(table))
        for each in places:
            np.add.at(table, each, change[some])
        table[is_full] = _FULL
        bounds[some] = np.minimum(*(table[each] for each in places))
        written.append((name, b"", table.clip(0, _FULL).astype(np.uint8).tobytes()))
    derived.put(COUNTS, written)
    return bounds


def _counted(runs: Hashes, size: int) -> bytes:
    table = sum(np.bincount(each, minlength=size) for each in _places(runs, size))
    return np.minimum(table, _FULL).astype(np.uint8).tobytes()


def _places(runs: Hashes, size: int) -> tuple[_Places, _Places]:
    """Return the two places of each run in its block of `size`, a power of two."""
    mask = np.uint64(size - 1)
    return (runs & mask).astype(np.int64), (runs >> _SECOND_BITS & mask).astype(np.int64)


def _blocks(runs: Hashes) -> _Places:
    return (runs >> _BLOCK_BITS).astype(np.int64)


def _name(block: int) -> str:
    return f"{block:04}"
