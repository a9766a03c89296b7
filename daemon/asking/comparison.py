"""The sides of a comparison. Most statements are about one of them. The rules are for English."""

import re

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
