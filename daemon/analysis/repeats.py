"""What many notes say in the same words: templates, navigation, boilerplate.

A stretch of words is shared when it stands in several notes. It is told by runs of words, not by
lines, so that a template that was filled in here and there is still one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby

import numpy as np
import numpy.typing as npt

from daemon.store.words import fold

RUN = 6  # words: shorter ones repeat by chance, longer ones would miss a line of navigation
MANY = 4  # notes: two may quote the same, three a series; a fourth was made the same way

_Hashes = npt.NDArray[np.uint64]
_STEP = np.uint64(6364136223846793005)  # odd, so that multiplying by it loses nothing


@dataclass(frozen=True, slots=True)
class Stretch:
    """One text of several: `own` is the share of its words that is not shared with many notes.

    `kin` is the same for texts that share their most widely shared run, -1 when nothing is shared.
    """

    own: float
    kin: int
    shared: npt.NDArray[np.bool_] = field(repr=False)  # per word


def stretches(texts: Iterable[tuple[str, str]]) -> list[Stretch]:
    """Tell for each text what of it many notes share.

    Each text is given with the note it is from, the texts of one note one after the other.
    """
    words: defaultdict[str, int] = defaultdict(count().__next__)
    lengths: list[int] = []
    runs: list[_Hashes] = []
    of_notes: list[_Hashes] = []
    for _, of_note in groupby(texts, key=lambda each: each[0]):
        first = len(runs)
        for _, text in of_note:
            split = split_words(text)
            lengths.append(len(split))
            ids = np.fromiter(map(words.__getitem__, split), np.uint64, len(split))
            runs.append(_runs(_scattered(ids)))
        of_notes.append(_distinct(np.concatenate(runs[first:])))
    shared, spread = _widespread(of_notes)
    return [_stretch(*each, shared, spread) for each in zip(lengths, runs, strict=True)]


def split_words(text: str) -> list[str]:
    """The words of a text as they are compared: whatever stands between spaces, in one case."""
    return fold(text).lower().split()


def _stretch(length: int, runs: _Hashes, shared: _Hashes, spread: npt.NDArray[np.int64]) -> Stretch:
    """Mark in one text of so many words the runs that are `shared`, each in `spread` notes."""
    marked = np.zeros(length, np.bool_)
    if not len(shared):
        return Stretch(1.0, -1, marked)
    places = np.searchsorted(shared, runs)
    many = np.flatnonzero(shared[places.clip(max=len(shared) - 1)] == runs)
    if not len(many):
        return Stretch(1.0, -1, marked)
    for offset in range(RUN):
        marked[many + offset] = True
    widest = places[many][spread[places[many]].argmax()]
    return Stretch(float(1.0 - marked.mean()), int(widest), marked)


def _widespread(of_notes: Sequence[_Hashes]) -> tuple[_Hashes, npt.NDArray[np.int64]]:
    """The runs that stand in many notes, in order, and in how many each does."""
    runs = np.concatenate([*of_notes, np.empty(0, np.uint64)])
    runs.sort()
    starts = np.flatnonzero(np.diff(runs, prepend=~runs[:1]))
    spread = np.diff(starts, append=len(runs))
    return runs[starts[spread >= MANY]], spread[spread >= MANY]


def _distinct(runs: _Hashes) -> _Hashes:
    runs.sort()
    distinct: _Hashes = runs[np.diff(runs, prepend=~runs[:1]) != 0]
    return distinct


def _runs(marks: _Hashes) -> _Hashes:
    """One number for each run of RUN words."""
    length = len(marks) - RUN + 1
    if length <= 0:
        return np.empty(0, np.uint64)
    total = np.zeros(length, np.uint64)
    for offset in range(RUN):
        total = total * _STEP + marks[offset : offset + length]
    return total


def _scattered(numbers: _Hashes) -> _Hashes:
    """Spread numbers over all that 64 bits hold, always in the same way (splitmix64)."""
    numbers = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    scattered: _Hashes = numbers ^ (numbers >> np.uint64(31))
    return scattered
