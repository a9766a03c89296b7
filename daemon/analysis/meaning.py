"""Semantic similarity: each note's nearest notes, and the pairs that are similar in both
directions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from daemon.analysis.centred import Centred, centred, common_part
from daemon.analysis.neighbours import Keys, neighbours
from daemon.analysis.sorting import sorted_with_places
from daemon.model.embedding_models import DEFAULT_SCALE, Scale
from daemon.store.derived import Derived, DerivedInMemory

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
TieBreakers = npt.NDArray[np.uint32]
Vector = Floats

NEIGHBOURS = 8
NAMED = 3  # of a note's neighbours that are kept by name
# Cosines after centring. On real notes MiniLM puts two random notes near 0, two that a person
# linked at 0.3, and a note and its nearest at 0.5; below this floor, similarity is not worth
# reporting.
MIN_SIMILARITY = 0.30
# Up to here every pair is compared, once; beyond that, notes are sorted into cells first, each
# time.
EXACT_NOTES = 32_768
BLOCK = 1_024
PROBES = 6  # cells in which each note searches for neighbours
TIED_NEIGHBOURS, STEP = 32, 0.01  # cosines that differ by less count as equal
ROUNDS = 2  # how often the cells' centres are moved to the mean of their notes
# In a large vault it is estimated from this many notes, chosen by their paths, so that an edit of
# another note does not move any vector: among hundreds of nearly identical notes, the smallest step
# would count.
COMMON_FROM = 128


@dataclass(frozen=True, slots=True)
class Pair:
    """Two similar notes. `weight` is in (0, 1]: how much more similar than by chance."""

    one: str
    other: str  # after `one` in path order
    cosine: float
    weight: float


class SimilarPairs:
    """Pairs of similar notes, in path order, as arrays.

    `first` < `second` are indices into `paths`.
    """

    def __init__(
        self, paths: Sequence[str], first: Ints, second: Ints, cosines: Floats, weights: Floats
    ) -> None:
        self.paths, self.first, self.second = paths, first, second
        self.cosines, self.weights = cosines, weights

    def __iter__(self) -> Iterator[Pair]:
        numbers = (self.cosines.tolist(), self.weights.tolist())
        for one, other, *rest in zip(
            self.first.tolist(), self.second.tolist(), *numbers, strict=True
        ):
            yield Pair(self.paths[one], self.paths[other], *rest)

    def __len__(self) -> int:
        return len(self.first)


class NoteVectors(Mapping[str, Vector]):
    """Path → the vector of a note, all rows of one matrix, `(n, d)` float32, in path order.

    Rows with the same key in `keys_of_rows` are the same, now and in other analyses.
    """

    def __init__(self, paths: Sequence[str], matrix: Floats, keys: Keys | None = None) -> None:
        self.matrix, self.keys_of_rows = matrix, keys
        self._rows = {path: row for row, path in enumerate(paths)}

    def __getitem__(self, path: str) -> Vector:
        found: Vector = self.matrix[self._rows[path]]
        return found

    def release(self) -> None:
        """Free the matrix, which is a tenth of an analysis's memory."""
        self.matrix = self.matrix[:0].copy()

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class Nearest(Mapping[str, tuple[tuple[str, float], ...]]):
    """Path → the few nearest notes, nearest first, with their raw cosine.

    `ids` are their indices in `paths`, `(n, NAMED)`, -1 for none.
    """

    def __init__(self, paths: Sequence[str], ids: Ints, cosines: Floats, scale: Scale) -> None:
        self.paths, self.ids = paths, ids
        self._cosines, self._scale = cosines, scale
        self._rows = {path: row for row, path in enumerate(paths)}

    def __getitem__(self, path: str) -> tuple[tuple[str, float], ...]:
        row = self._rows[path]
        return tuple(
            (self.paths[id_], self._scale.similarity(value))
            for id_, value in zip(self.ids[row].tolist(), self._cosines[row].tolist(), strict=True)
            if id_ >= 0
        )

    def __contains__(self, path: object) -> bool:
        return path in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


@dataclass(frozen=True, slots=True)
class MeaningGraph:
    """The notes nearest to each note with a vector, and the pairs that are similar."""

    similar: Nearest
    pairs: SimilarPairs


def meaning_graph(
    vectors: Mapping[str, Vector],
    threshold: float,
    scale: Scale = DEFAULT_SCALE,
    derived: Derived | None = None,
) -> MeaningGraph:
    """Find each note's nearest notes, and the pairs that a reader would call similar.

    A pair counts if each is among the other's nearest, or if its cosine reaches `threshold`. Notes
    are compared after the vault's common part is removed; the returned cosines and `threshold` are
    raw ones, on the scale of the default model. `derived` results of an earlier analysis are used
    as long as they are valid.
    """
    paths = sorted(vectors)
    if len(paths) < 2:
        none, nothing = np.empty(0, np.int64), np.empty(0, np.float32)
        alone = np.full((len(paths), NAMED), -1)
        return MeaningGraph(
            Nearest(paths, alone, alone.astype(np.float32), scale),
            SimilarPairs(paths, none, none, nothing, nothing),
        )
    plain = (
        vectors.matrix
        if isinstance(vectors, NoteVectors)
        else np.stack([vectors[path] for path in paths]).astype(np.float32, copy=False)
    )
    drawn = np.argsort(tie_breakers(paths), kind="stable")
    keys = vectors.keys_of_rows if isinstance(vectors, NoteVectors) else None
    nearest = _nearest(paths, plain, drawn, derived or DerivedInMemory(), keys)
    ids, weights = _without_ties(*nearest)
    cosines = _cosines(plain, ids)
    similar = Nearest(paths, ids[:, :NAMED], cosines[:, :NAMED], scale)
    return MeaningGraph(similar, _pairs(paths, ids, weights, cosines, scale.cosine(threshold)))


def _cosines(matrix: Floats, ids: Ints) -> Floats:
    """Return the raw cosine of each row with each of its neighbours, `(n, k)`."""
    found = np.empty(ids.shape, np.float32)
    for start in range(0, len(ids), BLOCK):
        some = slice(start, start + BLOCK)
        for column in range(ids.shape[1]):
            others = matrix[ids[some, column].clip(0)]
            found[some, column] = np.einsum("nd,nd->n", matrix[some], others)
    return found


def tie_breakers(paths: Sequence[str]) -> TieBreakers:
    """Return a number for each path that depends only on the path."""
    return np.array(
        [int.from_bytes(blake2b(path.encode(), digest_size=4).digest(), "big") for path in paths],
        np.uint32,
    )


def _nearest(
    paths: Sequence[str], plain: Floats, drawn: Ints, derived: Derived, keys: Keys | None
) -> tuple[Ints, Floats]:
    few = drawn[:COMMON_FROM]
    if len(plain) > EXACT_NOTES:
        return nearest_by_cells(centred(plain, few), TIED_NEIGHBOURS, drawn)
    matrix = Centred(plain, common_part(plain, few))
    return neighbours(paths, matrix, TIED_NEIGHBOURS, derived, keys)


def nearest_by_cells(matrix: Floats, k: int, drawn: Ints) -> tuple[Ints, Floats]:
    """Return the `k` nearest other rows of each row of `(n, d)`, nearest first, and the cosines.

    If fewer are found, the id is -1 and the cosine -1. Memory is linear in n; some neighbours may
    be missed: cells start from the rows that come first in `drawn`.
    """
    count = len(matrix)
    ids = np.full((count, k), -1, dtype=np.int64)
    cosines = np.full((count, k), -1.0, dtype=np.float32)
    for candidates, rows in _cells(matrix, drawn):
        found = matrix[rows] @ matrix[candidates].T
        found[rows[:, None] == candidates[None, :]] = -1.0
        _keep_best(ids, cosines, rows, candidates, found)
    return ids, cosines


def _without_ties(ids: Ints, cosines: Floats) -> tuple[Ints, Floats]:
    """Return the nearest of each row, without those to which many others are equally similar.

    An empty form, or a generated note, is similar to hundreds of its kind; which of them are
    nearest depends on the last digit, which any edit of any note may change.
    """
    alike = (ids[:, -1:] >= 0) & (cosines[:, :NEIGHBOURS] - cosines[:, -1:] < STEP)
    return (
        np.where(alike, -1, ids[:, :NEIGHBOURS]),
        np.where(alike, np.float32(-1.0), cosines[:, :NEIGHBOURS]),
    )


def _cells(matrix: Floats, drawn: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Sort rows into about 2·√n cells: the rows in each, and those that search it."""
    count = round(2 * len(matrix) ** 0.5)
    centres = matrix[drawn[:count]]
    for _ in range(ROUNDS):
        home = np.concatenate([(block @ centres.T).argmax(1) for block in _blocks(matrix)])
        sums = np.zeros_like(centres)
        np.add.at(sums, home, matrix)
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
    probes = np.concatenate(
        [np.argpartition(-(block @ centres.T), PROBES)[:, :PROBES] for block in _blocks(matrix)]
    )
    home = np.einsum("nd,npd->np", matrix, centres[probes]).argmax(1)
    home = probes[np.arange(len(matrix)), home]
    for cell in range(count):
        members, searching = np.nonzero(home == cell)[0], np.nonzero((probes == cell).any(1))[0]
        if len(members) and len(searching):
            yield members, searching


def _blocks(matrix: Floats) -> Iterator[Floats]:
    for start in range(0, len(matrix), BLOCK):
        yield matrix[start : start + BLOCK]


def _keep_best(ids: Ints, cosines: Floats, rows: Ints, candidates: Ints, found: Floats) -> None:
    """Merge the results for `rows` into their best so far; ties go to the lower id."""
    k = ids.shape[1]
    if found.shape[1] > k:
        chosen = np.argpartition(-found, k - 1, axis=1)[:, :k]
        found, names = np.take_along_axis(found, chosen, axis=1), candidates[chosen]
    else:
        names = np.broadcast_to(candidates, found.shape)
    all_ids = np.concatenate([ids[rows], np.where(found > -1.0, names, -1)], axis=1)
    all_cosines = np.concatenate([cosines[rows], found], axis=1)
    order = np.lexsort((all_ids, -all_cosines), axis=1)[:, :k]
    ids[rows] = np.take_along_axis(all_ids, order, axis=1)
    cosines[rows] = np.take_along_axis(all_cosines, order, axis=1)


def _pairs(
    paths: Sequence[str], ids: Ints, weights: Floats, cosines: Floats, threshold: float
) -> SimilarPairs:
    count = len(ids)
    places = np.flatnonzero(ids >= 0)
    rows, others = places // ids.shape[1], ids.ravel()[places].astype(np.int64)
    keys = np.minimum(rows, others) * count + np.maximum(rows, others)
    keys, order = sorted_with_places(keys, count * count)
    places = places[order]
    # A pair that is similar in both directions was found twice.
    is_repeated = np.diff(keys, prepend=-1) == 0
    both_ways = is_repeated | np.append(is_repeated[1:], False)
    mutual = both_ways & (weights.ravel()[places] >= MIN_SIMILARITY)
    chosen = mutual | (cosines.ravel()[places] >= threshold)
    keys, places = keys[chosen], places[chosen]
    is_first = np.diff(keys, prepend=-1) != 0
    keys, places = keys[is_first], places[is_first]
    strength = weights.ravel()[places].clip(MIN_SIMILARITY, 1.0)
    return SimilarPairs(paths, keys // count, keys % count, cosines.ravel()[places], strength)
