"""The sides of a comparison. Most statements are about one of them. The rules are for English."""

import re
from collections.abc import Sequence

from daemon.asking.statements import Passage, Statement
from daemon.research.bm25 import terms

Sides = Sequence[Sequence[str]]
"""The words of each side."""

_BETWEEN = re.compile(
    r"\b(?:or|vs\.?|versus|compared (?:to|with)|rather than|instead of|as opposed to"
    r"|(?:better|worse) than)\b",
    re.IGNORECASE,
)
# "and" joins two sides only after such a word.
_BOTH = re.compile(
    r"\b(?:between|both|compare|differ\w*|relat\w+|connect\w*|agree|disagree|contrast)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\b(?:and|with|to|from)\b", re.IGNORECASE)
_COMMON = re.compile(r"[,;:?]|\b(?:for|in|when|if|on|at|during|as|given|because)\b", re.IGNORECASE)
_BEGIN = re.compile(r".*\b(?:between|both|compare)\b", re.IGNORECASE)


def sides_of(question: str) -> tuple[str, str] | None:
    """Return the two sides that a question compares, as they are written; None for no comparison.

    What follows both, such as "for small teams", belongs to neither.
    """
    found = _BETWEEN.search(question)
    if found is None and _BOTH.search(question):
        found = _AND.search(question)
    if found is None:
        return None
    left = _BEGIN.sub("", question[: found.start()])
    right = _COMMON.split(question[found.end() :].strip(), maxsplit=1)[0]
    return (left, right) if left.strip() and right.strip() else None


def names_both(passages: Sequence[Passage], sides: Sides) -> bool:
    """Return whether passages have the words of both sides of a comparison."""
    known = {term for each in passages for term in terms(f"{each.name} {each.text}")}
    return bool(sides) and all(side <= known for side in _terms(sides))


def on_missing_sides(
    best: Sequence[Statement], compared: Sequence[Statement], sides: Sides
) -> list[Statement]:
    """Return the first statement on each side of a comparison that the best ones leave out."""
    every = _terms(sides)
    own = [side - set().union(*(each for each in every if each is not side)) for side in every]
    said = {term for each in best for term in terms(f"{each.passage.name} {each.text}")}
    found = (
        next((each for each in compared if side & set(terms(each.text))), None)
        for side in own
        if side and not side & said
    )
    return list(filter(None, found))


def _terms(sides: Sides) -> list[set[str]]:
    return [set(terms(" ".join(words))) for words in sides]
