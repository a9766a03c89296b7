"""Words of queries and passages, and how well a passage answers a query."""

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from daemon.language.guess import guess, languages_of
from daemon.language.scripts import HANGUL, LATIN, SPACELESS
from daemon.language.stems import stem
from daemon.language.stop_words import is_stop_word, stop_words
from daemon.language.words import words
from daemon.ports import Vectors

_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(f"[{SPACELESS}{HANGUL}]+")
_OPERATORS = frozenset({"and", "or", "not", "andnot"})
K1 = 1.2
B = 0.6


def terms(query: str, most: int = 12) -> list[str]:
    """Return the words to search for: without the query's operators, prefixes and quotes.

    Hyphens split words, as in most indexes; short words such as `of` are removed.
    """
    words = [word.lower() for word in _WORD.findall(query)]
    grammar = stop_words("en") | _OPERATORS | stop_words(guess(query))
    significant = [
        word for word in words if word not in grammar and (len(word) > 1 or word.isdigit())
    ]
    return list(dict.fromkeys(significant or words))[:most]


def stems(text: str, language: str = "") -> list[str]:
    """Return words in comparable form: folded, stemmed, without stop words.

    `language` is that of the words in Latin and Cyrillic script; English or Russian by default.
    """
    found: list[str] = []
    for word in words(text.casefold()):
        if _CJK.match(word):
            found += _pairs(word)
        elif not is_stop_word(word, language):
            found += [stem(part, language) for part in _WORD.findall(word)]
    return found


def _pairs(word: str) -> list[str]:
    """Split a run without spaces into overlapping pairs of characters."""
    return [word[at : at + 2] for at in range(max(1, len(word) - 1))]


class WordIndex:
    """BM25 over passages, and how much of a query each of them covers."""

    def __init__(self, passages: Sequence[str]) -> None:
        languages = languages_of(passages).get(LATIN, ())
        self._language = languages[0] if languages else ""
        self._counts = [Counter(stems(passage, self._language)) for passage in passages]
        self._lengths = np.array([count.total() for count in self._counts], dtype=np.float32)
        self._mean = float(self._lengths.mean()) if passages else 1.0
        self._spread = Counter(word for count in self._counts for word in count)

    def score(self, question: str) -> tuple[Vectors, Vectors]:
        """Return `(n,)` BM25 scores and `(n,)` coverages.

        Coverage is the share, weighted by rarity, of the query's words that the passage contains:
        words that no passage contains count too, so that an unrelated query scores low.
        """
        asked = list(dict.fromkeys(stems(question, self._language)))
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
