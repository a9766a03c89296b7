"""Texts that check a claim: the verdict on it, which has to stand beside the claim. Pure."""

import re
from collections.abc import Iterable

from daemon.asking.statements import Passage

_VERDICT = re.compile(
    r"^[ \t#*_>]*(?P<label>(?:our |final )?(?:rating|ruling|verdict)"
    r"|fact[ -]check(?: rating)?)\b[ \t*_]*"
    r"(?::[ \t*_]*|\n+[ \t#*_>]*)(?P<said>(?:mostly |partly |partially |half[ -])?(?:true"
    r"|false)|unproven"
    r"|mixture|mixed|misleading|pants on fire|legend|outdated|satire|hoax|unfounded|unsupported"
    r"|no evidence|miscaptioned|labeled satire|scam|four pinocchios)\b",
    re.IGNORECASE | re.MULTILINE,
)
_CHECKS = re.compile(r"fact[ -]?check|polygraph|snopes|politifact|full ?fact|debunk", re.IGNORECASE)
_TRUE = "true"


def verdict_in(passages: Iterable[Passage]) -> str:
    """Return the verdict that a note gives on a claim, as "Rating: Unproven", or ""."""
    text = "\n\n".join(f"{each.heading}\n\n{each.text}" for each in passages)
    found = _VERDICT.search(text)
    return f"{found['label'].capitalize()}: {found['said']}" if found else ""


def rejects(verdict: str) -> bool:
    """Return whether a verdict calls a claim anything but true."""
    is_one = _VERDICT.match(verdict) is not None
    return is_one and not verdict.casefold().endswith(f": {_TRUE}")


def checks_claims(*names: str) -> bool:
    """Return whether a document, by its address or title, checks what others claim: what it quotes
    may be false.
    """
    return any(_CHECKS.search(each) for each in names)
