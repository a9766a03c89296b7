"""In how many notes each term stands, counted anew only for notes that changed."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from daemon.store.derived import TERMS, Derived

_SPREAD = "spread"


@dataclass(frozen=True, slots=True)
class Spread:
    """How many of some notes have a term, and the terms of which more or fewer have it than before.

    `moved` is None where it is not known what was before.
    """

    counts: Mapping[str, int]
    moved: frozenset[str] | None


def spread(
    keys: Mapping[str, bytes], terms: Callable[[str], Iterable[str]], derived: Derived
) -> Spread:
    """Count the `terms` of some notes; `keys` stand for all that those hang on, by path."""
    before, kept = derived.keys(TERMS), derived.whole(_SPREAD)
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
        said = list(terms(path))
        by.update(said)
        derived.put(TERMS, [(path, keys[path], json.dumps(said).encode())])
    moved = frozenset(term for term, count in by.items() if count)
    for term in moved:
        counts[term] += by[term]
        if not counts[term]:
            del counts[term]
    if moved or not kept:
        derived.put_whole(_SPREAD, json.dumps(counts).encode())
    return Spread(counts, moved if kept else None)
