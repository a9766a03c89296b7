"""What many notes share, known from look to look: only notes that changed are read again.

The runs of words of each note are kept; a change counts them again only where it touches them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np
import numpy.typing as npt

from daemon.analysis.repeats import (
    MANY,
    Hashes,
    Shared,
    Words,
    distinct,
    runs_of,
    shared_by_many,
)
from daemon.store.derived import RUNS, Derived

_SHARED = "shared"
_AT_ONCE = 1_000  # notes whose runs are compared together
_MOSTLY = 8  # of so many notes one may have changed, before all runs are counted anew
_FIRST_BITS = np.uint64(48)
_Ints = npt.NDArray[np.int64]

# Gives the texts of some notes, or of all, each with its note, those of one one after the other.
TextsOf = Callable[[Collection[str] | None], Iterable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class SharedText:
    """What many notes share, and what changed since it was last known.

    `keys` stand for the text of each note. `changed` are the notes with another text than before,
    `gone` those that have none now. Of no note but those in `moved`, another part is shared than
    before, or is shared by more or fewer notes.
    """

    shared: Shared
    keys: Mapping[str, bytes]
    changed: frozenset[str]
    gone: frozenset[str]
    moved: frozenset[str]


def shared_text(derived: Derived, keys: Mapping[str, bytes], texts: TextsOf) -> SharedText:
    """Bring what is known up to date. `keys` stand for the text of each note, by path."""
    before = derived.keys(RUNS)
    gone = frozenset(path for path in before if path not in keys)
    changed = frozenset(path for path, key in keys.items() if before.get(path) != key)
    old = [runs for _, runs in _runs(derived, sorted(gone | (changed & before.keys())))]
    derived.drop(RUNS, gone)
    new = _read(derived, keys, changed, texts)
    kept = derived.whole(_SHARED)
    if not kept or _MOSTLY * (len(changed) + len(gone)) > len(keys):
        shared = _count_all(derived)
        moved = _having(derived, shared.runs) if len(shared.runs) else frozenset[str]()
    else:
        shared, moved = _recount(derived, _from_bytes(kept), distinct([*old, *new]))
        moved |= changed
    derived.put_whole(_SHARED, _to_bytes(shared))
    return SharedText(shared, keys, changed, gone, moved)


def _read(
    derived: Derived, keys: Mapping[str, bytes], changed: Collection[str], texts: TextsOf
) -> list[Hashes]:
    """Keep the runs of the notes that changed; return them where they are few."""
    words, found = Words(), []
    is_few = _MOSTLY * len(changed) <= len(keys)

    def parts() -> Iterator[tuple[str, bytes, bytes]]:
        for path, of_note in groupby(texts(changed if is_few else None), key=lambda each: each[0]):
            if path in changed:
                runs = distinct([runs_of(text, words)[1] for _, text in of_note])
                if is_few:
                    found.append(runs)
                yield path, keys[path], runs.tobytes()

    derived.put(RUNS, parts())
    return found


def _count_all(derived: Derived) -> Shared:
    sizes = [len(body) // 8 for _, body in derived.bodies(RUNS)]
    every, at = np.empty(sum(sizes), np.uint64), 0
    for _, runs in _runs(derived):
        every[at : at + len(runs)] = runs
        at += len(runs)
    return shared_by_many(every)


def _having(derived: Derived, wanted: Hashes) -> frozenset[str]:
    """The notes that have any of some runs, which are ascending."""
    return frozenset(
        paths[at] for paths, of, _ in _places(derived, wanted) for at in set(of.tolist())
    )


def _recount(derived: Derived, before: Shared, touched: Hashes) -> tuple[Shared, frozenset[str]]:
    """Count the runs that notes had or have that changed, and find the other notes they are in."""
    found = list(_places(derived, touched))
    counts = np.zeros(len(touched), np.int64)
    for _, _, which in found:
        counts += np.bincount(which, minlength=len(touched))
    counts[counts < MANY] = 0
    is_moved = counts != before.spread_of(touched)
    moved = frozenset(
        paths[at] for paths, of, which in found for at in set(of[is_moved[which]].tolist())
    )
    rest = ~np.isin(before.runs, touched)
    runs = np.concatenate([before.runs[rest], touched[counts > 0]])
    spread = np.concatenate([before.spread[rest], counts[counts > 0]])
    order = np.argsort(runs)
    return Shared(runs[order], spread[order]), moved


def _places(derived: Derived, wanted: Hashes) -> Iterator[tuple[list[str], _Ints, _Ints]]:
    """Yield some notes with where runs stand that are wanted: the note's place and the run's."""
    begins = np.zeros(1 << 16, np.bool_)
    begins[wanted >> _FIRST_BITS] = True
    for some in _batched(_runs(derived)):
        runs = np.concatenate([runs for _, runs in some])
        of = np.repeat(np.arange(len(some)), [len(runs) for _, runs in some])
        likely = np.flatnonzero(begins[runs >> _FIRST_BITS])
        which = np.searchsorted(wanted, runs[likely]).clip(max=len(wanted) - 1)
        found = wanted[which] == runs[likely]
        yield [path for path, _ in some], of[likely[found]], which[found]


def _batched(
    runs: Iterable[tuple[str, Hashes]],
) -> Iterator[list[tuple[str, Hashes]]]:
    each = iter(runs)
    while some := list(islice(each, _AT_ONCE)):
        yield some


def _runs(derived: Derived, paths: Iterable[str] | None = None) -> Iterator[tuple[str, Hashes]]:
    for path, body in derived.bodies(RUNS, paths):
        yield path, np.frombuffer(body, np.uint64)


def _to_bytes(shared: Shared) -> bytes:
    return b"".join(
        each.astype("<u8").tobytes()
        for each in (np.array([len(shared.runs)]), shared.runs, shared.spread)
    )


def _from_bytes(kept: bytes) -> Shared:
    numbers = np.frombuffer(kept, "<u8")
    count = int(numbers[0])
    return Shared(numbers[1 : count + 1], numbers[count + 1 :].astype(np.int64))
