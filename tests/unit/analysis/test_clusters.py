import random
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

import pytest

from daemon.analysis.clusters import clusters
from daemon.analysis.graph import link_graph
from daemon.analysis.health import Cluster, ClusterKind
from daemon.analysis.lexicon import Lexicon, Words
from daemon.analysis.meaning import meaning_graph
from daemon.model.notes import LinkRow
from tests.fakes.rows import a_link, a_note, vectors_by_subject

SUBJECTS = {
    subject: [f"{subject}/{subject} {number}.md" for number in range(8)]
    for subject in ("Bees", "Rust", "Sleep", "Bread")
}


def found(
    subjects: Mapping[str, Sequence[str]] = SUBJECTS, links: Sequence[LinkRow] = ()
) -> tuple[Cluster, ...]:
    vectors = vectors_by_subject(subjects)
    notes = [a_note(path) for path in vectors]
    words = {note.path: Words(note.title, (), "") for note in notes}
    meaning = meaning_graph(vectors, 0.8)
    return clusters(link_graph(notes, links), meaning, Lexicon(words))


def members(found: Sequence[Cluster]) -> set[frozenset[str]]:
    return {frozenset(cluster.notes) for cluster in found}


def test_similar_notes_form_a_sparse_cluster_with_its_own_name() -> None:
    areas = found()

    assert members(areas) == {frozenset(paths) for paths in SUBJECTS.values()}
    assert {area.label for area in areas} == set(SUBJECTS)
    assert {area.kind for area in areas} == {ClusterKind.SPARSE}
    assert {area.density for area in areas} == {0.0}


def test_linked_notes_are_a_dense_cluster_and_density_is_the_share_of_possible_links() -> None:
    bees = SUBJECTS["Bees"]
    links = [a_link(one, other) for one, other in pairwise(bees)]
    links += [a_link(bees[1], bees[0]), a_link(bees[0], bees[2])]

    areas = {area.label: area for area in found(links=links)}

    assert areas["Bees"].kind is ClusterKind.DENSE
    assert areas["Bees"].links == 8
    assert areas["Bees"].density == pytest.approx(8 / 28, abs=1e-4)
    assert areas["Rust"].kind is ClusterKind.SPARSE


def test_notes_without_vectors_are_clustered_by_their_links() -> None:
    notes = [a_note(f"{letter}.md") for letter in "abcdef"]
    links = [a_link(f"{one}.md", f"{other}.md") for one, other in combinations("abc", 2)]
    links += [a_link(f"{one}.md", f"{other}.md") for one, other in combinations("def", 2)]
    words = {note.path: Words(note.title, (), "") for note in notes}

    areas = clusters(link_graph(notes, links), meaning_graph({}, 0.8), Lexicon(words))

    assert members(areas) == {
        frozenset({"a.md", "b.md", "c.md"}),
        frozenset({"d.md", "e.md", "f.md"}),
    }


def test_the_most_central_note_stands_first() -> None:
    bees = SUBJECTS["Bees"]

    areas = {area.label: area for area in found(links=[a_link(bees[5], to) for to in bees])}

    assert areas["Bees"].notes[0] == bees[5]


def test_the_same_notes_in_another_order_give_the_same_clusters() -> None:
    links = [a_link(one, other) for paths in SUBJECTS.values() for one, other in pairwise(paths)]
    turned = {subject: paths[::-1] for subject, paths in reversed(SUBJECTS.items())}
    vectors = vectors_by_subject(SUBJECTS)
    notes = [a_note(path) for paths in turned.values() for path in paths]
    words = {note.path: Words(note.title, (), "") for note in notes}
    meaning = meaning_graph({path: vectors[path] for path in words}, 0.8)

    other = clusters(link_graph(notes, links[::-1]), meaning, Lexicon(words))

    assert other == found(links=links)


def test_a_vault_without_clear_areas_has_the_same_clusters_on_every_run() -> None:
    order = random.Random(1)
    notes = [a_note(f"{number:02}.md") for number in range(80)]
    links = [a_link(*(note.path for note in order.sample(notes, 2))) for _ in range(200)]
    lexicon = Lexicon({note.path: Words(note.title, (), "") for note in notes})
    first = clusters(link_graph(notes, links), meaning_graph({}, 0.8), lexicon)

    for _ in range(3):
        order.shuffle(notes)
        order.shuffle(links)
        again = clusters(link_graph(notes, links), meaning_graph({}, 0.8), lexicon)
        assert again == first


def test_one_note_more_leaves_the_other_clusters_and_their_names() -> None:
    links = [a_link(one, other) for paths in SUBJECTS.values() for one, other in pairwise(paths)]
    before = found(links=links)
    more = {**SUBJECTS, "Bread": [*SUBJECTS["Bread"], "Bread/Bread 9.md"]}

    after = found(more, links=links)

    kept = [area for area in after if area.label != "Bread"]
    assert members(kept) <= members(before)
    assert {area.label for area in after} == {area.label for area in before}


def test_a_pair_is_no_cluster_and_an_empty_vault_has_none() -> None:
    assert found({"Bees": ["a.md", "b.md"]}, [a_link("a.md", "b.md")]) == ()
    assert found({}) == ()
