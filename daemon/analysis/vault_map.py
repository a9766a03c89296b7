"""The map of a vault: its notes, where to draw them, and what connects them, as columns."""

from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from daemon.analysis.force_layout import layout
from daemon.analysis.graph import link_graph, unresolved
from daemon.analysis.meaning import SimilarPairs
from daemon.model.notes import LinkEnds, LinkRow, NoteRow
from vault_adapters.wikilink import note_name

Ints = npt.NDArray[np.int64]
_SIMILAR = 3  # notes that are shown as similar to each, at most


@dataclass(frozen=True, slots=True)
class VaultMap:
    """Notes that count, in path order, then linked notes that do not exist.

    Columns of numbers are base64 of little-endian 32-bit integers: a page reads them at once.
    Positions and pairs are flat: `links` is source, target, source, target, as indices of nodes.
    """

    paths: tuple[str, ...]
    names: tuple[str, ...]  # to show, of each path
    missing: tuple[str, ...]  # names, as the links spell them
    labels: tuple[str, ...]  # of the clusters
    clusters: str  # of each node, an index of `labels`; -1: none
    links: str
    similar: str
    by_links: str  # x, y of each node
    by_meaning: str


def vault_map(
    notes: Sequence[NoteRow],
    links: Sequence[LinkRow] | LinkEnds,
    clusters: Sequence[tuple[str, Sequence[str]]],
    similar: SimilarPairs,
) -> VaultMap:
    """Return the map; `clusters` are labels with paths."""
    graph = link_graph(notes, links)
    missing = unresolved(notes, links)
    places = {path: at for at, path in enumerate(graph.notes)}
    named = np.array(
        [
            (places[source], len(places) + at)
            for at, each in enumerate(missing)
            for source in each.sources
            if source in places
        ],
        np.int64,
    ).reshape(-1, 2)
    linked = np.concatenate([np.stack(graph.ends(), axis=1), named])
    of_cluster = {path: at for at, (_, paths) in enumerate(clusters) for path in paths}
    groups = [of_cluster.get(path, -1) for path in graph.notes] + [-1] * len(missing)
    alike = _strongest(similar, places)
    titles = {row.path: row.title for row in notes}
    return VaultMap(
        graph.notes,
        tuple(titles[path] or note_name(path) for path in graph.notes),
        tuple(each.target for each in missing),
        tuple(label for label, _ in clusters),
        _column(np.array(groups, np.int64)),
        *(_column(each) for each in (linked, alike)),
        *(_column(layout(each, groups)) for each in (linked, alike)),
    )


def _column(numbers: Ints) -> str:
    return b64encode(numbers.astype("<i4").tobytes()).decode("ascii")


def _strongest(similar: SimilarPairs, places: Mapping[str, int]) -> Ints:
    """Return the pairs that are among the most similar of either note, `(m, 2)`."""
    at = np.array([places.get(path, -1) for path in similar.paths], np.int64)
    first, second = at[similar.first], at[similar.second]
    shown: Counter[int] = Counter()
    found = []
    for index in np.argsort(-similar.cosines, kind="stable").tolist():
        pair = int(first[index]), int(second[index])
        if min(pair) >= 0 and min(shown[pair[0]], shown[pair[1]]) < _SIMILAR:
            shown.update(pair)
            found.append(pair)
    return np.asarray(found, np.int64).reshape(-1, 2)
