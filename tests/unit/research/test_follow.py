"""Where citations lead, and when it ends."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from daemon.model.agenda import DEPTH_LIMITS, DepthLimits
from daemon.model.citations import Citations
from daemon.model.evidence import Hit, SourceStatus, SourceType
from daemon.research.follow import MAX_WORKS, Graph, Walk, ranked, walk

LIMITS = DepthLimits(hits=10, documents=3, own=3, hops=3, works=30, links=50, followed=3)
Table = Mapping[str, tuple[Sequence[str], Sequence[str]]]  # work -> (references, citing works)


def work(name: str, **values: object) -> Hit:
    hit = Hit("openalex", SourceType.PAPER, f"https://doi.org/10.1000/{name}", f"Work {name}")
    known: dict[str, object] = {"doi": f"10.1000/{name}", **values}
    return replace(hit, **known)  # type: ignore[arg-type]


def key(name: str) -> str:
    return f"doi:10.1000/{name}"


def evenly(_hit: Hit) -> float:
    return 0.5


class Index:
    """Tells from a table; remembers whom it was asked about, hop by hop."""

    def __init__(self, table: Table, *, sources: Sequence[str] = ("openalex",)) -> None:
        self.table = table
        self.sources = sources
        self.statement: dict[tuple[str, str], Citations] = {}
        self.hops: list[list[str]] = []

    def go(self, *seeds: Hit, limits: DepthLimits = LIMITS, trust: object = evenly) -> Walk:
        """Follow until nothing is missing."""
        while True:
            gone = walk(
                seeds,
                self.sources,
                lambda work, source: self.statement.get((work, source)),
                limits,
                trust,  # type: ignore[arg-type]
            )
            if not gone.missing:
                return gone
            self.hops.append(sorted({found.key for found, _ in gone.missing}))
            for found, source in gone.missing:
                self.statement[found.key, source] = self._citations(found.key, source)

    def _citations(self, asked: str, source: str) -> Citations:
        names = self.table.get(asked.rpartition("/")[2], ((), ()))
        references, citing = (tuple(map(work, each)) for each in names)
        return Citations(source, asked, SourceStatus.OK, references, citing)


def test_references_and_citing_works_are_followed_hop_by_hop() -> None:
    index = Index({"a": (["b"], ["c"]), "b": (["d"], []), "c": ([], ["e"])})
    gone = index.go(work("a"))
    assert index.hops == [[key("a")], [key("b"), key("c")], [key("d"), key("e")]]
    assert set(gone.graph.works) == set(map(key, "abcde"))
    assert set(gone.graph.cites) == {
        (key("a"), key("b")),
        (key("c"), key("a")),
        (key("b"), key("d")),
        (key("e"), key("c")),
    }


def test_a_work_says_from_where_it_was_reached() -> None:
    graph = Index({"a": (["b"], ["c"])}).go(work("a")).graph
    assert graph.works[key("a")].reached == ""
    assert graph.works[key("b")].reached == "cited by “Work a”"
    assert graph.works[key("c")].reached == "cites “Work a”"


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_it_goes_as_many_hops_as_the_depth_says_and_no_more(hops: int) -> None:
    chain: Table = {
        name: ([following], []) for name, following in zip("abcdef", "bcdefg", strict=True)
    }
    index = Index(chain)
    gone = index.go(work("a"), limits=replace(LIMITS, hops=hops))
    assert len(index.hops) == gone.hops == hops
    assert len(gone.graph.works) == hops + 1
    assert gone.end_reason == "the hops are used up"


def test_depths_go_one_two_and_three_hops() -> None:
    assert [limits.hops for limits in DEPTH_LIMITS.values()] == [1, 2, 3]


def test_it_stops_when_a_hop_brings_nothing_new() -> None:
    index = Index({"a": (["b"], []), "b": (["a"], ["a"])})
    gone = index.go(work("a"))
    assert index.hops == [[key("a")], [key("b")]]
    assert gone.end_reason == "the last hop brought nothing new"


def test_works_that_cite_each_other_in_a_circle_are_asked_about_once() -> None:
    index = Index({"a": (["b"], []), "b": (["c"], []), "c": (["a", "d"], []), "d": (["a"], [])})
    gone = index.go(work("a"), limits=replace(LIMITS, hops=9))
    assert len(gone.followed) == len(set(gone.followed)) == 4


def test_the_limit_of_works_is_spread_over_the_hops_and_never_overdrawn() -> None:
    wide = [f"r{number}" for number in range(40)]
    table: Table = {"a": (wide, [])} | {name: ([f"{name}x", f"{name}y"], []) for name in wide}
    index = Index(table)
    gone = index.go(work("a"), limits=replace(LIMITS, works=7))
    assert [len(hop) for hop in index.hops] == [1, 3, 3]
    assert len(gone.followed) == 7


def test_a_limit_smaller_than_the_hops_stops_early() -> None:
    index = Index({"a": (["b"], []), "b": (["c"], []), "c": (["d"], [])})
    gone = index.go(work("a"), limits=replace(LIMITS, works=2))
    assert len(gone.followed) == 2
    assert gone.end_reason == "enough works were asked about"


def test_the_credible_are_asked_about_first() -> None:
    index = Index({"a": (["b", "c"], [])})
    index.go(
        work("a"),
        limits=replace(LIMITS, hops=2, works=2),
        trust=lambda hit: 0.9 if hit.doi.endswith("c") else 0.3,
    )
    assert index.hops[1] == [key("c")]


def test_of_equally_credible_works_the_central_one_is_asked_about_first() -> None:
    index = Index({"a": (["b", "c"], []), "z": (["c"], [])})
    index.go(work("a"), work("z"), limits=replace(LIMITS, hops=2, works=3))
    assert index.hops == [[key("a"), key("z")], [key("c")]]


def test_a_retracted_work_is_not_followed() -> None:
    index = Index({"a": (["b"], [])})
    gone = index.go(work("a"), trust=lambda hit: 0.0 if hit.doi.endswith("b") else 0.5)
    assert index.hops == [[key("a")]]
    assert [each.key for each in ranked(gone.graph, lambda hit: 0.0)] == []


def test_all_sources_are_asked_about_each_work_and_who_says_so_is_kept() -> None:
    index = Index({"a": (["b"], [])}, sources=["crossref", "openalex"])
    gone = index.go(work("a"), limits=replace(LIMITS, hops=1))
    assert list(gone.graph.cites[key("a"), key("b")]) == ["crossref", "openalex"]


def test_without_seeds_nothing_is_asked() -> None:
    index = Index({})
    assert index.go().graph.works == {}
    assert index.hops == []


def test_a_list_without_end_is_cut() -> None:
    many = [f"n{number}" for number in range(MAX_WORKS + 500)]
    gone = Index({"a": (many, [])}).go(work("a"), limits=replace(LIMITS, hops=1))
    assert len(gone.graph.works) == MAX_WORKS


def test_one_work_under_several_identifiers_is_one() -> None:
    graph = Graph()
    preprint = Hit("semanticscholar", SourceType.PREPRINT, "https://arxiv.org/abs/2401.01234", "A")
    graph.add(work("a"))
    both = replace(preprint, doi="10.1000/a", arxiv_id="2401.01234", citations=7)
    assert graph.add(both, 1, "cited by “B”") == key("a")
    assert graph.add(preprint, 1, "cited by “C”") == key("a")
    (only,) = graph.works.values()
    assert only.hop == 0
    assert only.reached == ""
    assert only.hit.citations == 7
    assert "arxiv:2401.01234" in only.keys


def test_a_work_that_one_source_knows_by_its_doi_alone_gets_its_title_from_another() -> None:
    graph = Graph()
    bare = work("a", title="10.1000/a")
    assert graph.add(replace(bare, source="crossref"), 1, "cited by “B”") == key("a")
    graph.add(work("a"), 1, "cited by “B”")
    graph.add(work("a", title="Another wording"), 1, "cited by “B”")
    assert graph.works[key("a")].hit.title == "Work a"


def test_a_work_without_any_identity_is_excluded() -> None:
    assert Graph().add(Hit("crossref", SourceType.PAPER, "", "Only a title")) is None


def test_joined_graphs_know_a_work_by_the_nearest_way_to_it() -> None:
    near, far = Graph(), Graph()
    near.add(work("a"))
    far.link(str(far.add(work("z"))), str(far.add(work("a"), 1, "cited by “Work z”")), "openalex")
    far.join(near)
    assert far.works[key("a")].hop == 0
    assert far.works[key("a")].reached == ""
    assert list(far.cites) == [(key("z"), key("a"))]
