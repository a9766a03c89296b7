"""Sentences made from a sentence by fixed edits: some still say the same, others do not.

Edits depend on the text alone: the same sentence gives the same ones.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from daemon.language.stop_words import is_significant

_ASIDE = re.compile(r"\s*\((?![^)]*\d)[^()]{3,}\)")
_OPENING = re.compile(
    r"^(?:However|Moreover|Furthermore|In conclusion|In addition|Therefore|Thus|Additionally"
    r"|Interestingly|Overall|Finally|In summary|Conversely|In contrast), (?=\w)"
)
_PHRASE = re.compile(
    r"^((?:In|Among|After|During|At|For|With|Of|On|By) [^,.;:()]{5,60}), (\w[^;:]*)\.$"
)
_SAME = {
    "demonstrated": "showed",
    "showed": "demonstrated",
    "assessed": "evaluated",
    "evaluated": "assessed",
    "examined": "studied",
    "investigated": "examined",
    "performed": "carried out",
    "obtained": "gathered",
    "required": "needed",
    "physicians": "doctors",
    "individuals": "people",
    "children": "young people",
    "utilized": "used",
    "revealed": "showed",
    "identified": "found",
    "enrolled": "included",
    "commonly": "often",
    "frequently": "often",
    "additional": "further",
    "greater": "larger",
    "purchase": "buy",
    "begin": "start",
    "started": "began",
    "choose": "select",
    "company": "firm",
    "large": "big",
    "small": "little",
    "method": "technique",
    "illness": "disease",
    "results": "findings",
    "following": "after",
}
_OPPOSITE = {
    "increased": "decreased",
    "decreased": "increased",
    "increase": "decrease",
    "decrease": "increase",
    "higher": "lower",
    "lower": "higher",
    "more": "less",
    "greater": "smaller",
    "improved": "worsened",
    "reduced": "raised",
    "better": "worse",
    "positive": "negative",
    "negative": "positive",
    "before": "after",
    "after": "before",
    "early": "late",
    "most": "few",
    "always": "never",
    "high": "low",
    "low": "high",
    "first": "last",
    "men": "women",
    "women": "men",
    "male": "female",
    "female": "male",
    "left": "right",
    "common": "rare",
    "significantly": "slightly",
}
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|has|have|had|did|does|can|may|should|will|must|could|would)\b"
)
_LIMIT = re.compile(
    r"\b(?:only|most|some|few|rarely|partially|possibly|may|mostly|sometimes) ", re.I
)
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:\.\d+)?(?![\w,-]|\.\d)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")
_WORD = re.compile(r"\b[a-z]{5,}\b")
_JOINED = re.compile(r"^\s*(?:,|and|or|,\s*and|,\s*or|vs\.?|versus|/|-)\s*$")
_ENDINGS = ("tion", "ing", "ity", "ed", "ly", "al", "ic", "es", "s", "e")
_MAX_SUBJECT = 9  # words


@dataclass(frozen=True, slots=True)
class Altered:
    """A sentence made from another one, and by which edit."""

    edit: str
    text: str


def same(sentence: str) -> Iterator[Altered]:
    """Yield sentences that the one given supports."""
    yield Altered("as it is", sentence)
    yield Altered("reported", f"The authors report that {_lowered(sentence)}")
    edits: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("without an aside", lambda text: _ASIDE.sub("", text)),
        ("without its opening", lambda text: _raised(_OPENING.sub("", text))),
        ("in another order", _reordered),
        ("with synonyms", lambda text: _replaced(text, _SAME, 2)),
    )
    for edit, change in edits:
        if (text := change(sentence)) != sentence:
            yield Altered(edit, text)


def other(sentence: str, passage: Sequence[str], names: Sequence[str]) -> Iterator[Altered]:
    """Yield sentences that the one given does not support.

    `passage` are the other sentences around it, and `names` come from elsewhere.
    """
    chance = Random(sentence)
    edits: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("another number", lambda text: _renumbered(text, chance)),
        ("another name", lambda text: _renamed(text, names, chance)),
        ("negated", _negated),
        ("the opposite", lambda text: _replaced(text, _OPPOSITE, 1)),
        ("another subject", lambda text: _resubjected(text, passage, chance)),
        ("another word", lambda text: _reworded(text, passage, chance)),
        ("words exchanged", lambda text: _exchanged(text, chance)),
        ("a limit dropped", _unlimited),
    )
    for edit, change in edits:
        if (text := change(sentence)) != sentence:
            yield Altered(edit, text)
    if passage:
        yield Altered("another sentence", chance.choice(passage))


def names_in(text: str) -> list[str]:
    """Return the names in a text that do not begin a sentence."""
    return sorted(set(_NAME.findall(text)))


def _lowered(text: str) -> str:
    first = text.split(maxsplit=1)[0]
    return text[:1].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text


def _raised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _reordered(text: str) -> str:
    found = _PHRASE.match(text)
    if found is None:
        return text
    phrase, rest = found.groups()
    return f"{_raised(rest)} {_lowered(phrase)}."


def _replaced(text: str, words: dict[str, str], most: int) -> str:
    pattern = re.compile(rf"\b(?:{'|'.join(words)})\b")
    return pattern.sub(lambda found: words[found.group()], text, count=most)


def _renumbered(text: str, chance: Random) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    one = chance.choice(found)
    whole, dot, rest = one.group().partition(".")
    number = f"{int(whole) + chance.choice((1, 2, 3, 10))}{dot}{rest}"
    return text[: one.start()] + number + text[one.end() :]


def _renamed(text: str, names: Sequence[str], chance: Random) -> str:
    found, strange = list(_NAME.finditer(text)), [each for each in names if each not in text]
    if not found or not strange:
        return text
    one = chance.choice(found)
    return text[: one.start()] + chance.choice(strange) + text[one.end() :]


def _negated(text: str) -> str:
    if " not " in text:
        return text.replace(" not ", " ", 1)
    return _AUXILIARY.sub(lambda found: f"{found.group()} not", text, count=1)


def _unlimited(text: str) -> str:
    found = _LIMIT.search(text)
    return _raised(text[: found.start()] + text[found.end() :]) if found else text


def _resubjected(text: str, passage: Sequence[str], chance: Random) -> str:
    own = _subject(text)
    others = [each for each in map(_subject, passage) if each and each != own]
    return chance.choice(others) + text[len(own) :] if own and others else text


def _subject(text: str) -> str:
    found = _AUXILIARY.search(text)
    subject = text[: found.start()].rstrip() if found else ""
    telling = any(is_significant(word) for word in re.findall(r"[a-z]+", subject.casefold()))
    return subject if telling and len(subject.split()) <= _MAX_SUBJECT else ""


def _reworded(text: str, passage: Sequence[str], chance: Random) -> str:
    own = _telling(text)
    chance.shuffle(own)
    strange = [each.group() for one in passage for each in _telling(one)]
    for one in own:
        like = [each for each in strange if _kind(each) == _kind(one.group())]
        like = [each for each in like if each[:4] not in text]
        if like:
            return text[: one.start()] + chance.choice(like) + text[one.end() :]
    return text


def _exchanged(text: str, chance: Random) -> str:
    """Let two words of a kind change places, unless they are joined by "and" or a comma."""
    own = _telling(text)
    pairs = [
        (one, two)
        for at, one in enumerate(own)
        for two in own[at + 1 :]
        if _kind(one.group()) == _kind(two.group())
        and one.group()[:4] != two.group()[:4]
        and not _JOINED.match(text[one.end() : two.start()])
    ]
    if not pairs:
        return text
    one, two = chance.choice(pairs)
    middle = text[one.end() : two.start()]
    return text[: one.start()] + two.group() + middle + one.group() + text[two.end() :]


def _telling(text: str) -> list[re.Match[str]]:
    return [each for each in _WORD.finditer(text) if is_significant(each.group())]


def _kind(word: str) -> str:
    return next((each for each in _ENDINGS if word.endswith(each)), "")
