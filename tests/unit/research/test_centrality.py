"""PageRank, held against networkx."""

import random

import networkx as nx
import pytest

from daemon.research.centrality import pagerank


def test_no_works_have_no_ranks() -> None:
    assert pagerank([], []) == {}


def test_a_work_that_many_cite_is_more_central() -> None:
    ranks = pagerank(["a", "b", "c"], [("a", "c"), ("b", "c")])
    assert ranks["c"] > ranks["a"] == ranks["b"]
    assert sum(ranks.values()) == pytest.approx(1)


def test_a_circle_of_citations_is_no_trouble() -> None:
    ranks = pagerank(["a", "b"], [("a", "b"), ("b", "a")])
    assert ranks == {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize("seed", range(5))
def test_the_ranks_are_those_of_networkx(seed: int) -> None:
    chance = random.Random(seed)
    works = [f"w{number}" for number in range(60)]
    cites = {(chance.choice(works), chance.choice(works)) for _ in range(150)}
    cites = {(citing, cited) for citing, cited in cites if citing != cited}
    graph = nx.DiGraph(sorted(cites))
    graph.add_nodes_from(works)
    expected = nx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=500)
    assert pagerank(works, cites) == pytest.approx(expected, abs=1e-6)


def test_the_order_in_which_citations_came_changes_nothing() -> None:
    works = [f"w{number}" for number in range(30)]
    cites = [(one, other) for one in works for other in works[:5] if one != other]
    assert pagerank(works, cites) == pagerank(works, cites[::-1])
