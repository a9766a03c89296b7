"""Clusters of notes, each around a central note.

    damp the hubs | choose anchors | assign notes to the nearest | merge small clusters | settle

Every step considers at most two links around a note, so that an edit changes only its surroundings.
Methods that optimise over the whole vault at once (modularity) move notes that nobody touched.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from daemon.analysis.sorting import sorted_with_places

Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]

# A note that is tied to more of the vault than this (a table of contents) does not separate notes:
# it joins the cluster of most of its ties, and anchors none.
CONTENTS_SHARE, CONTENTS_TIES = 0.4, 20
# A note from which an anchor is reached more often than this, in one or two steps, is not an
# anchor.
MIN_DISTANCE = 0.04
# notes, including the anchor; a smaller cluster is merged into its neighbours, if it has any
MIN_CLUSTER_NOTES = 6
ROUNDS = 2  # rounds in which notes follow most of their surroundings
STAY = 1.25  # how much larger the other share must be before a note leaves its cluster
NONE = -1
_DIGITS = 9  # sums that differ by less are equal
_BLOCK = 2_048  # notes that are settled at once


@dataclass(frozen=True, slots=True)
class Ties:
    """Pairs of notes that belong together, each with a strength.

    `first` < `second` are indices into `notes`, which are in path order; the pairs ascend.
    """

    notes: Sequence[str]
    first: Ints
    second: Ints
    weights: Numbers


def grouped(ties: Ties, is_significant: Callable[[str], bool]) -> Ints:
    """Return the index of each note's anchor, NONE for a note in no cluster.

    Notes that name a subject (`is_significant`) are chosen as anchors before others.
    """
    lists = _lists_of_contents(ties)
    walk = _Walk(ties, lists)
    reach = _Reach(walk)
    anchors = [note for note in _order(ties.notes, walk, is_significant) if reach.add(note)]
    homes, kept = _without_small(anchors, reach, walk)
    for _ in range(ROUNDS):
        homes = _settled(homes, kept, walk)
    return _with_lists(homes, lists, ties)


def _lists_of_contents(ties: Ties) -> Flags:
    count = len(ties.notes)
    of_each = np.bincount(ties.first, minlength=count) + np.bincount(ties.second, minlength=count)
    found: Flags = of_each > max(CONTENTS_TIES, CONTENTS_SHARE * count)
    return found


class _Walk:
    """Random steps from note to note: likelier over a stronger tie, and less likely to hubs."""

    def __init__(self, ties: Ties, lists: Flags) -> None:
        """Take all ties except those of tables of contents."""
        self.count = len(ties.notes)
        among = ~(lists[ties.first] | lists[ties.second])
        one, other, weights = ties.first[among], ties.second[among], ties.weights[among]
        rows, ends = np.concatenate([one, other]), np.concatenate([other, one])
        strength = _added(rows, np.concatenate([weights, weights]), self.count)
        # Half of a hub's weight is removed. With all of it removed every note would weigh the same,
        # with none a table of contents would attract everything that it lists.
        damped = weights / np.sqrt(np.sqrt(strength[one] * strength[other]))
        order = np.lexsort((ends, rows))
        self.rows, self.ends = rows[order], ends[order]
        self.ways = np.concatenate([damped, damped])[order]
        self.starts = np.searchsorted(self.rows, np.arange(self.count + 1))
        self.held = _added(self.rows, self.ways, self.count)
        self.chances = self.ways / self.held[self.rows]

    def reaching(self, anchor: int) -> tuple[Ints, Numbers]:
        """Return the notes from which one or two steps lead to an anchor, and the probability."""
        own = slice(self.starts[anchor], self.starts[anchor + 1])
        near, steps = self.ends[own], self.ways[own] / self.held[self.ends[own]]
        places, of = _stretches(self.starts[near], self.starts[near + 1])
        far = self.ends[places]
        chances = self.ways[places] / self.held[far] * steps[of]
        found, which = np.unique(np.concatenate([near, far]), return_inverse=True)
        return found, _added(which, np.concatenate([steps, chances]), len(found))


def _added(places: Ints, numbers: Numbers, count: int) -> Numbers:
    """Sum numbers by their indices, which are below `count`, in the given order."""
    found: Numbers = np.bincount(places, numbers, count).astype(np.float64, copy=False)
    return found


def _stretches(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Return all indices from each start to its end in order, and the stretch of each."""
    sizes = ends - starts
    of = np.repeat(np.arange(len(starts)), sizes)
    return np.arange(len(of)) + (starts - (np.cumsum(sizes) - sizes))[of], of


def _order(notes: Sequence[str], walk: _Walk, is_significant: Callable[[str], bool]) -> list[int]:
    """Return the notes with any tie, strongest first."""
    tied = np.flatnonzero(walk.held)
    paths = [notes[at] for at in tied.tolist()]
    is_informative = np.fromiter(map(is_significant, paths), np.bool_, len(paths))
    tie_breakers = np.array([_tie_breaker(path) for path in paths], np.uint64)
    order = tied[np.lexsort((tie_breakers, -np.round(walk.held[tied], _DIGITS), ~is_informative))]
    return [int(at) for at in order]


class _Reach:
    """The probability that each note reaches an anchor in one or two steps, and its likeliest
    anchor.
    """

    def __init__(self, walk: _Walk, known: "_Reach | None" = None) -> None:
        self._walk = walk
        self.best = np.zeros(walk.count)
        self._by = np.full(walk.count, NONE)
        self.found: dict[int, tuple[Ints, Numbers]] = {} if known is None else known.found

    def add(self, anchor: int) -> bool:
        """Make a note an anchor, unless it is near one already."""
        if self.best[anchor] >= MIN_DISTANCE:
            return False
        self.take(anchor)
        return True

    def take(self, anchor: int) -> None:
        if anchor not in self.found:
            self.found[anchor] = self._walk.reaching(anchor)
        notes, chances = self.found[anchor]
        more = chances > self.best[notes]
        self.best[notes[more]] = chances[more]
        self._by[notes[more]] = anchor

    def anchors_of(self, anchors: Sequence[int]) -> Ints:
        """Return the cluster of each note; an anchor is in its own."""
        found = self._by.copy()
        found[anchors] = anchors
        return found


def _without_small(anchors: Sequence[int], reach: _Reach, walk: _Walk) -> tuple[Ints, Ints]:
    """Merge the notes of small clusters into larger ones nearby; one without neighbours stays.

    Return the cluster of each note, and the remaining anchors.
    """
    homes = reach.anchors_of(anchors)
    sizes = np.bincount(homes[homes != NONE], minlength=walk.count)
    large = [anchor for anchor in anchors if sizes[anchor] >= MIN_CLUSTER_NOTES]
    among = _Reach(walk, reach)
    for anchor in large:
        among.take(anchor)
    beside = set(homes[(homes != NONE) & (among.best > 0)].tolist())
    alone = [
        anchor for anchor in anchors if sizes[anchor] < MIN_CLUSTER_NOTES and anchor not in beside
    ]
    for anchor in alone:
        among.take(anchor)
    kept = [*large, *alone]
    return among.anchors_of(kept), np.array(kept, np.int64)


def _settled(homes: Ints, anchors: Ints, walk: _Walk) -> Ints:
    """Move each note to the cluster of most of its surroundings within two steps; anchors stay."""
    at_home = homes[walk.ends] != NONE
    beside = _Shares.count(
        walk.rows[at_home], homes[walk.ends[at_home]], walk.chances[at_home], walk.count
    )
    starts = np.searchsorted(beside.notes, np.arange(walk.count + 1))
    settled = np.full(walk.count, NONE)
    for low in range(0, walk.count, _BLOCK):
        high = min(low + _BLOCK, walk.count)
        near, ties = slice(starts[low], starts[high]), slice(walk.starts[low], walk.starts[high])
        ends = walk.ends[ties]
        places, of = _stretches(starts[ends], starts[ends + 1])
        around = _Shares.count(
            np.concatenate([beside.notes[near], walk.rows[ties][of]]),
            np.concatenate([beside.homes[near], beside.homes[places]]),
            np.concatenate([beside.sums[near], walk.chances[ties][of] * beside.sums[places]]),
            walk.count,
        )
        around.sums[around.homes == homes[around.notes]] *= STAY
        notes, best = around.most()
        settled[notes] = best
    settled[anchors] = anchors
    return settled


def _with_lists(homes: Ints, lists: Flags, ties: Ties) -> Ints:
    """Put each table of contents into the cluster of most of its links."""
    one = np.concatenate([ties.first, ties.second])
    other = np.concatenate([ties.second, ties.first])
    among = lists[one] & (homes[other] != NONE)
    weights = np.concatenate([ties.weights, ties.weights])[among]
    notes, best = _Shares.count(one[among], homes[other[among]], weights, len(ties.notes)).most()
    found = homes.copy()
    found[notes] = best
    return found


@dataclass(frozen=True, slots=True)
class _Shares:
    """How much of the surroundings of notes is in which cluster: by note, then by anchor."""

    notes: Ints
    homes: Ints
    sums: Numbers

    @classmethod
    def count(cls, notes: Ints, homes: Ints, shares: Numbers, count: int) -> "_Shares":
        """Sum the shares of each note in each cluster; `count` is the number of notes."""
        keys = notes * count + homes
        keys, order = sorted_with_places(keys, count * count)
        is_first = np.diff(keys, prepend=-1) != 0
        sums = _added(np.cumsum(is_first) - 1, shares[order], int(is_first.sum()))
        return cls(keys[is_first] // count, keys[is_first] % count, sums)

    def most(self) -> tuple[Ints, Ints]:
        """Return each note with the cluster that has the largest share, the first of equal ones."""
        notes, starts = np.unique(self.notes, return_index=True)
        if not len(notes):
            return notes, notes
        sums = np.round(self.sums, _DIGITS)
        highest = np.repeat(np.maximum.reduceat(sums, starts), np.diff([*starts, len(sums)]))
        places = np.flatnonzero(sums == highest)
        return notes, self.homes[places[np.searchsorted(self.notes[places], notes)]]


def _tie_breaker(path: str) -> int:
    return int.from_bytes(blake2b(path.encode(), digest_size=8).digest(), "big")
