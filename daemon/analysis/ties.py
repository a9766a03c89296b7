"""What the vault's links say about two notes that are not linked."""

import numpy as np
import numpy.typing as npt

from daemon.analysis.graph import LinkGraph

Floats = npt.NDArray[np.float32]

BACK = 0.3  # restart probability of a walk: it mostly stays within three links of its start
STEPS = 12  # steps after which hardly one walk in a hundred continues
PEERS = 20  # the most similar notes


class Walks:
    """The probability that a random walk over links, in either direction, reaches each note."""

    def __init__(self, graph: LinkGraph) -> None:
        nodes = [*graph.notes, *(path for path in graph.out if path not in graph.into)]
        ids = {path: n for n, path in enumerate(nodes)}
        pairs = {
            (ids[one], ids[other])
            for source in graph.out
            for target in graph.out[source]
            for one, other in ((source, target), (target, source))
        }
        self._notes = len(graph.notes)
        self._nodes = len(nodes)
        ends = np.array(sorted(pairs), np.int64).reshape(-1, 2)
        self._from, self._to = ends[:, 0], ends[:, 1]
        self._linked_by = np.array([len(graph.into[path]) for path in graph.notes], np.float64)

    def visits(self, source: int, without: int | None = None) -> Floats:
        """Return for each note how much likelier than by chance a walk from `source` is there,
        `(n,)`.

        Personalised PageRank times the number of notes, in log. `without` is a note that is treated
        as not linked with it.
        """
        kept = np.ones(len(self._from), np.bool_)
        if without is not None:
            here = (self._from == source) & (self._to == without)
            kept = ~(here | (self._from == without) & (self._to == source))
        start, end = self._from[kept], self._to[kept]
        ways = np.maximum(np.bincount(start, minlength=self._nodes), 1)
        origin = np.zeros(self._nodes)
        origin[source] = BACK
        there = origin / BACK
        for _ in range(STEPS):
            moved = np.bincount(end, weights=(there / ways)[start], minlength=self._nodes)
            there = origin + (1 - BACK) * moved
        return np.log1p(there[: self._notes] * self._notes).astype(np.float32)

    def linked(self, without: int | None = None) -> Floats:
        """Return the logarithm of how many notes link to each, `(n,)`; one less for `without`."""
        count = self._linked_by.copy()
        if without is not None:
            count[without] = max(count[without] - 1, 0)
        return np.log1p(count).astype(np.float32)


class Peers:
    """Links of similar notes: a new note often links to the same targets."""

    def __init__(self, graph: LinkGraph) -> None:
        ids = {path: n for n, path in enumerate(graph.notes)}
        self._out = [
            np.array(sorted(ids[target] for target in graph.out[path]), np.int64)
            for path in graph.notes
        ]

    def linking(self, source: int, similarities: Floats) -> Floats:
        """Return how much the peers of `source` link to each note, in log, `(n,)`.

        `similarities` is how similar each note is to it; its own links do not count.
        """
        weights = similarities.clip(0.0) ** 2
        weights[source] = 0.0
        totals = np.zeros(len(similarities), np.float64)
        for peer in np.argsort(-weights, kind="stable")[:PEERS]:
            totals[self._out[peer]] += weights[peer]
        return np.log1p(10 * totals).astype(np.float32)
