"""Suggest links: the nearest unlinked notes, by similarity, words and the vault's links.

The vault itself determines the weights of the signals: each of its links is treated as missing in
turn, and the weights are those under which these links would be found again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from daemon.analysis.hiding import choose
from daemon.analysis.signals import MEANING, SIGNALS, TIES, WORDS, Signals

Floats = npt.NDArray[np.float64]

# Without information about the vault. Meaning and words count the same; a note that names this one
# counts less than one that it names.
DEFAULT_WEIGHTS: Mapping[str, float] = {
    "whole": 3.0, "part": 3.0, "said": 3.0, "named": 3.0, "naming": 1.0,
    "walk": 1.0, "linked": 0.5, "peers": 1.0,
}  # fmt: skip

EXAMPLES = 500  # links from which the weights are learned
MAX_ROWS = 2_000_000  # examples times notes, for memory
TRUST = 1.0  # in the usual weights, in links: how many it takes to move them
_ROUNDS = 12


class Signal(StrEnum):
    """What a suggestion may be based on."""

    MEANING = "meaning"
    WORDS = "words"
    TEXT = "text"  # meaning and words, as if the vault had no links
    BOTH = "both"  # meaning and words, with the vault's links as evidence


_COLUMNS: Mapping[Signal, tuple[str, ...]] = {
    Signal.MEANING: MEANING,
    Signal.WORDS: WORDS,
    Signal.TEXT: (*MEANING, *WORDS),
    Signal.BOTH: (*MEANING, *WORDS, *TIES),
}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A note that may be worth a link. `similarity` is the cosine of the two, after centring."""

    path: str
    score: float
    similarity: float


class Suggester:
    """Ranks the notes of a vault for one of them; `weights` are by the names of SIGNALS.

    `known` is the share of the vault in languages that the model supports: the initial weight of
    meaning is reduced accordingly.
    """

    def __init__(self, signals: Signals, *, learn: bool = True, known: float = 1.0) -> None:
        self.signals = signals
        self._usual = {
            name: weight * known if name in MEANING else weight
            for name, weight in DEFAULT_WEIGHTS.items()
        }
        usual = np.array([self._usual[name] for name in SIGNALS])
        learned = learned_weights(list(_examples(signals)), usual) if learn else usual
        self.weights = dict(zip(SIGNALS, learned.tolist(), strict=True))

    def nearest(self, path: str, limit: int) -> list[Suggestion]:
        """Return at most `limit` notes without a link to this one, best first."""
        source = self.signals.ids[path]
        found = self.signals.features(source)
        scores = self.scores(found, Signal.BOTH)
        order = self.order(scores, source)[:limit]
        whole = SIGNALS.index("whole")
        return [
            Suggestion(self.signals.paths[n], float(scores[n]), float(found[n, whole]))
            for n in order
        ]

    def scores(self, found: npt.NDArray[np.float32], by: Signal) -> Floats:
        """Combine the signals of every note, `(n, 8)`, to one number each.

        Uses the default weights if links must not count, otherwise the learned ones.
        """
        of: Mapping[str, float] = self.weights if by is Signal.BOTH else self._usual
        if by is Signal.MEANING:
            of = DEFAULT_WEIGHTS
        weights = np.array([of[name] * (name in _COLUMNS[by]) for name in SIGNALS])
        scores: Floats = found @ weights
        return scores

    def order(self, scores: Floats, source: int) -> list[int]:
        """Return the notes that are not linked with `source`, best first, ties by path."""
        new = np.flatnonzero(self.signals.may_be_new(source))
        best = new[np.argsort(-scores[new], kind="stable")]
        return [int(note) for note in best]


@dataclass(frozen=True, slots=True)
class Example:
    """The signals before a link was made, `(k, 8)`, and the row of its target."""

    rows: npt.NDArray[np.float32]
    target: int


def _examples(signals: Signals) -> Iterator[Example]:
    """Treat links one at a time as if they had never been written."""
    graph = signals.graph
    most = min(EXAMPLES, MAX_ROWS // max(1, len(signals)))
    one_way = (
        link
        for link in choose(graph, share=1.0, seed=0, limit=2 * most)
        if link.source not in graph.out[link.target]
    )
    for _, link in zip(range(most), one_way, strict=False):
        source, target = signals.ids[link.source], signals.ids[link.target]
        new = signals.may_be_new(source, target)
        rows = signals.features(source, target)[new]
        yield Example(rows, int(np.count_nonzero(new[:target])))


def learned_weights(examples: list[Example], usual: Floats) -> Floats:
    """Return the weights under which the existing links are likeliest, near the default ones.

    A choice among all notes for each link (conditional logit), by Newton's method; the default
    weights count as TRUST links. No weight is negative.
    """
    weights = usual.copy()
    for _ in range(_ROUNDS):
        slope = -2 * TRUST * (weights - usual)
        bend = 2 * TRUST * np.eye(len(usual))
        for example in examples:
            scores = example.rows @ weights
            chance = np.exp(scores - scores.max())
            chance /= chance.sum()
            expected = chance @ example.rows
            slope += example.rows[example.target] - expected
            bend += (example.rows * chance[:, None]).T @ example.rows
            bend -= np.outer(expected, expected)
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    return weights.clip(0.0)
