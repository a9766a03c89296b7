"""Is every sentence that a model wrote supported by what it cites? Rules first, then a model.

A sentence must restate a citation in its words and their order, with its numbers and names. It must
not reverse its citations, answer a question that they only ask, or be surer than they are, and the
cross-encoder must find that one is about the same. What fails is removed.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from daemon.language.stems import stem
from daemon.language.stop_words import is_significant
from daemon.language.words import segments
from daemon.models.personas import is_of_conversation
from daemon.models.restating import drops_limit, share_in_order
from daemon.research.quotable import is_biased, keys_in
from daemon.research.stance import Relation, Stance

# Both are chosen on labelled sentences (`make bench support`); see docs/models.md.
MIN_IN_ORDER = 1.0  # of a sentence's words: as many must be in one citation, in its order
MIN_LOGIT = 0.0  # of the cross-encoder: the best citation of the sentence
MIN_SUPPORT = 0.3  # of a sentence's words: a citation with fewer is no citation of it
MIN_LENGTH = 20  # characters of a sentence that says something
_FIRST_PERSON = "it speaks in the first person"
_STEERS = "it steers its reader, or addresses a machine"
_OF_CONVERSATION = "it is part of a conversation with a machine"
SPEAKS = frozenset({_FIRST_PERSON, _STEERS, _OF_CONVERSATION})  # what is next to it is not kept
# Closing signs and the figures of references may follow.
_ENDS = re.compile(r"[.!?…。．｡！？।॥؟۔][\s\"'“”‘’«»‹›)\]）］」』】》\d,–-]*$")
# Of one person: papers say "we", and write of phase I.
_SPEAKS = re.compile(
    r"\bI['’](?:m|ll|ve|d)\b|\bI (?:am|will|won|would|have|need|want|can|know|think|believe)\b"
)
# Nothing is above a sentence in a note: such words refer to the page, or to the prompt.
_ITS_PAGE = re.compile(
    r"\b(?:sentences?|statements?|lines?|paragraphs?|passages?|text) (?:above|below)\b|\b(?:above"
    r"|preceding|previous|following) (?:sentence|statement|line|paragraph|passage|text)s?\b",
    re.IGNORECASE,
)
_AIM = (
    r"(?:explore|determine|assess|evaluate|examine|investigate|compare|test|study|describe"
    r"|identify|analy[sz]e|find out|clarify|review|establish|report|present|measure)"
)
# "To determine whether …." is half a sentence: no clause with a verb follows or precedes a comma.
_VERB = r"\b(?:is|are|was|were|has|have|had|we|did|does)\b"
_ONLY_AIM = re.compile(rf"^(?:in order )?to {_AIM}\b(?!.*(?:{_VERB}.*,|,.*{_VERB}))", re.IGNORECASE)
_NO_STATEMENTS = (
    (_SPEAKS, _FIRST_PERSON),
    (_ITS_PAGE, "it refers to the text around it"),
    (_ONLY_AIM, "it states an aim, and nothing else"),
)
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
# What a text only asks, plans or doubts, it does not state.
_ASKS = re.compile(
    rf"\bto {_AIM}\b"
    r"|\b(?:aim(?:s|ed)?|objectives?|purpose|goals?|whether|hypothes\w+|debated?|unclear|unknown"
    r"|uncertain|controvers\w+|remains? to|asked|questions?)\b|\?",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:may|might|could|can|possibl[ey]|perhaps|probabl[ey]|likely|suggest\w*|appear\w*|seem\w*"
    r"|indicat\w+|potential\w*|tend\w*|some|often|believed|thought|expected|estimated|rarely"
    r"|sometimes|up to|about|around|approximately|nearly|almost|at least)\b",
    re.IGNORECASE,
)
Scorer = Callable[[str, Sequence[str]], Sequence[float] | None]  # sentence, texts → logits


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that a model wrote, the texts that it cites, and the others that were given."""

    text: str
    cited: tuple[str, ...]
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """What a text is about: the question, and the titles of the sources."""

    question: str
    titles: tuple[str, ...] = ()


def why_removed(claim: Claim, given: Given, scorer: Scorer) -> str:
    """Return why a sentence is not kept, or ""."""
    if why := _no_statement(claim):
        return why
    if _turns_round(claim):
        return "it says the opposite of what it cites"
    if why := _spoken(claim, given):
        return why
    if why := _overstated(claim, given) or _foreign(claim):
        return why
    if _is_elsewhere(claim, given):
        return "it has no word in common with the question or the other sentences"
    return _unsupported(claim, scorer)


def _spoken(claim: Claim, given: Given) -> str:
    """Return why a sentence speaks to somebody instead of stating something, or ""."""
    if is_biased(claim.text, keys_in(given.question)):
        return _STEERS
    subject = " ".join([given.question, *given.titles])
    return _OF_CONVERSATION if is_of_conversation(claim.text, subject) else ""


def related_to(given: Given, texts: Sequence[str]) -> list[str]:
    """Return the texts that have a word in common with the question or a title, or with another one
    that is returned: an attack of two sentences does not make either of them one on the subject.
    """
    known = _stems(" ".join([given.question, *given.titles]))
    left, related = {text: _stems(text) for text in texts}, list[str]()
    while found := [text for text, stems in left.items() if stems & known]:
        known.update(*(left.pop(text) for text in found))
        related += found
    return related


def _no_statement(claim: Claim) -> str:
    """Return why a sentence states nothing that it could be checked for."""
    if len(claim.text) < MIN_LENGTH:
        return "it says too little"
    if claim.text.endswith(("?", "？")):
        return "it asks and states nothing"
    if not _ENDS.search(claim.text):
        return "it breaks off"
    for pattern, why in _NO_STATEMENTS:
        if pattern.search(claim.text):
            return why
    return "" if claim.cited else "it cites nothing"


def _is_elsewhere(claim: Claim, given: Given) -> bool:
    """Whether a sentence is on another subject, as what was put into a page often is."""
    texts = [given.question, *given.titles, *claim.others]
    return bool(given.question) and not _stems(claim.text) & _stems(" ".join(texts))


def _foreign(claim: Claim) -> str:
    """Return what a sentence adds to its citations, or drops from them, in words, or ""."""
    text = " ".join(claim.cited)
    if missing := _missing(_numbers(claim.text), _numbers(text)):
        return f"the number {missing} is not in what it cites"
    if missing := _missing(_names(claim.text), _folded(text)):
        return f"the name {missing} is not in what it cites"
    restated = [each for each in claim.cited if share_in_order(claim.text, each) >= MIN_IN_ORDER]
    if not restated:
        return "no citation has its words in this order"
    if all(drops_limit(claim.text, each) for each in restated):
        return "it drops what limits its citation"
    return ""


def _overstated(claim: Claim, given: Given) -> str:
    """Return how a sentence is more certain than what it cites."""
    claimed, cited = _stems(claim.text), _stems(" ".join(claim.cited))
    if claimed <= _stems(given.question) and not claimed <= cited:
        return "it only repeats the question"
    if not _ASKS.search(claim.text) and all(map(_ASKS.search, claim.cited)):
        return "its citation only asks this question"
    for each in claim.cited:
        is_its = len(claimed & _stems(each)) * 2 > len(claimed)
        if is_its and _DOUBTS.search(each) and not _DOUBTS.search(claim.text):
            return "it is more certain than its citation"
    return ""


def _unsupported(claim: Claim, scorer: Scorer) -> str:
    scores = scorer(claim.text, claim.cited)
    if scores is not None and max(scores) < MIN_LOGIT:
        return "what it cites does not support it"
    return ""


def shared(sentence: str, text: str) -> float:
    """Return the share of a sentence's significant words that occur in a text, by their stems."""
    wanted = _stems(sentence)
    return len(wanted & _stems(text)) / len(wanted) if wanted else 0.0


def _turns_round(claim: Claim) -> bool:
    """Return whether a sentence contradicts a citation, or negates what none of them negates."""
    stance = Stance(claim.text)
    if any(stance.relation(Stance(each)) is Relation.OPPOSED for each in claim.cited):
        return True
    text = " ".join(claim.cited)
    for one, other in ((_UP, _DOWN), (_DOWN, _UP)):
        if one.search(claim.text) and not one.search(text) and other.search(text):
            return True
    return bool(_NEGATION.search(claim.text)) and not _NEGATION.search(text)


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
    return {stem(word) for word in segments(text.casefold()) if is_significant(word)}
