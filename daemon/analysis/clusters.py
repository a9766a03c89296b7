"""Clusters of notes: by the user's links and by similarity."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from daemon.analysis.anchors import NONE, Ints, Ties, grouped
from daemon.analysis.graph import LinkGraph, ascending
from daemon.analysis.health import Cluster, ClusterKind
from daemon.analysis.labels import Label, labels
from daemon.analysis.lexicon import Lexicon
from daemon.analysis.meaning import Floats, MeaningGraph
from daemon.store.derived import Derived

LINK_WEIGHT = 1.0
# times the pair's own weight of 0.3 to 1, so that a similar pair weighs like a link
NEAR_WEIGHT = 2.0
SMALLEST = 3  # notes; two are a pair, not a cluster
# It takes n - 1 links to connect n notes; a cluster with fewer than this share of them is sparse.
LINKS_PER_NOTE = 0.75


def clusters(
    graph: LinkGraph, meaning: MeaningGraph, lexicon: Lexicon, derived: Derived | None = None
) -> tuple[Cluster, ...]:
    """Cluster notes by links and similarity and name the clusters, largest first.

    The same notes give the same clusters, in any order. `derived` names are reused while they are
    valid.
    """
    pairs = _pairs(graph, meaning)
    ties = _ties(graph.notes, pairs)
    groups = _central_first(grouped(ties, lexicon.is_significant), ties)
    groups.sort(key=lambda group: (-len(group), group[0]))
    paths = [tuple(graph.notes[at] for at in group.tolist()) for group in groups]
    counts = _counts(groups, pairs, len(graph.notes))
    return tuple(
        _cluster(notes, label, *counted)
        for notes, label, counted in zip(
            paths, labels(paths, lexicon, derived), counts.tolist(), strict=True
        )
    )


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs of notes as ascending numbers: the index of the first times the number of notes, plus
    that of the second. `weights` are the similarities of similar pairs.
    """

    linked: Ints
    near: Ints
    weights: Floats


def _pairs(graph: LinkGraph, meaning: MeaningGraph) -> _Pairs:
    count, places = len(graph.notes), {path: at for at, path in enumerate(graph.notes)}
    one, other = graph.ends()
    linked = ascending(np.minimum(one, other) * count + np.maximum(one, other))
    similar = meaning.pairs
    of = np.fromiter(map(places.__getitem__, similar.paths), np.int64, len(similar.paths))
    return _Pairs(linked, of[similar.first] * count + of[similar.second], similar.weights)


def _ties(notes: Sequence[str], pairs: _Pairs) -> Ties:
    """Return how strongly each pair belongs together."""
    keys = ascending(np.concatenate([pairs.linked, pairs.near]))
    weights = np.zeros(len(keys))
    weights[np.searchsorted(keys, pairs.linked)] = LINK_WEIGHT
    weights[np.searchsorted(keys, pairs.near)] += NEAR_WEIGHT * pairs.weights.astype(np.float64)
    count = max(len(notes), 1)
    return Ties(notes, keys // count, keys % count, weights)


def _central_first(homes: Ints, ties: Ties) -> list[Ints]:
    """Return the notes of each cluster that is large enough: its anchor, then the others by how
    strongly each is tied to the rest.
    """
    inside = (homes[ties.first] == homes[ties.second]) & (homes[ties.first] != NONE)
    ends = np.concatenate([ties.first[inside], ties.second[inside]])
    weights = ties.weights[inside]
    held = np.bincount(ends, np.concatenate([weights, weights]), len(homes))
    places = np.arange(len(homes))
    order = np.lexsort((places, -np.round(held, 9), places != homes, homes))
    order = order[homes[order] != NONE]
    groups = np.split(order, np.flatnonzero(np.diff(homes[order])) + 1)
    return [group for group in groups if len(group) >= SMALLEST]


def _counts(groups: Sequence[Ints], pairs: _Pairs, count: int) -> Ints:
    """Return for each cluster how many of its pairs are linked, similar, and both: `(n, 3)`."""
    home = np.full(count, NONE)
    for number, group in enumerate(groups):
        home[group] = number
    found = np.zeros((len(groups), 3), np.int64)
    both = np.intersect1d(pairs.linked, pairs.near, assume_unique=True)
    for column, keys in enumerate((pairs.linked, pairs.near, both)):
        of = home[keys // max(count, 1)]
        inside = (of == home[keys % max(count, 1)]) & (of != NONE)
        found[:, column] = np.bincount(of[inside], minlength=len(groups))
    return found


def _cluster(
    notes: tuple[str, ...], label: Label, linked: int, near: int, near_linked: int
) -> Cluster:
    possible = len(notes) * (len(notes) - 1) // 2
    sparse = linked < LINKS_PER_NOTE * (len(notes) - 1)
    return Cluster(
        label=label.name,
        notes=notes,
        density=round(linked / possible, 4),
        kind=ClusterKind.SPARSE if sparse else ClusterKind.DENSE,
        links=linked,
        near=near,
        near_linked=near_linked,
        keywords=label.keywords,
    )
