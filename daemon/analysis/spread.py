"""Document frequencies of terms, recounted only for notes that changed."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from daemon.store.derived import TERMS, Derived

_SPREAD = "spread"
_BITS = 4  # with 4, one name of 196 clusters differs from that by exact counts; with 3, four


@dataclass(frozen=True, slots=True)
class Spread:
    """How many of some notes have each term, and the terms that more or fewer have than before.

    `moved` has the count before and now, `notes` the number of notes. `moved` is None if the
    previous state is unknown.
    """

    counts: Mapping[str, int]
    moved: Mapping[str, tuple[int, int]] | None
    notes: tuple[int, int]


def coarse(count: int) -> int:
    """Round a count down to _BITS significant bits: one edit hardly ever moves one that is large.

    Counts below 2 ** _BITS are exact.
    """
    shift = max(count.bit_length() - _BITS, 0)
    return count >> shift << shift


def spread(
    keys: Mapping[str, bytes], terms: Callable[[str], Iterable[str]], derived: Derived
) -> Spread:
    """Count the `terms` of some notes; `keys` are fingerprints of their inputs, by path."""
    before, kept = derived.keys(TERMS), derived.single(_SPREAD)
    counts: Counter[str] = Counter(json.loads(kept) if kept else {})
    if not kept:
        derived.drop(TERMS, before)
        before = {}
    gone = sorted(path for path, key in before.items() if keys.get(path) != key)
    new = sorted(path for path, key in keys.items() if before.get(path) != key)
    by: Counter[str] = Counter()
    for _, body in derived.bodies(TERMS, gone):
        by.subtract(json.loads(body))
    derived.drop(TERMS, gone)
    for path in new:
        terms_of_note = list(terms(path))
        by.update(terms_of_note)
        derived.put(TERMS, [(path, keys[path], json.dumps(terms_of_note).encode())])
    moved = {term: (counts[term], counts[term] + count) for term, count in by.items() if count}
    for term, (_, count) in moved.items():
        counts[term] = count
        if not count:
            del counts[term]
    if moved or not kept:
        derived.put_single(_SPREAD, json.dumps(counts).encode())
    return Spread(counts, moved if kept else None, (len(before), len(keys)))
