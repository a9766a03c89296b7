import numpy as np
import pytest

from daemon.analysis.centred import Centred, centred
from daemon.analysis.meaning import meaning_graph, nearest_by_cells
from daemon.analysis.neighbours import neighbours
from daemon.store.derived import DerivedInMemory
from tests.fakes.rows import vectors_by_subject

SUBJECTS = {
    subject: [f"{subject}/{number}.md" for number in range(15)]
    for subject in ("bees", "rust", "sleep", "bread", "tuning")
}


def test_the_nearest_notes_are_those_of_the_same_subject() -> None:
    graph = meaning_graph(vectors_by_subject(SUBJECTS), 0.8)

    for path, near in graph.similar.items():
        assert {other.partition("/")[0] for other, _ in near} == {path.partition("/")[0]}
        assert [cosine for _, cosine in near] == pytest.approx([0.7] * 3, abs=0.15)


def test_pairs_are_near_both_ways_and_stand_in_path_order() -> None:
    pairs = meaning_graph(vectors_by_subject(SUBJECTS), 0.8).pairs

    assert pairs
    assert all(pair.one < pair.other for pair in pairs)
    assert list(pairs) == sorted(pairs, key=lambda pair: (pair.one, pair.other))
    assert {pair.one.partition("/")[0] for pair in pairs} == set(SUBJECTS)
    assert all(pair.one.partition("/")[0] == pair.other.partition("/")[0] for pair in pairs)


def test_a_template_shared_by_all_notes_does_not_make_them_similar() -> None:
    few = {str(subject): [f"{subject}/{n}.md" for n in range(5)] for subject in range(30)}
    vectors = vectors_by_subject(few, dimensions=300)
    template = np.random.default_rng(1).normal(size=300).astype(np.float32)
    template /= np.linalg.norm(template)
    shared = {path: 0.45 * vector + 0.9 * template for path, vector in vectors.items()}
    shared = {path: vector / np.linalg.norm(vector) for path, vector in shared.items()}

    graph = meaning_graph(shared, 0.999)

    assert all(pair.one.partition("/")[0] == pair.other.partition("/")[0] for pair in graph.pairs)
    assert {pair.one.partition("/")[0] for pair in graph.pairs} == set(few)


def test_a_pair_above_the_threshold_counts_even_when_it_is_near_only_one_way() -> None:
    axes = np.eye(40, dtype=np.float32)
    vectors = {f"{n:02}.md": 0.9 * axes[0] + 0.19**0.5 * axes[n] for n in range(1, 16)}
    vectors["hub.md"] = axes[0]

    pairs = meaning_graph(vectors, 0.85).pairs

    assert {pair.one for pair in pairs if pair.other == "hub.md"} == set(vectors) - {"hub.md"}


@pytest.mark.parametrize("count", [0, 1])
def test_a_vault_with_nothing_to_compare_has_no_pairs(count: int) -> None:
    vectors = {f"{n}.md": np.full(4, 0.5, dtype=np.float32) for n in range(count)}

    graph = meaning_graph(vectors, 0.8)

    assert not graph.pairs
    assert list(graph.similar) == list(vectors)


def test_notes_with_the_same_vector_are_near_without_division_by_zero() -> None:
    vectors = {f"{n}.md": np.full(4, 0.5, dtype=np.float32) for n in range(3)}

    assert len(meaning_graph(vectors, 0.8).pairs) == 3


def test_fewer_notes_than_neighbours_leave_places_empty() -> None:
    paths = ["A.md", "B.md", "C.md"]
    matrix = Centred(np.eye(3, dtype=np.float32), np.zeros(3, np.float32))

    ids, cosines = neighbours(paths, matrix, 5, DerivedInMemory())

    assert ids.tolist() == [[1, 2, -1, -1, -1], [0, 2, -1, -1, -1], [0, 1, -1, -1, -1]]
    assert cosines[:, 2:].tolist() == [[-1.0] * 3] * 3


def test_a_very_large_vault_finds_nearly_the_same_neighbours_by_cells() -> None:
    many = {f"s{n}": [f"s{n}/{m}.md" for m in range(12)] for n in range(100)}
    vectors = vectors_by_subject(many)
    matrix = centred(np.stack(list(vectors.values())))

    nothing = np.zeros(matrix.shape[1], np.float32)
    exact, _ = neighbours(list(vectors), Centred(matrix, nothing), 8, DerivedInMemory())
    by_cells, _ = nearest_by_cells(matrix, 8, np.arange(len(matrix)))

    shared = [len({*one} & {*other}) for one, other in zip(exact, by_cells, strict=True)]
    assert np.mean(shared) > 0.95 * 8


def test_notes_that_hundreds_are_as_near_to_are_near_none() -> None:
    random = np.random.default_rng(1)
    blank, bees = random.normal(size=(2, 48))
    rows = [blank + random.normal(size=48) / 1000 for _ in range(100)]
    rows += [bees + random.normal(size=48) / 2 for _ in range(6)]
    paths = [*(f"film {n}.md" for n in range(100)), *(f"bees {n}.md" for n in range(6))]
    vectors = {
        path: (row / np.linalg.norm(row)).astype(np.float32)
        for path, row in zip(paths, rows, strict=True)
    }

    near = {note for pair in meaning_graph(vectors, 0.8).pairs for note in (pair.one, pair.other)}

    assert near == {f"bees {n}.md" for n in range(6)}
