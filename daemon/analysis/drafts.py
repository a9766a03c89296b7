"""Gaps whose reasons are formulated only if they are kept: most gaps of a large vault are not."""

from collections.abc import Callable, Collection
from dataclasses import replace
from heapq import nlargest
from typing import NamedTuple

from daemon.analysis.score import MAX_PER_SHAPE, Parts, held_back, named
from daemon.model.agenda import Gap, GapKind, GapShape

Words = Callable[[], tuple[str, str]]  # returns why, in one sentence, and details


class Draft(NamedTuple):
    """The data of a gap, and the function that formulates its reasons.

    `is_held` if the gap of its cluster covers it; `score` includes that.
    """

    kind: GapKind
    shape: GapShape
    topic: str
    notes: tuple[str, ...]
    parts: Parts
    score: float
    words: Words
    keywords: tuple[str, ...] = ()
    is_held: bool = False

    def gap(self) -> Gap:
        """Return the gap without its reasons."""
        gap = Gap(
            kind=self.kind,
            shape=self.shape,
            topic=self.topic,
            notes=tuple(dict.fromkeys(self.notes)),
            why="",
            score=round(sum(self.parts), 4),
            parts=named(self.parts),
            keywords=self.keywords,
        )
        return held_back(gap) if self.is_held else gap

    def held(self) -> "Draft":
        """Return this draft as one that the gap of its cluster covers."""
        return self._replace(is_held=True, score=held_back(self.gap()).score)

    def worded(self, gap: Gap) -> Gap:
        """Return `gap`, which is this one with its final score, with its reasons."""
        why, details = self.words()
        return replace(gap, why=why, details=f"{details} {gap.details}".strip())


def likely(drafts: Collection[Draft], margin: float) -> list[Draft]:
    """Return the drafts that may be among the best of their shape if scores move by `margin`."""
    scores: dict[GapShape, list[float]] = {}
    for draft in drafts:
        scores.setdefault(draft.shape, []).append(draft.score)
    least = {shape: nlargest(MAX_PER_SHAPE, of)[-1] - margin for shape, of in scores.items()}
    return [draft for draft in drafts if draft.score >= least[draft.shape]]
