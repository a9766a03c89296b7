"""Does a sentence restate a text: in its words and their order, with the limits of each clause?

A sentence may drop words, move one phrase to its other end, and begin with who reports it. "Not",
"only" or "most" may be dropped only with their whole clause.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from daemon.language.stems import stem
from daemon.language.words import segments

_CLAUSE = re.compile(r"[,;:()\[\]–—…“”\"]|(?<=\s)-(?=\s)|[.!?](?=\s|$)")
# Words that a sentence may add: the order of all others keeps its meaning.
_FREE = frozenset(
    (
        *("a", "an", "the", "this", "that", "these", "those", "it", "its", "their", "there"),
        *("which", "who", "also", "and", "however", "therefore", "thus", "overall"),
        *("is", "are", "was", "were", "be", "been", "being", "has", "have", "had"),
        *("of", "in", "for", "with", "on", "at", "as"),
    )
)
# Without these, what is left of a clause says more than all of it, or the opposite.
_LIMITS = frozenset(
    (
        *("not", "no", "never", "none", "nor", "neither", "without", "cannot", "except", "unless"),
        *("only", "rarely", "seldom", "hardly", "barely", "scarcely", "few", "little", "less"),
        *("failed", "fails", "lacked", "lacks", "if", "until", "most", "many", "several", "some"),
        *("half", "partly", "partially", "slightly", "instead", "rather", "against", "than"),
        *("may", "might", "could", "possibly", "perhaps", "probably", "likely", "sometimes"),
    )
)
_SAME = {
    word: group[0]
    for group in (
        ("we", "our", "author", "authors", "researchers", "investigators"),
        ("showed", "shown", "shows", "demonstrated", "revealed", "found", "observed", "reported"),
        ("assessed", "evaluated", "examined", "investigated", "studied", "analysed", "analyzed"),
        ("performed", "conducted", "carried"),
        ("obtained", "gathered", "collected"),
        ("used", "utilised", "utilized", "employed"),
    )
    for word in group
}
_REPORTER = (
    r"(?:authors?|stud(?:y|ies)|researchers|trials?|reviews?|papers?|articles?|surveys?|results?"
    r"|findings?|reports?|data|sources?|text|we|they|analys[ei]s)"
)
_SAYS = (
    r"(?:found|finds?|report(?:s|ed)?|show(?:s|ed)?|states?|stated|observe[sd]?|conclude[sd]?"
    r"|says?|said|note[sd]?|describe[sd]?)"
)
_REPORTING = re.compile(
    r"(?:in (?:this|the|one) [a-z]+, )?(?:(?:the|this|these|one|an?|our) )?(?:[a-z]+ )?"
    rf"{_REPORTER} (?:have |has |also )?{_SAYS} that ",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a text, by its stem, and the number of its clause."""

    stem: str
    clause: int
    is_limit: bool


def share_in_order(sentence: str, text: str) -> float:
    """Return the share of a sentence's words that a text has in the same order.

    One phrase may have been moved to the other end.
    """
    wanted, there = _wanted(sentence), [each.stem for each in _words(text)]
    most = max((_common(each, there) for each in _turns(wanted)), default=0)
    return most / len(wanted) if wanted else 0.0


def drops_limit(sentence: str, text: str) -> bool:
    """Return whether a sentence drops a word that limits it; all its words are in the text.

    A word that occurs twice may stand for either: each way is tried.
    """
    there = list(_words(text))
    ways = [way for each in _turns(_wanted(sentence)) for way in _placed(each, there)]
    return bool(ways) and all(_limit_is_missing(way, there) for way in ways)


def _limit_is_missing(places: set[int], there: Sequence[_Word]) -> bool:
    used = {there[place].clause for place in places}
    return any(
        word.is_limit and word.clause in used and place not in places
        for place, word in enumerate(there)
    )


def _wanted(sentence: str) -> list[str]:
    reporting = _REPORTING.match(sentence)
    own = sentence[reporting.end() :] if reporting else sentence
    return [each.stem for each in _words(own) if each.stem not in _FREE]


def _words(text: str) -> Iterator[_Word]:
    for clause, part in enumerate(_CLAUSE.split(text)):
        for word in segments(part.casefold().replace("’", "'")):
            own = "not" if word.endswith("n't") else _SAME.get(word, word)
            is_plain = own in _FREE or own in _LIMITS
            yield _Word(own if is_plain else stem(own), clause, own in _LIMITS)


def _turns(words: list[str]) -> Iterator[list[str]]:
    """Yield words in their order, then with their first ones moved to the end."""
    for at in range(len(words)):
        yield [*words[at:], *words[:at]]


def _placed(words: Sequence[str], there: Sequence[_Word]) -> Iterator[set[int]]:
    """Yield places of all words in a text, the first ones and the last ones, if they are there."""
    last = len(there) - 1
    if (first := _first_places(words, there)) is not None:
        yield first
    if (found := _first_places(words[::-1], there[::-1])) is not None:
        yield {last - place for place in found}


def _first_places(words: Sequence[str], there: Sequence[_Word]) -> set[int] | None:
    found, at = set[int](), 0
    for word in words:
        while at < len(there) and there[at].stem != word:
            at += 1
        if at == len(there):
            return None
        found.add(at)
        at += 1
    return found


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for mine in one:
        before = 0
        for at, theirs in enumerate(other, start=1):
            above = row[at]
            row[at] = before + 1 if mine == theirs else max(above, row[at - 1])
            before = above
    return row[-1]
