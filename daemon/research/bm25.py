"""Rank by words: BM25, and how much of a query a text covers."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from daemon.language.stems import stem
from daemon.language.stop_words import is_stop_word
from daemon.language.words import segments
from daemon.model.arrays import np
from daemon.ports import Vectors

if TYPE_CHECKING:
    import numpy.typing as npt

_K1, _B = 1.5, 0.75  # the usual parameters


def terms(text: str) -> list[str]:
    """Return the stems of a text's words, in order, without stop words."""
    return [stem(word) for word in segments(text) if not is_stop_word(word)]


def share_of(weights: Mapping[str, float], text: str) -> float:
    """Return the share of the weights whose terms a text has, from 0 to 1; 0 of no weights."""
    total = sum(weights.values()) or 1.0
    return sum(weights[each] for each in weights.keys() & set(terms(text))) / total


class Bm25:
    """An index of `n` texts, each given as its terms."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._size = len(texts)
        lengths = np.array([max(len(text), 1) for text in texts], dtype=np.float64)
        self._norm = _K1 * (1 - _B + _B * lengths / lengths.mean()) if texts else lengths
        postings: dict[str, tuple[list[int], list[int]]] = {}
        for place, text in enumerate(texts):
            for term, count in Counter(text).items():
                places, counts = postings.setdefault(term, ([], []))
                places.append(place)
                counts.append(count)
        self._postings = postings

    def weight(self, term: str) -> float:
        """Return the rarity of a term (idf): above 0, highest for one that is in no text."""
        documents_with = len(self._postings[term][0]) if term in self._postings else 0
        return math.log(1 + (self._size - documents_with + 0.5) / (documents_with + 0.5))

    def weights(self, query: Sequence[str]) -> dict[str, float]:
        """Return the weight of each of a query's terms."""
        return {term: self.weight(term) for term in sorted(set(query))}

    def scores(self, query: Sequence[str]) -> Vectors:
        """Return `(n,)` BM25 scores."""
        scores = np.zeros(self._size)
        for term in sorted(set(query) & self._postings.keys()):
            places, counts = self._postings[term]
            count = np.array(counts, dtype=np.float64)
            scores[places] += self.weight(term) * count * (_K1 + 1) / (count + self._norm[places])
        found: Vectors = np.round(scores, 6)
        return found

    def strength(self, weights: Mapping[str, float]) -> Vectors:
        """Return `(n,)` BM25 scores for terms of these weights, as shares of the highest possible.

        The weights may come from other texts: rarity among few long ones says little.
        """
        scores = np.zeros(self._size)
        for term, weight in weights.items():
            if term in self._postings:
                places, counts = self._postings[term]
                count = np.array(counts, dtype=np.float64)
                scores[places] += weight * count / (count + self._norm[places])
        shares: Vectors = np.round(scores / (sum(weights.values()) or 1.0), 6)
        return shares

    def coverage(self, query: Sequence[str]) -> Vectors:
        """Return `(n,)` shares of the query's terms, weighted by rarity, that each text has."""
        covered = np.zeros(self._size)
        asked = sorted(set(query))
        for term in asked:
            if term in self._postings:
                covered[self._postings[term][0]] += self.weight(term)
        return self._shares(covered, asked)

    def coverage_of(self, texts: Sequence[Sequence[str]], query: Sequence[str]) -> Vectors:
        """Return the same for other texts, by the rarity of the terms here."""
        asked = sorted(set(query))
        held = [set(text) for text in texts]
        covered = [sum(self.weight(term) for term in asked if term in each) for each in held]
        return self._shares(covered, asked)

    def _shares(self, covered: "npt.ArrayLike", asked: Sequence[str]) -> Vectors:
        total = sum(self.weight(term) for term in asked)
        shares: Vectors = np.round(np.asarray(covered, dtype=np.float64) / (total or 1.0), 6)
        return shares
