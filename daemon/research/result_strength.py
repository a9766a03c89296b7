"""How much a sentence adds for an expert: figures, comparisons, limits."""

import re

_NUMBERS = (
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|hundred|thousand|million|half|third|quarter|twice|double"
)
# Figures, but no years, references or numbers within a name.
_FIGURE = re.compile(
    rf"(?<![\w\[(.-])(?!(?:19|20)\d\d\b)\d[\d.,]*(?![\w\])-])(?:\s?%)?|\b(?:{_NUMBERS})\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:(?:more|less|fewer|higher|lower|faster|slower|better|worse|larger|smaller|longer|shorter"
    r"|older|cheaper|rarer|likelier|earlier|later|superior|inferior)\b.{0,60}\bthan"
    r"|compared (?:with|to)"
    r"|rather than|instead of|as (?:well|much|many|often|fast|good) as|narrows?|doubl(?:es|ed)"
    r"|(?:increas|decreas|reduc|improv)(?:es|ed)|outperform\w*|associated with|correlat\w+"
    r"|mostly|mainly|chiefly|usually|rare(?:ly)?|unlike|whereas)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:no (?:\w+ )?(?:difference|effect|evidence|association|benefit|longer|fixed|need)"
    r"|(?:did|does|do|is|are|was|were|has|have|can|could|should|need) ?n[o']t|cannot|never|nor"
    r"|neither|fails?|failed|without)\b",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"\b(?:only|unless|at (?:most|least)|up to|until|no later|except|must|requires?|because"
    r"|note that|beware|careful|caution"
    r"|provided that|even (?:if|when|though)|depends? on|in (?:damp|dry|cold|hot)\b)\b",
    re.IGNORECASE,
)
_KINDS = (_COMPARES, _DENIES, _LIMITS)


def result_strength(sentence: str) -> int:
    """Return from 0 to 5 how many kinds of results a sentence has; figures count up to twice."""
    figures = min(len(_FIGURE.findall(sentence)), 2)
    return figures + sum(kind.search(sentence) is not None for kind in _KINDS)


def is_qualified(sentence: str) -> bool:
    """Return whether a sentence names a difference, a denial or a limit."""
    return any(kind.search(sentence) for kind in _KINDS)
