"""Each note's nearest notes, kept between analyses, with exact results in every case.

    find the changed rows | compare those with all | keep the lists

Rows are compared as integers, whose products are exact in any order of summation: one row compared
with all gives the same digits as all rows compared with all. A list is valid as long as no note in
it changed and no changed note is as near as its last. Products that are too small to matter, even
if they are off by the largest possible error, need not be exact.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from daemon.analysis.centred import UNIT, Centred, Whole
from daemon.store.derived import Derived

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.void]

_KEPT = "neighbours"
_BLOCK = 128  # rows that are compared with all at once
_COLUMNS = 4_096  # that are multiplied with them at once
_DIGEST = 16
_NONE = np.float32(-np.inf)
_FEW = 32  # rows that are compared approximately first


@dataclass(frozen=True, slots=True)
class _Lists:
    """A key of each note's vector, and its nearest notes, `(n, k)`, nearest first."""

    paths: tuple[str, ...]
    common: bytes  # a digest of the vectors' common part
    keys: Keys
    ids: npt.NDArray[np.int32]  # -1 if there is none
    products: Floats


def row_keys(matrix: Floats) -> Keys:
    """Return a digest of each row."""
    every = b"".join(_digest(row) for row in matrix)
    return np.frombuffer(every, f"V{_DIGEST}")


def neighbours(
    paths: Sequence[str], matrix: Centred, k: int, derived: Derived, keys: Keys | None = None
) -> tuple[Ints, Floats]:
    """Return the `k` nearest other rows of each row, nearest first, and their cosines.

    Ties go to the first in path order. If there are fewer, the id is -1 and the cosine -1. Compares
    only rows that changed since the last analysis, and those near them. Rows with the same key are
    the same; by default, keys are digests.
    """
    now = _Lists(
        tuple(paths),
        _digest(matrix.common),
        row_keys(matrix.plain) if keys is None else keys,
        np.full((len(paths), k), -1, np.int32),
        np.full((len(paths), k), _NONE, np.float32),
    )
    due = np.arange(len(paths))
    before = _from_bytes(derived.single(_KEPT))
    if (
        before is not None
        and before.common == now.common
        and before.ids.shape[1] == k < min(len(before.paths), len(paths))
    ):
        due = _taken_over(before, now, matrix)
    if len(due) <= _FEW:
        for row in due.tolist():
            now.ids[row], now.products[row] = _best_of_likely(matrix, row, k)
    else:
        _compare_all(matrix, due, now)
    derived.put_single(_KEPT, _to_bytes(now))
    cosines = np.where(now.ids >= 0, now.products / np.float32(UNIT * UNIT), np.float32(-1.0))
    return now.ids.astype(np.int64), cosines


def _compare_all(matrix: Centred, due: Ints, now: _Lists) -> None:
    """Compute the lists of rows from the products with all rows."""
    whole = matrix.rounded(np.arange(len(matrix)))
    for start in range(0, len(due), _BLOCK):
        rows = due[start : start + _BLOCK]
        now.ids[rows], now.products[rows] = _best(_products(whole, rows), now.ids.shape[1])


def _best_of_likely(matrix: Centred, row: int, k: int) -> tuple[npt.NDArray[np.int32], Floats]:
    """Return the nearest of one row as `_best` does, from exact products of those that may be."""
    near = matrix.approximate(np.array([row]))[0]
    near[row] = _NONE
    known = near[np.isfinite(near)]
    least = _NONE
    if len(known) > k:
        # At least k rows are this near or nearer, less the error: none that is twice as far below.
        least = np.partition(known, len(known) - k)[len(known) - k] - np.float32(2 * matrix.error)
    likely = np.flatnonzero((near >= least) & (near > _NONE))
    ours = _as_floats(matrix.rounded(np.array([row])))
    ids, products = _best(ours @ _as_floats(matrix.rounded(likely)).T, k)
    return np.where(ids[0] >= 0, likely[ids[0]], -1).astype(np.int32), products[0]


def _taken_over(before: _Lists, now: _Lists, matrix: Centred) -> Ints:
    """Reuse the lists that are still valid; return the rows whose lists must be computed."""
    places = {path: at for at, path in enumerate(now.paths)}
    at = np.array([places.get(path, -1) for path in before.paths], np.int64)
    is_same = (at >= 0) & (before.keys == now.keys[at])
    at[~is_same] = -1
    known = at[is_same]
    changed = np.setdiff1d(np.arange(len(now.paths)), known)
    lists = before.ids[is_same]
    holds = (at[lists] >= 0).all(axis=1)  # each list is full: there are more notes than k
    holds &= _are_farther(matrix, changed, known, before.products[is_same, -1])
    now.ids[known[holds]] = at[lists[holds]]
    now.products[known[holds]] = before.products[is_same][holds]
    return np.union1d(changed, known[~holds])


def _are_farther(
    matrix: Centred, changed: Ints, known: Ints, last: Floats
) -> npt.NDArray[np.bool_]:
    """Return for each known row whether its products with all changed ones are below its last."""
    found = np.ones(len(known), np.bool_)
    if not len(changed):
        return found
    doubtful = np.arange(len(known))
    if len(changed) <= _FEW:
        near = matrix.approximate(changed)[:, known].max(axis=0)
        doubtful = np.flatnonzero(near + np.float32(matrix.error) >= last)
    ours = _as_floats(matrix.rounded(changed)).T
    for start in range(0, len(doubtful), _COLUMNS):
        some = doubtful[start : start + _COLUMNS]
        products = _as_floats(matrix.rounded(known[some])) @ ours
        found[some] = (products < last[some, None]).all(axis=1)
    return found


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


def _digest(row: Floats) -> bytes:
    return blake2b(row.tobytes(), digest_size=_DIGEST).digest()


def _to_bytes(lists: _Lists) -> bytes:
    names = "\0".join(lists.paths).encode()
    head = struct.pack("<QQQ", len(lists.paths), lists.ids.shape[1], len(names))
    arrays = (lists.keys, lists.ids.astype("<i4"), lists.products.astype("<f4"))
    return b"".join((head, lists.common, names, *(each.tobytes() for each in arrays)))


def _from_bytes(data: bytes) -> _Lists | None:
    if not data:
        return None
    head = struct.calcsize("<QQQ")
    count, k, length = struct.unpack("<QQQ", data[:head])
    common, data = data[head : head + _DIGEST], data[head + _DIGEST :]
    names, rest = data[:length], data[length:]
    lists = count * k * 4
    return _Lists(
        tuple(names.decode().split("\0")) if count else (),
        common,
        np.frombuffer(rest[: count * _DIGEST], f"V{_DIGEST}"),
        np.frombuffer(rest[-2 * lists : -lists], "<i4").reshape(count, k),
        np.frombuffer(rest[-lists:], "<f4").reshape(count, k),
    )
