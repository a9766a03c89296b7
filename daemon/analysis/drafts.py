"""Gaps whose reasons are put into words only when they are kept: of a large vault most are not."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from daemon.model.agenda import Gap

Words = Callable[[], tuple[str, str]]  # gives why, in one sentence, and details


@dataclass(frozen=True, slots=True)
class Draft:
    """A gap without words, and what gives them."""

    gap: Gap
    words: Words

    def worded(self, gap: Gap) -> Gap:
        """Return `gap`, which is this one as it was weighed since, with its reasons in words."""
        why, details = self.words()
        return replace(gap, why=why, details=f"{details} {gap.details}".strip())
