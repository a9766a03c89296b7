"""Groups of notes that belong together: by what the user linked and by what is near in meaning."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import StrEnum

from daemon.analysis.anchors import Weights, grouped
from daemon.analysis.graph import LinkGraph
from daemon.analysis.labels import Label, labels
from daemon.analysis.lexicon import Lexicon
from daemon.analysis.meaning import MeaningGraph
from daemon.store.derived import Derived

LINK_WEIGHT = 1.0
NEAR_WEIGHT = 2.0  # times the pair's own weight of 0.3 to 1, so a near pair weighs like a link
SMALLEST = 3  # notes; two are a pair, not a cluster
# It takes n - 1 links to join n notes; a group with fewer than this share of them is sparse.
LINKS_PER_NOTE = 0.75


class ClusterKind(StrEnum):
    """Whether the notes of a cluster are linked, or only near in meaning."""

    DENSE = "dense"
    SPARSE = "sparse"


@dataclass(frozen=True, slots=True)
class Cluster:
    """Notes that belong together. `density` is the share of their possible links that exist."""

    label: str
    notes: tuple[str, ...]  # the most central first
    density: float
    kind: ClusterKind
    links: int  # linked pairs inside
    near: int  # pairs inside that are near in meaning
    near_linked: int  # pairs inside that are near in meaning and linked
    keywords: tuple[str, ...]


def clusters(
    graph: LinkGraph, meaning: MeaningGraph, lexicon: Lexicon, derived: Derived | None = None
) -> tuple[Cluster, ...]:
    """Group notes by links and meaning and name the groups, the largest first.

    The same notes give the same clusters on every run, whatever order they come in. Names that are
    `derived` are used as far as they hold.
    """
    weights = _weights(graph, meaning)
    found = grouped(graph.notes, weights, lexicon.tells)
    groups = [group for group in _central_first(found, weights) if len(group) >= SMALLEST]
    groups.sort(key=lambda group: (-len(group), group[0]))
    near = {(pair.one, pair.other) for pair in meaning.pairs}
    named = zip(groups, labels(groups, lexicon, derived), strict=True)
    return tuple(_cluster(group, label, graph, near) for group, label in named)


def _weights(graph: LinkGraph, meaning: MeaningGraph) -> dict[tuple[str, str], float]:
    """How strongly each pair belongs together, in path order."""
    weights: dict[tuple[str, str], float] = {}
    for one in graph.notes:
        for other in graph.neighbours(one):
            if one < other:
                weights[one, other] = LINK_WEIGHT
    for pair in meaning.pairs:
        both = pair.one, pair.other
        weights[both] = weights.get(both, 0.0) + NEAR_WEIGHT * pair.weight
    return dict(sorted(weights.items()))


def _central_first(found: Mapping[str, Set[str]], weights: Weights) -> list[tuple[str, ...]]:
    """Each group with its anchor, then the others by how strongly each belongs to the rest."""
    home = {note: anchor for anchor, group in found.items() for note in group}
    held = dict.fromkeys(home, 0.0)
    for (one, other), weight in weights.items():
        if one in home and home[one] == home.get(other):
            held[one] += weight
            held[other] += weight

    def place(note: str) -> tuple[bool, float, str]:
        return note != home[note], -round(held[note], 9), note

    return [tuple(sorted(group, key=place)) for group in found.values()]


def _cluster(
    notes: tuple[str, ...], label: Label, graph: LinkGraph, near: Set[tuple[str, str]]
) -> Cluster:
    members = set(notes)
    linked = {
        (min(one, other), max(one, other))
        for one in notes
        for other in graph.out[one]
        if other in members
    }
    close = {(one, other) for one in notes for other in notes if (one, other) in near}
    possible = len(notes) * (len(notes) - 1) // 2
    sparse = len(linked) < LINKS_PER_NOTE * (len(notes) - 1)
    return Cluster(
        label=label.name,
        notes=notes,
        density=round(len(linked) / possible, 4),
        kind=ClusterKind.SPARSE if sparse else ClusterKind.DENSE,
        links=len(linked),
        near=len(close),
        near_linked=len(close & linked),
        keywords=label.keywords,
    )
