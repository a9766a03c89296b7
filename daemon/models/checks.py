"""Is every sentence that a model wrote borne out by what it cites? Rules first, then a model.

Numbers, names and most words of a sentence must occur in its citations, it must not turn them
round, and the cross-encoder must find that they answer it. What fails is removed.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from daemon.language.stems import stem
from daemon.language.stop_words import is_telling
from daemon.language.words import segments
from daemon.research.stance import Relation, Stance

# Of a sentence's telling words, this share must occur in its citations; see docs/models.md.
MIN_SHARED = 0.6
MIN_LOGIT = 0.0  # of the cross-encoder: the best citation of the sentence
MIN_LENGTH = 20  # characters of a sentence that says something
MAX_CITED = 4
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w-]*[a-z\d][\w-]*|\b[A-Z]{2,}\w*")
_NUMBER_WORDS = frozenset(
    (
        *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
        *("twelve", "twenty", "thirty", "forty", "fifty", "hundred", "thousand", "million"),
        *("billion", "half", "twice", "double"),
    )
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|cannot|fails? to|failed to|lacks?)\b|n['’]t\b",
    re.IGNORECASE,
)
_UP = re.compile(
    r"\b(?:increas|rais|rise|rising|rose|grow|grew|higher|more|improv|gain|better|faster|longer)\w*",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:decreas|reduc|lower|fall|fell|drop|declin|less|fewer|worse|slower|shorter|lost|loss)\w*",
    re.IGNORECASE,
)
Scorer = Callable[[str, Sequence[str]], Sequence[float] | None]  # sentence, texts → logits


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that a model wrote, and the texts that it cites."""

    text: str
    cited: tuple[str, ...]


def why_removed(claim: Claim, given: str, scorer: Scorer) -> str:
    """Return why a sentence is not kept, or "". `given` is the question and the sources' titles."""
    if len(claim.text) < MIN_LENGTH:
        return "it says too little"
    if not claim.cited:
        return "it cites nothing"
    return _foreign(claim, given) or _unsupported(claim, scorer)


def _foreign(claim: Claim, given: str) -> str:
    """Return what of a sentence occurs in none of its citations."""
    text = " ".join(claim.cited)
    if missing := _missing(_numbers(claim.text), _numbers(text)):
        return f"the number {missing} is not in what it cites"
    if missing := _missing(_names(claim.text), _folded(f"{text} {given}")):
        return f"the name {missing} is not in what it cites"
    if shared(claim.text, text) < MIN_SHARED:
        return "too few of its words are in what it cites"
    return ""


def _unsupported(claim: Claim, scorer: Scorer) -> str:
    if _turns_round(claim):
        return "it says the opposite of what it cites"
    scores = scorer(claim.text, claim.cited)
    if scores is not None and max(scores) < MIN_LOGIT:
        return "what it cites does not support it"
    return ""


def shared(sentence: str, text: str) -> float:
    """Return the share of a sentence's telling words that occur in a text, by their stems."""
    wanted = _stems(sentence)
    return len(wanted & _stems(text)) / len(wanted) if wanted else 0.0


def _turns_round(claim: Claim) -> bool:
    """Whether a sentence contradicts a citation, or has a "not" more or less than all of them."""
    stance = Stance(claim.text)
    if any(stance.relation(Stance(each)) is Relation.OPPOSED for each in claim.cited):
        return True
    text = " ".join(claim.cited)
    for one, other in ((_UP, _DOWN), (_DOWN, _UP)):
        if one.search(claim.text) and not one.search(text) and other.search(text):
            return True
    is_negated = bool(_NEGATION.search(claim.text))
    return all(bool(_NEGATION.search(each)) != is_negated for each in claim.cited)


def _numbers(text: str) -> set[str]:
    digits = {each.replace(",", "").rstrip(".") for each in _NUMBER.findall(text)}
    return digits | {word for word in _folded(text) if word in _NUMBER_WORDS}


def _names(text: str) -> set[str]:
    return {name.casefold() for name in _NAME.findall(text)}


def _missing(wanted: set[str], there: set[str]) -> str:
    return next(iter(sorted(wanted - there)), "")


def _folded(text: str) -> set[str]:
    words = {word.casefold() for word in re.findall(r"[\w-]+", text)}
    return words | {part for word in words for part in word.split("-")}


def _stems(text: str) -> set[str]:
    return {stem(word) for word in segments(text.casefold()) if is_telling(word)}
