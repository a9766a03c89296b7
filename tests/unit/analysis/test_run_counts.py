"""Upper bounds of how many notes have each run of words."""

import numpy as np

from daemon.analysis.run_counts import build, update
from daemon.store.derived import DerivedInMemory

RUNS = np.random.default_rng(7).integers(0, 2**64, 3_000, np.uint64)
RUNS.sort()


def test_a_bound_is_never_below_the_count_and_hardly_ever_above() -> None:
    derived, chance = DerivedInMemory(), np.random.default_rng(8)
    counts = chance.integers(0, 6, len(RUNS))
    build(derived, np.repeat(RUNS, counts))
    for _ in range(5):
        some = np.sort(chance.choice(len(RUNS), 200, replace=False))
        change = np.maximum(chance.integers(-2, 3, 200), -counts[some])
        counts[some] += change
        bounds = update(derived, RUNS[some], change)
        assert (bounds >= counts[some]).all()
        assert (bounds == counts[some]).mean() > 0.95


def test_a_count_that_was_too_high_to_store_stays_unknown() -> None:
    derived = DerivedInMemory()
    build(derived, np.repeat(RUNS[:1], 300))
    assert update(derived, RUNS[:1], np.array([-200])) == [255]
