"""What many notes share, kept between analyses: only changed notes are read again.

The runs of words of each note are stored; a change recounts only those that it affects, and reads
the runs of other notes only if one of them becomes shared, stops being shared or is shared by
another number of notes.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from daemon.analysis import run_counts
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
_RECOUNT_ALL_ABOVE = 8  # share of changed notes above which all runs are counted again
_FIRST_BITS = np.uint64(48)
_Ints = npt.NDArray[np.int64]

# Yields the texts of some notes, or of all, each with its note, those of one note together.
TextsOf = Callable[[Collection[str] | None], Iterable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class SharedText:
    """Text that many notes share, and what has changed since the last analysis.

    `keys` are fingerprints of each note's text. `changed` are the notes with another text than
    before, `gone` those that were removed. For the notes in `moved`, another part is shared than
    before. For those in `recounted` the same part is shared, some of it by another number of notes
    than `before`.
    """

    shared: Shared
    keys: Mapping[str, bytes]
    changed: frozenset[str]
    gone: frozenset[str]
    moved: frozenset[str]
    recounted: frozenset[str]
    before: Shared


def shared_text(derived: Derived, keys: Mapping[str, bytes], texts: TextsOf) -> SharedText:
    """Update the known state. `keys` are fingerprints of each note's text, by path."""
    before = derived.keys(RUNS)
    gone = frozenset(path for path in before if path not in keys)
    changed = frozenset(path for path, key in keys.items() if before.get(path) != key)
    lost = [runs for _, runs in runs_of_notes(derived, sorted(gone | (changed & before.keys())))]
    derived.drop(RUNS, gone)
    gained = _read(derived, keys, changed, texts)
    kept = derived.single(_SHARED)
    if not kept or _RECOUNT_ALL_ABOVE * (len(changed) + len(gone)) > len(keys):
        shared = was = _count_all(derived)
        moved = _notes_with(derived, shared.runs) if len(shared.runs) else frozenset[str]()
        recounted = frozenset[str]()
    else:
        was = _from_bytes(kept)
        shared, moved, recounted = _recount(derived, was, *_net(lost, gained))
        moved |= changed
    derived.put_single(_SHARED, _to_bytes(shared))
    return SharedText(shared, keys, changed, gone, moved, recounted - moved, was)


def _read(
    derived: Derived, keys: Mapping[str, bytes], changed: Collection[str], texts: TextsOf
) -> list[Hashes]:
    """Store the runs of the changed notes; return them if few notes changed."""
    words, found = Words(), []
    is_few = _RECOUNT_ALL_ABOVE * len(changed) <= len(keys)

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
    for _, runs in runs_of_notes(derived):
        every[at : at + len(runs)] = runs
        at += len(runs)
    shared = shared_by_many(every)
    run_counts.build(derived, every)
    return shared


def _notes_with(derived: Derived, wanted: Hashes) -> frozenset[str]:
    """Return the notes that have any of some runs, which are ascending."""
    return frozenset(
        paths[at] for paths, of, _ in _places(derived, wanted) for at in set(of.tolist())
    )


def _net(lost: Iterable[Hashes], gained: Iterable[Hashes]) -> tuple[Hashes, _Ints]:
    """Return the runs whose note count changed, in ascending order, and the change of each."""
    every = [(runs, sign) for sign, of in ((-1, lost), (1, gained)) for runs in of]
    signs = np.repeat([sign for _, sign in every], [len(runs) for runs, _ in every])
    runs, which = np.unique(
        np.concatenate([*(runs for runs, _ in every), np.empty(0, np.uint64)]), return_inverse=True
    )
    change = np.bincount(which, signs, len(runs)).astype(np.int64)
    return runs[change != 0], change[change != 0]


def _recount(
    derived: Derived, before: Shared, runs: Hashes, change: _Ints
) -> tuple[Shared, frozenset[str], frozenset[str]]:
    """Count the runs that were gained or lost, and find the other notes with them: those that
    share another part now, and those with a run whose count changed.
    """
    if not len(runs):
        return before, frozenset(), frozenset()
    known = before.spread_of(runs)
    counts = known + change
    counts[(known == 0) | (counts < MANY)] = 0
    # A run that few notes had may be shared now: it is counted unless that is impossible.
    is_open = (known == 0) & (run_counts.update(derived, runs, change) >= MANY) & (change > 0)
    wanted = is_open | (counts != known)
    if not wanted.any():
        return before, frozenset(), frozenset()
    found = list(_places(derived, runs[wanted]))
    total = sum(np.bincount(which, minlength=wanted.sum()) for _, _, which in found)
    counts[is_open] = np.where(total < MANY, 0, total)[is_open[wanted]]
    is_moved = ((counts > 0) != (known > 0))[wanted]
    moved, recounted = (
        frozenset(paths[at] for paths, of, which in found for at in set(of[some[which]].tolist()))
        for some in (is_moved, (counts != known)[wanted])
    )
    rest = ~np.isin(before.runs, runs)
    now = np.concatenate([before.runs[rest], runs[counts > 0]])
    spread = np.concatenate([before.spread[rest], counts[counts > 0]])
    order = np.argsort(now)
    return Shared(now[order], spread[order]), moved, recounted


def has_changed_overlap(found: SharedText, runs: Hashes, overlaps: Hashes) -> bool:
    """Return whether the most widely shared run of a chunk may be another than before.

    Takes the runs of a note that was recounted, ascending, and these runs of its chunks. Such a run
    remains the first if no other gained more notes, or if those that did are in fewer.
    """
    now = found.shared.spread_of(runs)
    gained = now - found.before.spread_of(runs)
    at = np.searchsorted(runs, overlaps)
    return any(bool(((gained > gained[each]) & (now >= now[each])).any()) for each in at.tolist())


def _places(derived: Derived, wanted: Hashes) -> Iterator[tuple[list[str], _Ints, _Ints]]:
    """Yield notes with the wanted runs: the index of the note and of the run."""
    begins = np.zeros(1 << 16, np.bool_)
    begins[wanted >> _FIRST_BITS] = True
    for paths, bodies in derived.batches(RUNS):
        runs = np.frombuffer(b"".join(bodies), np.uint64)
        of = np.repeat(np.arange(len(paths)), [len(body) // 8 for body in bodies])
        likely = np.flatnonzero(begins[runs >> _FIRST_BITS])
        which = np.searchsorted(wanted, runs[likely]).clip(max=len(wanted) - 1)
        found = wanted[which] == runs[likely]
        yield paths, of[likely[found]], which[found]


def runs_of_notes(
    derived: Derived, paths: Iterable[str] | None = None
) -> Iterator[tuple[str, Hashes]]:
    """Yield the runs of all notes, or of some, each once per note, ascending."""
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
