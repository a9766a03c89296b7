"""The nearest notes after a change are those that comparing every pair finds."""

import numpy as np
import pytest

from daemon.analysis.centred import UNIT, Centred, Floats, Ints, Whole
from daemon.analysis.neighbours import neighbours
from daemon.store.derived import DerivedInMemory

ROWS, DIMENSIONS, K = 90, 24, 8


def a_matrix(chance: np.random.Generator, rows: int) -> Floats:
    """Vectors around a few subjects, many of them the same or nearly the same."""
    subjects = chance.normal(size=(5, DIMENSIONS))
    far = chance.choice([0.0, 1e-4, 0.02, 0.7], size=(rows, 1))
    found = subjects[chance.integers(5, size=rows)] + far * chance.normal(size=(rows, DIMENSIONS))
    unit: Floats = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    return unit


@pytest.mark.parametrize("seed", range(12))
def test_after_any_change_the_lists_are_those_from_scratch(seed: int) -> None:
    chance = np.random.default_rng(seed)
    plain, paths = a_matrix(chance, ROWS), [f"{n:03}.md" for n in range(ROWS)]
    common = plain[0] if seed % 3 == 0 else np.zeros(DIMENSIONS, np.float32)
    derived = DerivedInMemory()
    for _ in range(5):
        keep = np.sort(chance.permutation(len(paths))[chance.integers(3) :])
        plain, paths = plain[keep].copy(), [paths[at] for at in keep.tolist()]
        changed = chance.integers(len(paths), size=chance.integers(4))
        plain[changed] = a_matrix(chance, len(changed))
        if changed.size:
            plain[changed[0]] = plain[-1]
        matrix = Centred(plain, common)
        ids, cosines = neighbours(paths, matrix, K, derived)
        all_ids, all_cosines = neighbours(paths, matrix, K, DerivedInMemory())
        assert np.array_equal(ids, all_ids)
        assert np.array_equal(cosines, all_cosines)


def test_an_approximate_product_is_off_by_less_than_it_says() -> None:
    chance = np.random.default_rng(1)
    matrix = Centred(a_matrix(chance, ROWS), a_matrix(chance, 1)[0] * np.float32(0.9))
    every = np.arange(ROWS)
    exact = matrix.rounded(every).astype(np.float64)
    near = matrix.approximate(every)
    off = np.abs(near - exact @ exact.T)[np.isfinite(near)]
    assert off.max() < matrix.error < 0.01 * UNIT * UNIT


def test_a_small_change_compares_few_pairs_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(2)
    plain = chance.normal(size=(2_000, 64)).astype(np.float32)
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    paths, derived = [f"{n}.md" for n in range(len(plain))], DerivedInMemory()
    common = np.zeros(64, np.float32)
    neighbours(paths, Centred(plain, common), K, derived)
    rounded: list[int] = []
    whole = Centred.rounded

    def counted(self: Centred, rows: Ints) -> Whole:
        rounded.append(len(rows))
        return whole(self, rows)

    monkeypatch.setattr(Centred, "rounded", counted)
    plain[7] = plain[9] + np.float32(0.1)
    neighbours(paths, Centred(plain, common), K, derived)
    assert 0 < sum(rounded) < len(plain) / 2
