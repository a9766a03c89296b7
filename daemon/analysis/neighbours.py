"""Each note's nearest notes, kept between analyses, with exact results in every case.

    round to integers | find the changed rows | compare those with all | keep the lists

Products of small integers are exact in any order of summation, so one row compared with all gives
the same digits as all rows compared with all. A list is valid as long as no note in it changed and
no changed note is as near as its last.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from daemon.store.derived import Derived

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Whole = npt.NDArray[np.int16]

# The factor for a vector of length 1. The sum of products of two is at most 4,010 squared, which
# float32 represents exactly; a cosine is off by at most 0.0001.
UNIT = 4_000
_KEPT = "neighbours"
_BLOCK = 128  # rows that are compared with all at once
_COLUMNS = 4_096  # that are multiplied with them at once
_DIGEST = 16
_NONE = np.float32(-np.inf)


@dataclass(frozen=True, slots=True)
class _Lists:
    """A digest of each note's vector, and its nearest notes, `(n, k)`, nearest first."""

    paths: tuple[str, ...]
    digests: npt.NDArray[np.void]
    ids: npt.NDArray[np.int32]  # -1 if there is none
    products: Floats


def rounded(matrix: Floats) -> Whole:
    """Round `(n, d)` vectors of at most unit length to multiples of 1 / UNIT."""
    found: Whole = np.rint(matrix * np.float32(UNIT)).astype(np.int16)
    return found


def neighbours(
    paths: Sequence[str], matrix: Whole, k: int, derived: Derived
) -> tuple[Ints, Floats]:
    """Return the `k` nearest other rows of each row, nearest first, and their cosines.

    Ties go to the first in path order. If there are fewer, the id is -1 and the cosine -1. Compares
    only rows that changed since the last analysis, and those near them.
    """
    now = _Lists(
        tuple(paths),
        _digests(matrix),
        np.full((len(paths), k), -1, np.int32),
        np.full((len(paths), k), _NONE, np.float32),
    )
    due = np.arange(len(paths))
    before = _from_bytes(derived.single(_KEPT))
    if before is not None and before.ids.shape[1] == k < min(len(before.paths), len(paths)):
        due = _taken_over(before, now, matrix)
    for start in range(0, len(due), _BLOCK):
        rows = due[start : start + _BLOCK]
        now.ids[rows], now.products[rows] = _best(_products(matrix, rows), k)
    derived.put_single(_KEPT, _to_bytes(now))
    cosines = np.where(now.ids >= 0, now.products / np.float32(UNIT * UNIT), np.float32(-1.0))
    return now.ids.astype(np.int64), cosines


def _taken_over(before: _Lists, now: _Lists, matrix: Whole) -> Ints:
    """Reuse the lists that are still valid; return the rows whose lists must be computed."""
    places = {path: at for at, path in enumerate(now.paths)}
    at = np.array([places.get(path, -1) for path in before.paths], np.int64)
    is_same = (at >= 0) & (before.digests == now.digests[at])
    at[~is_same] = -1
    known = at[is_same]
    changed = np.setdiff1d(np.arange(len(now.paths)), known)
    lists = before.ids[is_same]
    holds = (at[lists] >= 0).all(axis=1)  # each list is full: there are more notes than k
    last = before.products[is_same, -1]
    for start in range(0, len(known), _COLUMNS):
        some = slice(start, start + _COLUMNS)
        products = _as_floats(matrix[known[some]]) @ _as_floats(matrix[changed]).T
        holds[some] &= (products < last[some, None]).all(axis=1)
    now.ids[known[holds]] = at[lists[holds]]
    now.products[known[holds]] = before.products[is_same][holds]
    return np.union1d(changed, known[~holds])


def _products(matrix: Whole, rows: Ints) -> Floats:
    """Multiply some rows with all, excluding themselves."""
    found = np.empty((len(rows), len(matrix)), np.float32)
    ours = _as_floats(matrix[rows])
    for start in range(0, len(matrix), _COLUMNS):
        some = slice(start, start + _COLUMNS)
        np.matmul(ours, _as_floats(matrix[some]).T, out=found[:, some])
    found[np.arange(len(rows)), rows] = _NONE
    return found


def _best(found: Floats, k: int) -> tuple[npt.NDArray[np.int32], Floats]:
    """Return the indices of the `k` largest of each row, largest first, the first of equal ones."""
    rows, columns = np.nonzero(found >= _at_least(found, k)[:, None])
    values = found[rows, columns]
    order = np.lexsort((columns, -values, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    place = np.arange(len(rows)) - np.searchsorted(rows, rows)
    few = (place < k) & (values > _NONE)
    ids, best = np.full((len(found), k), -1, np.int32), np.full((len(found), k), _NONE, np.float32)
    ids[rows[few], place[few]] = columns[few]
    best[rows[few], place[few]] = values[few]
    return ids, best


def _at_least(found: Floats, k: int) -> Floats:
    """Return a lower bound of each row's k-th largest value that few others exceed.

    It is the k-th largest of the maxima of many groups: faster than sorting a row.
    """
    count = found.shape[1]
    if count <= k:
        return np.full(len(found), _NONE, np.float32)
    width = max(count // (8 * k), 1)
    groups = count // width
    highest = found[:, : groups * width].reshape(len(found), groups, width).max(axis=2)
    best: Floats = np.partition(highest, groups - k, axis=1)[:, groups - k]
    return best


def _as_floats(matrix: Whole) -> Floats:
    return matrix.astype(np.float32)


def _digests(matrix: Whole) -> npt.NDArray[np.void]:
    every = b"".join(blake2b(row.tobytes(), digest_size=_DIGEST).digest() for row in matrix)
    return np.frombuffer(every, f"V{_DIGEST}")


def _to_bytes(lists: _Lists) -> bytes:
    names = "\0".join(lists.paths).encode()
    head = struct.pack("<QQQ", len(lists.paths), lists.ids.shape[1], len(names))
    arrays = (lists.digests, lists.ids.astype("<i4"), lists.products.astype("<f4"))
    return b"".join((head, names, *(each.tobytes() for each in arrays)))


def _from_bytes(data: bytes) -> _Lists | None:
    if not data:
        return None
    head = struct.calcsize("<QQQ")
    count, k, length = struct.unpack("<QQQ", data[:head])
    names, rest = data[head : head + length], data[head + length :]
    lists = count * k * 4
    return _Lists(
        tuple(names.decode().split("\0")) if count else (),
        np.frombuffer(rest[: count * _DIGEST], f"V{_DIGEST}"),
        np.frombuffer(rest[-2 * lists : -lists], "<i4").reshape(count, k),
        np.frombuffer(rest[-lists:], "<f4").reshape(count, k),
    )
