"""Gaps whose reasons are formulated only if they are kept: most gaps of a large vault are not."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from daemon.model.agenda import Gap

Words = Callable[[], tuple[str, str]]  # returns why, in one sentence, and details


@dataclass(frozen=True, slots=True)
class Draft:
    """A gap without its reasons, and the function that formulates them."""

    gap: Gap
    words: Words

    def worded(self, gap: Gap) -> Gap:
        """Return `gap`, which is this one with its final score, with its reasons."""
        why, details = self.words()
        return replace(gap, why=why, details=f"{details} {gap.details}".strip())
