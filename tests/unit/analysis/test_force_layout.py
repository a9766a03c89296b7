"""Places on the map: linked notes near each other, those without links around them."""

import numpy as np

from daemon.analysis.force_layout import EXTENT, layout

GROUPS, SIZE = 8, 40


def _groups_of_notes() -> tuple[np.ndarray, list[int]]:
    """Rings of notes, each with chords, and one link between neighbouring rings."""
    edges = []
    for group in range(GROUPS):
        first = group * SIZE
        for at in range(SIZE):
            edges += [(first + at, first + (at + step) % SIZE) for step in (1, 7)]
        edges.append((first, (first + SIZE) % (GROUPS * SIZE)))
    return np.array(edges), [at // SIZE for at in range(GROUPS * SIZE)]


def _distance(places: np.ndarray, pairs: np.ndarray) -> float:
    return float(np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1).mean())


def test_linked_notes_are_nearer_than_others_also_without_known_clusters() -> None:
    edges, groups = _groups_of_notes()
    random = np.random.default_rng(7).integers(0, len(groups), (500, 2))
    for known in (groups, [-1] * len(groups)):
        places = layout(edges, known)
        assert _distance(places, edges) < _distance(places, random) / 3
        assert len(np.unique(places, axis=0)) == len(groups)


def test_the_same_vault_looks_the_same() -> None:
    edges, groups = _groups_of_notes()
    assert layout(edges, groups).tolist() == layout(edges, groups).tolist()


def test_notes_without_links_are_placed_around_the_others() -> None:
    edges, groups = _groups_of_notes()
    places = layout(edges, [*groups, *[-1] * 30])
    far = np.linalg.norm(places, axis=1)
    assert far[len(groups) :].min() > np.quantile(far[: len(groups)], 0.95)
    assert np.abs(places).max() == EXTENT


def test_any_small_vault_has_a_map() -> None:
    none = np.empty((0, 2), np.int64)
    assert layout(none, []).shape == (0, 2)
    assert layout(none, [-1]).shape == (1, 2)
    assert layout(np.array([(0, 1)]), [-1, -1]).shape == (2, 2)
    assert layout(np.array([(0, 1), (0, 1), (1, 0)]), [0, 0, -1]).shape == (3, 2)
