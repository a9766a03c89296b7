"""Groups of notes that belong together: by what the user linked and by what is near in meaning."""

import hashlib
import math
import random
from collections.abc import Iterable, Mapping, MutableSequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from daemon.analysis.graph import LinkGraph
from daemon.analysis.labels import Label, Lexicon
from daemon.analysis.meaning import MeaningGraph

if TYPE_CHECKING:  # 12 MB, which a process that only knows what clusters are does without
    import networkx as nx

LINK_WEIGHT = 1.0
NEAR_WEIGHT = 2.0  # times the pair's own weight of 0.3 to 1, so a near pair weighs like a link
SMALLEST = 3  # notes; two are a pair, not a cluster
# With more notes both the number and the size of clusters grow; at 80 notes Louvain's own
# measure is right. Without this a large vault falls into a dozen areas too wide to name.
NOTES_AT_PLAIN_RESOLUTION = 80
RESOLUTION_STEP = 1.1  # a note more or less must not change what Louvain makes of all the others
# Louvain depends on the order in which it visits notes. The vote of several orders does so less:
# when one of 748 notes is deleted, 9 of 10 clusters stay, instead of 5 of 10.
MOST_ORDERS = 16
VOTED_NOTES = 12_000  # notes times orders at most, for speed
MAJORITY = 0.5
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


Weights = Mapping[tuple[str, str], float]


def clusters(graph: LinkGraph, meaning: MeaningGraph, lexicon: Lexicon) -> tuple[Cluster, ...]:
    """Group notes by links and meaning and name the groups, the largest first.

    The same notes give the same clusters on every run, whatever order they come in.
    """
    weights = _weights(graph, meaning)
    network = _network(graph.notes, weights)
    found = (group for group in _communities(network, weights) if len(group) >= SMALLEST)
    groups = [_central_first(group, network) for group in found]
    groups.sort(key=lambda group: (-len(group), group[0]))
    near = {(pair.one, pair.other) for pair in meaning.pairs}
    named = zip(groups, lexicon.labels(groups), strict=True)
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


def _communities(network: "nx.Graph[str]", weights: Weights) -> list[set[str]]:
    """Let several Louvain runs vote on which pairs stay together; Louvain has the last word."""
    orders = min(MOST_ORDERS, VOTED_NOTES // max(1, len(network)))
    if orders < 2:
        return _louvain(network, 0)
    votes = dict.fromkeys(weights, 0)
    for order in range(orders):
        home = {note: n for n, group in enumerate(_louvain(network, order)) for note in group}
        for one, other in weights:
            votes[one, other] += home[one] == home[other]
    kept = {
        pair: weight * votes[pair] / orders
        for pair, weight in weights.items()
        if votes[pair] >= MAJORITY * orders
    }
    return _louvain(_network(network, kept), 0)


def _network(notes: Iterable[str], weights: Weights) -> "nx.Graph[str]":
    import networkx as nx  # noqa: PLC0415 only for a look at the vault

    network: nx.Graph[str] = nx.Graph()
    network.add_nodes_from(notes)
    network.add_weighted_edges_from((*pair, weight) for pair, weight in weights.items())
    return network


def _louvain(network: "nx.Graph[str]", order: int) -> list[set[str]]:
    import networkx as nx  # noqa: PLC0415 only for a look at the vault

    wanted = max(1.0, (len(network) / NOTES_AT_PLAIN_RESOLUTION) ** 0.5)
    resolution = RESOLUTION_STEP ** round(math.log(wanted, RESOLUTION_STEP))
    found: list[set[str]] = nx.community.louvain_communities(
        network, resolution=resolution, seed=_SteadyOrder(order)
    )
    return found


class _SteadyOrder(random.Random):
    """Visits notes in an order given by their names, so that one more note moves no other."""

    def __init__(self, salt: int) -> None:
        super().__init__(salt)
        self._salt = salt

    def shuffle(self, x: MutableSequence[Any]) -> None:
        x.sort(key=self._place)  # type: ignore[attr-defined]  # networkx hands over a list

    def _place(self, node: str | int) -> bytes:
        """Notes by a hash of their path; the groups of later rounds by their number."""
        if isinstance(node, int):
            return node.to_bytes(8, "big")
        return hashlib.blake2b(f"{self._salt} {node}".encode(), digest_size=8).digest()


def _central_first(group: Iterable[str], network: "nx.Graph[str]") -> tuple[str, ...]:
    """Sort by how strongly each note belongs to the rest of its group."""
    members = set(group)
    held = {
        note: sum(edge["weight"] for other, edge in network[note].items() if other in members)
        for note in members
    }
    return tuple(sorted(members, key=lambda note: (-held[note], note)))


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
