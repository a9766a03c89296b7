"""Text that many notes share: templates, navigation, boilerplate.

A word sequence is shared if it occurs in several notes. Sequences of words are compared, not lines,
so that a template with some blanks filled in still counts as one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby

import numpy as np
import numpy.typing as npt

from daemon.store.query import fold

RUN = 6  # words: shorter ones repeat by chance, longer ones would miss a line of navigation
MANY = 4  # notes: two may quote the same, three may be a series; a fourth was made in the same way

Hashes = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]
_STEP = np.uint64(6364136223846793005)  # odd, so that multiplying by it loses nothing


@dataclass(frozen=True, slots=True)
class Shared:
    """The word sequences of at least MANY notes, ascending, and the number of notes of each."""

    runs: Hashes
    spread: Counts

    def spread_of(self, runs: Hashes) -> Counts:
        """Return the number of notes with each word sequence; 0 if fewer than MANY."""
        if not len(self.runs):
            return np.zeros(len(runs), np.int64)
        places = np.searchsorted(self.runs, runs).clip(max=len(self.runs) - 1)
        return np.where(self.runs[places] == runs, self.spread[places], 0)


@dataclass(frozen=True, slots=True)
class Stretch:
    """One text of several: `own` is the share of its words that is not shared with many notes.

    `overlaps` is equal for texts with the same most widely shared run, -1 if nothing is shared.
    """

    own: float
    overlaps: int
    shared: npt.NDArray[np.bool_] = field(repr=False)  # per word


class Words(dict[str, int]):
    """Return a 64-bit number for each word, which depends only on the word."""

    def __missing__(self, word: str) -> int:
        number = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
        self[word] = number
        return number


def stretches(texts: Iterable[tuple[str, str]]) -> list[Stretch]:
    """Return for each text the part that many notes share.

    Each text comes with its note, the texts of one note together.
    """
    words = Words()
    runs: list[tuple[int, Hashes]] = []
    of_notes: list[Hashes] = []
    for _, of_note in groupby(texts, key=lambda each: each[0]):
        first = len(runs)
        runs += (runs_of(text, words) for _, text in of_note)
        of_notes.append(distinct([each for _, each in runs[first:]]))
    shared = shared_by_many(np.concatenate([*of_notes, np.empty(0, np.uint64)]))
    return [stretch(length, each, shared) for length, each in runs]


def split_words(text: str) -> list[str]:
    """Return the words of a text for comparison: separated by spaces, case-folded."""
    return fold(text).lower().split()


def runs_of(text: str, words: Words) -> tuple[int, Hashes]:
    """Return how many words a text has, and a number for each run of RUN words, in order."""
    split = split_words(text)
    marks = np.fromiter(map(words.__getitem__, split), np.uint64, len(split))
    length = max(len(split) - RUN + 1, 0)
    total = np.zeros(length, np.uint64)
    for offset in range(RUN if length else 0):
        total = total * _STEP + marks[offset : offset + length]
    return len(split), total


def distinct(runs: Sequence[Hashes]) -> Hashes:
    """The runs of one note, each once, ascending."""
    every = np.concatenate([*runs, np.empty(0, np.uint64)])
    every.sort()
    found: Hashes = every[np.diff(every, prepend=~every[:1]) != 0]
    return found


def shared_by_many(runs: Hashes) -> Shared:
    """Return what many notes share. Takes the runs of all notes, each once per note; sorts them."""
    runs.sort()
    many = runs[: max(len(runs) - MANY + 1, 0)]
    found = np.unique(many[many == runs[MANY - 1 :]])
    spread = np.searchsorted(runs, found, "right") - np.searchsorted(runs, found, "left")
    return Shared(found, spread)


def stretch(length: int, runs: Hashes, shared: Shared) -> Stretch:
    """Mark the shared runs in a text of `length` words."""
    marked = np.zeros(length, np.bool_)
    spread = shared.spread_of(runs)
    many = np.flatnonzero(spread)
    if not len(many):
        return Stretch(1.0, -1, marked)
    for offset in range(RUN):
        marked[many + offset] = True
    return Stretch(float(1.0 - marked.mean()), int(runs[spread.argmax()]), marked)
