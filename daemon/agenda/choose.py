"""Which sources a task asks: few, and good for its topic."""

import re
from collections.abc import Iterable, Sequence

from daemon.model.agenda import Depth
from daemon.model.evidence import SourceType
from daemon.model.sources import Profile

# Of each: the user's own library always, then so many scholarly ones and so many of the web.
SHARES = {Depth.QUICK: (2, 1), Depth.STANDARD: (2, 1), Depth.DEEP: (5, 3)}
_SCHOLARLY = (SourceType.PAPER, SourceType.PREPRINT)
_EVERYTHING = "anything"
_WORD = re.compile(r"[^\W_]+")


def choose(
    sources: Sequence[Profile], topic: Iterable[str], depth: Depth, index: int
) -> tuple[str, ...]:
    """Name the sources for a topic: library first, then those that it suits, the best first.

    A quick run asks the library and one other, the others taking turns from task to task.
    """
    words = _words(topic)
    ranked = sorted(sources, key=lambda each: (-_fit(each, words), -each.authority))
    own = [
        each.name
        for each in sources
        if each.source_type is SourceType.LIBRARY or each.is_always_asked
    ]
    papers = [
        each.name for each in ranked if each.source_type in _SCHOLARLY and each.name not in own
    ]
    web = [each.name for each in ranked if each.name not in (*own, *papers)]
    most_papers, most_web = SHARES[depth]
    others = [*papers[:most_papers], *web[:most_web]]
    if depth is Depth.QUICK and others:
        others = [others[index % len(others)]]
    return (*own, *others)


def _fit(source: Profile, words: set[str]) -> int:
    """How well a source suits a topic: what it names counts, then that it takes anything."""
    named = words & _words(source.good_for)
    takes_all = any(_EVERYTHING in each for each in source.good_for)
    return 2 * len(named) + takes_all


def _words(texts: Iterable[str]) -> set[str]:
    found = _WORD.findall(" ".join(texts).casefold())
    return {word if word.endswith("ss") else word.removesuffix("s") for word in found} - _COMMON


_COMMON = {"a", "an", "and", "for", "in", "of", "on", "or", "the", "to", "you", _EVERYTHING}
