"""How much the wording of an English sentence resembles sentences that steer their reader.

`steering_model.json` has a weight for words, pairs of neighbouring words, pairs with one word
between them, and for what the words mean (see `steering_languages.py`), trained by
`python -m bench.steering_model`. Names, addresses, numbers and words of the question are replaced
by signs: the weights are those of the wording, not of the subject.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby, pairwise

from daemon.analysis.note_words import key
from daemon.language.guess import guess
from daemon.research.steering_languages import features as meanings

MARK = "§"  # before a name that the question does not name
_NAME, _ADDRESS, _NUMBER, _ASKED, _START, _END = "§", "@", "#", "~", "^", "$"
_NAMES = frozenset((_NAME, _ADDRESS))
_NAMELESS = 1.0
_MEANING = "="  # before a meaning, or a pair of them
_TOKEN = re.compile(r"https?://\S+|§*\w[\w'’.-]*|[:;!?—→]")
_WHERE = re.compile(r"https?:|www\.|[\w-]+\.[a-z]{2,}")


@dataclass(frozen=True, slots=True)
class _Table:
    """`likely` is the score from which a rule of `steering.toml` counts."""

    weights: Mapping[str, float]
    threshold: float
    likely: float


def resembles(sentence: str, text: str, terms: Collection[str]) -> bool:
    """Return whether a sentence is worded like steering ones; `text` is its form with marked names.

    `terms` are the keys of the question. A sentence in another language is not.
    """
    return is_english(text) and wording(sentence, text, terms) >= _table().threshold


def may_steer(sentence: str, text: str, terms: Collection[str]) -> bool:
    """Return whether the wording leaves a rule its say; it does in other languages than English."""
    return not is_english(text) or wording(sentence, text, terms) >= _table().likely


def wording(sentence: str, text: str, terms: Collection[str]) -> float:
    """Return the score of a sentence; higher for steering ones. `text` has its names marked."""
    return score(features(sentence, text, terms), _table().weights)


def score(found: Collection[str], weights: Mapping[str, float]) -> float:
    """Sum the weights of features; less without a name or address that the question lacks."""
    total = sum(weights.get(each, 0.0) for each in sorted(found))
    return total - (_NAMELESS if _NAMES.isdisjoint(found) else 0.0)


def is_english(text: str) -> bool:
    """Return whether a folded sentence with its names marked is English."""
    return guess(text.replace(MARK, "")) == "en"


def features(sentence: str, text: str, terms: Collection[str]) -> frozenset[str]:
    """Return the words, pairs of words and meanings of a sentence; `text` has its names marked."""
    signs = [_START, *(sign for sign, _ in groupby(_signs(text, terms))), _END]
    pairs = (f"{one} {other}" for one, other in pairwise(signs))
    apart = (f"{one} * {other}" for one, other in zip(signs, signs[2:], strict=False))
    meant = (f"{_MEANING}{each}" for each in meanings(sentence, terms, "en"))
    return frozenset((*signs, *pairs, *apart, *meant))


def _signs(text: str, terms: Collection[str]) -> Iterator[str]:
    for found in _TOKEN.finditer(text):
        word = found[0].rstrip(".")
        if word.startswith(MARK):
            yield _NAME
        elif _WHERE.match(word):
            yield _ADDRESS
        elif word[0].isdigit():
            yield _NUMBER
        else:
            yield _ASKED if key(word) in terms else word


@cache
def _table() -> _Table:
    found = json.loads(files(__package__).joinpath("steering_model.json").read_text("utf-8"))
    return _Table(found["weights"], found["threshold"], found["likely"])
