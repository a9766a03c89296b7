"""What two notes share in words: their text, and mentions of each other's names."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Phrase = tuple[str, ...]


class TermIndex:
    """The lexical similarity of notes: the cosine of TF-IDF vectors, of log counts."""

    def __init__(self, notes: Sequence[Mapping[str, int]]) -> None:
        """Take the frequency of each term in each note."""
        self._count = len(notes)
        spread = Counter(term for counts in notes for term in counts)
        # A term of only one note is shared with no other.
        kept = sorted(term for term, notes_saying in spread.items() if notes_saying > 1)
        self._ids = {term: n for n, term in enumerate(kept)}
        self._worth = np.array(
            [math.log((self._count + 1) / (spread[term] + 0.5)) for term in kept], np.float32
        )
        self._terms, self._notes, self._weights = self._inverted(notes)
        self._starts = np.searchsorted(self._terms, np.arange(len(kept) + 1))

    def similarities(self, counts: Mapping[str, int]) -> Floats:
        """Return the cosine of each note with a text with these terms, `(n,)`."""
        cosines = np.zeros(self._count, np.float32)
        for term, weight in zip(*self._vector(counts), strict=True):
            places = slice(self._starts[term], self._starts[term + 1])
            cosines[self._notes[places]] += weight * self._weights[places]
        return cosines

    def _vector(self, counts: Mapping[str, int]) -> tuple[npt.NDArray[np.int64], Floats]:
        known = sorted(
            (self._ids[term], count) for term, count in counts.items() if term in self._ids
        )
        ids = np.array([term for term, _ in known], np.int64)
        numbers = np.array([count for _, count in known], np.float32)
        weights = (1 + np.log(numbers)) * self._worth[ids] if known else numbers
        length = float(np.linalg.norm(weights))
        return ids, (weights / length if length else weights).astype(np.float32)

    def _inverted(
        self, notes: Sequence[Mapping[str, int]]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]:
        """Every weight with its term and its note, sorted by term."""
        vectors = [self._vector(counts) for counts in notes]
        terms = np.concatenate([ids for ids, _ in vectors] or [np.empty(0, np.int64)])
        weights = np.concatenate([found for _, found in vectors] or [np.empty(0, np.float32)])
        of = np.repeat(np.arange(len(notes)), [len(ids) for ids, _ in vectors])
        order = np.argsort(terms, kind="stable")
        return terms[order], of[order], weights[order]


class Names:
    """Mentions without a link: a note's title or alias in another note's text."""

    def __init__(self, names: Sequence[Iterable[Phrase]], texts: Sequence[Sequence[str]]) -> None:
        """Take the names of each note, and the words of its text."""
        self._count = len(names)
        self._of: defaultdict[Phrase, list[int]] = defaultdict(list)
        for note, phrases in enumerate(names):
            for phrase in phrases:
                self._of[phrase].append(note)
        self._beginning: defaultdict[Phrase, list[Phrase]] = defaultdict(list)
        for phrase in self._of:
            self._beginning[phrase[:2]].append(phrase)
        self._naming: defaultdict[Phrase, list[int]] = defaultdict(list)
        for note, words in enumerate(texts):
            for phrase in sorted(self._found(words)):
                self._naming[phrase].append(note)
        self._names = [tuple(phrases) for phrases in names]

    def named_in(self, words: Sequence[str]) -> Floats:
        """Return how strongly a text mentions each note, `(n,)` in [0, 1]; a rare name counts
        more.
        """
        found = np.zeros(self._count, np.float32)
        for phrase in self._found(words):
            of = self._of[phrase]
            found[of] = np.maximum(found[of], self._worth(phrase))
        return found

    def naming(self, note: int) -> Floats:
        """Return how strongly each note mentions this one, `(n,)` in [0, 1]."""
        found = np.zeros(self._count, np.float32)
        for phrase in self._names[note]:
            by = self._naming.get(phrase, [])
            found[by] = np.maximum(found[by], self._worth(phrase))
        return found

    def _worth(self, phrase: Phrase) -> float:
        most = math.log(self._count + 1)
        return math.log((self._count + 1) / (len(self._naming.get(phrase, ())) + 0.5)) / most

    def _found(self, words: Sequence[str]) -> set[Phrase]:
        return set(self._matches(words))

    def _matches(self, words: Sequence[str]) -> Iterator[Phrase]:
        for at, word in enumerate(words):
            if (word,) in self._of:
                yield (word,)
            for phrase in self._beginning.get((word, *words[at + 1 : at + 2]), ()):
                if len(phrase) > 1 and tuple(words[at : at + len(phrase)]) == phrase:
                    yield phrase
