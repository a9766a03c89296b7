"""What many notes say in the same words: templates, navigation, boilerplate.

A stretch of words is shared when it stands in several notes. It is told by runs of words, not by
lines, so that a template that was filled in here and there is still one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

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
    """Tell for each text, given with the note it is from, what of it many notes share."""
    words: defaultdict[str, int] = defaultdict(count().__next__)
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    notes: list[int] = []
    texts_as_ids: list[npt.NDArray[np.int64]] = []
    for note, text in texts:
        notes.append(numbers[note])
        split = split_words(text)
        texts_as_ids.append(np.fromiter(map(words.__getitem__, split), np.int64, len(split)))
    marks = _scattered(len(words))
    runs = [_runs(marks[ids]) for ids in texts_as_ids]
    spread = _spread(runs, notes)
    at, found = 0, []
    for ids, own_runs in zip(texts_as_ids, runs, strict=True):
        here = [each[at : at + len(own_runs)] for each in spread]
        found.append(_stretch(len(ids), *here))
        at += len(own_runs)
    return found


def split_words(text: str) -> list[str]:
    """The words of a text as they are compared: whatever stands between spaces, in one case."""
    return fold(text).lower().split()


def _stretch(length: int, names: npt.NDArray[np.int64], spread: npt.NDArray[np.int64]) -> Stretch:
    shared = np.zeros(length, dtype=np.bool_)
    many = spread >= MANY
    if not many.any():
        return Stretch(1.0, -1, shared)
    for offset in range(RUN):
        shared[offset : offset + len(many)] |= many
    widest = int(np.flatnonzero(spread == spread.max())[0])
    return Stretch(float(1.0 - shared.mean()), int(names[widest]), shared)


def _spread(
    runs: Sequence[_Hashes], notes: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For every run of every text a number of its own, and how many notes it stands in."""
    if not runs:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    _, names = np.unique(np.concatenate(runs), return_inverse=True)
    of_note = np.repeat(np.asarray(notes, np.int64), [len(each) for each in runs])
    most = int(max(notes)) + 1
    pairs = np.unique(names.astype(np.int64) * most + of_note)
    spread = np.bincount(pairs // most, minlength=1)
    return names.astype(np.int64), spread[names]


def _runs(marks: _Hashes) -> _Hashes:
    """One number for each run of RUN words."""
    length = len(marks) - RUN + 1
    if length <= 0:
        return np.empty(0, np.uint64)
    total = np.zeros(length, np.uint64)
    for offset in range(RUN):
        total = total * _STEP + marks[offset : offset + length]
    return total


def _scattered(count: int) -> _Hashes:
    """`count` numbers spread over all that 64 bits hold, always the same (splitmix64)."""
    numbers = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    scattered: _Hashes = numbers ^ (numbers >> np.uint64(31))
    return scattered
