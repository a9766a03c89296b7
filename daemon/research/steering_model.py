"""How much the wording of an English sentence resembles sentences that steer their reader.

`steering_model.json` has a weight for words, pairs of neighbouring words, and pairs with one word
between them, trained by `python -m bench.steering_model`. Names, addresses, numbers and words of
the question are replaced by signs: the weights are those of the wording, not of the subject.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import groupby, pairwise

from daemon.analysis.note_words import key
from daemon.language.guess import guess

MARK = "§"  # before a name that the question does not name
_NAME, _ADDRESS, _NUMBER, _ASKED, _START, _END = "§", "@", "#", "~", "^", "$"
_NAMES = frozenset((_NAME, _ADDRESS))
_NAMELESS = 1.0
_TOKEN = re.compile(r"https?://\S+|§*\w[\w'’.-]*|[:;!?—→]")
_WHERE = re.compile(r"https?:|www\.|[\w-]+\.[a-z]{2,}")


def resembles(text: str, terms: Collection[str]) -> bool:
    """Return whether a folded sentence, with its names marked, is worded like steering ones.

    `terms` are the keys of the question. A sentence in another language is not.
    """
    return wording(text, terms) >= _table()[1] and is_english(text)


def wording(text: str, terms: Collection[str]) -> float:
    """Return the score of a folded sentence with its names marked; higher for steering ones."""
    return score(features(text, terms), _table()[0])


def score(found: Collection[str], weights: Mapping[str, float]) -> float:
    """Sum the weights of features; less without a name or address that the question lacks."""
    total = sum(weights.get(each, 0.0) for each in sorted(found))
    return total - (_NAMELESS if _NAMES.isdisjoint(found) else 0.0)


def is_english(text: str) -> bool:
    """Return whether a folded sentence with its names marked is English."""
    return guess(text.replace(MARK, "")) == "en"


def features(text: str, terms: Collection[str]) -> frozenset[str]:
    """Return the words and pairs of words of a folded sentence with its names marked."""
    signs = [_START, *(sign for sign, _ in groupby(_signs(text, terms))), _END]
    pairs = (f"{one} {other}" for one, other in pairwise(signs))
    apart = (f"{one} * {other}" for one, other in zip(signs, signs[2:], strict=False))
    return frozenset((*signs, *pairs, *apart))


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
def _table() -> tuple[dict[str, float], float]:
    table = json.loads(files(__package__).joinpath("steering_model.json").read_text("utf-8"))
    return table["weights"], float(table["threshold"])
