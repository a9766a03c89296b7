"""Words of questions and passages, and how well the one answer to the other."""

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from daemon.ports import Vectors

STOP_WORDS = frozenset(
    """a about all also am among an and andnot any are as at be because been before being between
    both but by can could did do does doing during each for from further had has have having how i
    if in into is it its itself just me more most my no nor not of off on once only or other our
    out over own same should so some such than that the their them then there these they this those
    through to too under until up us use used using very via vs was we were what when where whether
    which while who whom whose why will with without would you your""".split()  # noqa: SIM905
)
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly", "e", "y")
_MIN_STEM = 3
K1 = 1.2
B = 0.6


def terms(query: str, most: int = 12) -> list[str]:
    """The words to search for: no operators, prefixes or quotes of the query's own survive.

    Hyphens part words, as most indexes do; short words such as `of` are left out.
    """
    words = [word.lower() for word in _WORD.findall(query)]
    telling = [
        word for word in words if word not in STOP_WORDS and (len(word) > 1 or word.isdigit())
    ]
    return list(dict.fromkeys(telling or words))[:most]


def stems(text: str) -> list[str]:
    """Words as they are compared: folded, without endings, without words that say nothing."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if _CJK.search(word):
            found += _pairs(word)
        elif word not in STOP_WORDS:
            found.append(_stem(word))
    return found


def _stem(word: str) -> str:
    """Cut an English ending; coarse, but the same for the question and the passage."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word.removesuffix(ending)
    return word


def _pairs(word: str) -> list[str]:
    """Split a run without spaces into overlapping pairs of characters."""
    return [word[at : at + 2] for at in range(max(1, len(word) - 1))]


class WordIndex:
    """BM25 over passages, and how much of a question each of them covers."""

    def __init__(self, passages: Sequence[str]) -> None:
        self._counts = [Counter(stems(passage)) for passage in passages]
        self._lengths = np.array([count.total() for count in self._counts], dtype=np.float32)
        self._mean = float(self._lengths.mean()) if passages else 1.0
        self._spread = Counter(word for count in self._counts for word in count)

    def score(self, question: str) -> tuple[Vectors, Vectors]:
        """Return `(n,)` BM25 scores and `(n,)` coverages.

        Coverage is the share, by rarity, of the question's words that the passage holds: words
        that no passage holds count too, so that a question about something else stays low.
        """
        asked = list(dict.fromkeys(stems(question)))
        scores = np.zeros(len(self._counts), dtype=np.float32)
        held = np.zeros(len(self._counts), dtype=np.float32)
        total = 0.0
        for word in asked:
            rarity = self._rarity(word)
            total += rarity
            times = np.array([count[word] for count in self._counts], dtype=np.float32)
            norm = times + K1 * (1 - B + B * self._lengths / max(self._mean, 1.0))
            scores += rarity * times * (K1 + 1) / norm
            held += rarity * (times > 0)
        return scores, held / total if total else held

    def _rarity(self, word: str) -> float:
        spread = self._spread[word]
        return math.log(1 + (len(self._counts) - spread + 0.5) / (spread + 0.5))
