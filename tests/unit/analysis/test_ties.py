import numpy as np
import pytest

from daemon.analysis.graph import LinkGraph, link_graph
from daemon.analysis.ties import PEERS, Peers, Walks
from tests.fakes.rows import a_link, a_note
from vault_adapters.note import Role


def graph_of(*pairs: str, notes: str = "ABCDEF") -> LinkGraph:
    links = [a_link(f"{pair[0]}.md", f"{pair[1]}.md") for pair in pairs]
    return link_graph([a_note(f"{name}.md") for name in notes], links)


def test_a_walk_comes_most_by_what_is_linked_by_many_ways() -> None:
    # A and E have B and C in common; A and F only D.
    visits = Walks(graph_of("AB", "AC", "AD", "BE", "CE", "DF")).visits(0)
    assert visits[4] > visits[5] > 0


def test_a_walk_follows_links_both_ways() -> None:
    visits = Walks(graph_of("BA", "BC")).visits(0)
    assert visits[2] > 0 == visits[3]


def test_two_notes_of_one_hub_are_less_near_than_two_of_a_small_map() -> None:
    hub = ["ax", "bx", "cx", "dx", "ex", "fx", "gx"]
    visits = Walks(graph_of(*hub, "ay", "by", notes="abcdefgxy")).visits(0)
    assert visits[1] > visits[2]


def test_chances_add_up_to_one() -> None:
    walks = Walks(graph_of("AB", "BC", "CA", "CD", "DE", "EF"))
    chances = np.expm1(walks.visits(0)) / 6
    assert chances.sum() == pytest.approx(1.0, abs=0.02)


def test_a_link_that_is_taken_away_is_not_walked() -> None:
    one_way = Walks(graph_of("AB", "CD"))
    assert one_way.visits(0)[1] > 0
    assert one_way.visits(0, without=1)[1] == 0
    there = Walks(graph_of("AB", "AC", "BC"))
    np.testing.assert_allclose(
        there.visits(0, without=1), Walks(graph_of("AC", "BC")).visits(0), atol=1e-6
    )


def test_it_counts_who_links_to_a_note_without_the_link_that_is_taken_away() -> None:
    walks = Walks(graph_of("AB", "CB", "DA"))
    np.testing.assert_allclose(np.expm1(walks.linked()), [1, 2, 0, 0, 0, 0], atol=1e-6)
    np.testing.assert_allclose(np.expm1(walks.linked(without=1)), [1, 1, 0, 0, 0, 0], atol=1e-6)


def test_a_canvas_joins_the_notes_that_it_shows() -> None:
    notes = [a_note("A.md"), a_note("B.md"), a_note("Board.canvas", role=Role.CANVAS)]
    links = [a_link("Board.canvas", "A.md"), a_link("Board.canvas", "B.md")]
    visits = Walks(link_graph(notes, links)).visits(0)
    assert len(visits) == 2
    assert visits[1] > 0


def test_a_vault_without_links_has_no_walks() -> None:
    assert Walks(graph_of()).visits(2).tolist() == pytest.approx([0, 0, np.log1p(6 * 0.3), 0, 0, 0])


def test_links_of_similar_notes_are_weighted_by_similarity() -> None:
    alike = np.array([1.0, 0.8, 0.4, 0.0, 0.0, 0.0], np.float32)
    reported = Peers(graph_of("BD", "CE", "DF")).linking(0, alike)
    assert reported[3] > reported[4] > 0
    assert reported[[0, 1, 2, 5]].tolist() == [0, 0, 0, 0]


def test_the_links_of_the_note_itself_are_not_counted() -> None:
    alike = np.array([1.0, 0.8, 0.4, 0.0, 0.0, 0.0], np.float32)
    reported = Peers(graph_of("AD", "BA")).linking(0, alike)
    assert reported[3] == 0
    assert reported[0] > 0  # which is never suggested


def test_only_the_few_most_alike_are_peers() -> None:
    count = PEERS + 2
    names = "".join(chr(ord("A") + n) for n in range(count + 1))
    far, target = names[-2], names[-1]
    alike = np.linspace(1.0, 0.1, count + 1, dtype=np.float32)
    reported = Peers(graph_of(f"{far}{target}", notes=names)).linking(0, alike)
    assert reported.tolist() == [0.0] * (count + 1)
