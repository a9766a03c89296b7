"""Citations in a run: what they lead to is read like all else, kept, and replayed."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import networkx as nx
import pytest

from daemon.model.agenda import Agenda, Depth
from daemon.model.errors import StoppedError
from daemon.model.evidence import Hit, SourceStatus
from daemon.research.graphml import graphml
from daemon.research.pipeline import RunResult
from daemon.research.replay import replay
from daemon.research.run_record import all_answers
from daemon.store.evidence import RunFolder
from daemon.store.run_files import RunDirectory
from tests.fakes.index import FakeIndex, a_work
from tests.fakes.run_parts import BREAD, BREAD_QUERY, RUN, Pages, Surroundings, a_task, an_agenda
from tests.fakes.source import FakeSource

TASK = a_task("staling of bread", BREAD_QUERY, sources=("one",))
MORE = """Bread that was frozen

Bread in a freezer stays soft longer than stale bread in a refrigerator, whatever the bakers say.
A refrigerator makes bread stale within a day because its starch crystallises just above freezing.
"""
A, B, C = a_work("a"), a_work("b"), a_work("c", citations=900)


def an_agenda_that_follows(*names: str, depth: Depth = Depth.STANDARD, **more: Any) -> Agenda:
    return replace(an_agenda(TASK, depth=depth), follow=names or ("one",), **more)


def surroundings(*sources: FakeSource, **texts: str) -> Surroundings:
    pages = Pages({"a": BREAD, "b": MORE, **texts})
    return Surroundings({source.name: source for source in sources}, pages)


def run(around: Surroundings, folder: Path, agenda: Agenda | None = None) -> RunResult:
    return asyncio.run(around.run(agenda or an_agenda_that_follows(), folder / RUN))


def test_what_a_found_work_cites_is_read_and_says_how_it_was_reached(tmp_path: Path) -> None:
    around = surroundings(FakeIndex("one", [A], references={"a": [B]}))
    result = run(around, tmp_path)
    assert sorted(around.pages.fetched) == [A.url, B.url]
    notes = {one.document.hit.url: one.document.note for one in result.findings[0].sources}
    assert notes == {
        A.url: "",
        B.url: "found through citations: cited by “A paper on a and bread”",
    }


def test_what_cites_a_found_work_is_read_too(tmp_path: Path) -> None:
    result = run(surroundings(FakeIndex("one", [A], citing={"a": [B]})), tmp_path)
    notes = [one.document.note for one in result.findings[0].sources]
    assert [note for note in notes if note] == [
        "found through citations: cites “A paper on a and bread”"
    ]


def test_an_agenda_that_follows_nothing_asks_for_no_citations(tmp_path: Path) -> None:
    index = FakeIndex("one", [A], references={"a": [B]})
    result = run(surroundings(index), tmp_path, an_agenda(TASK))
    assert index.looked_up == []
    assert result.graph["works"] == result.graph["citations"] == []


def test_the_same_notes_come_of_the_folder_alone(tmp_path: Path) -> None:
    around = surroundings(FakeIndex("one", [A], references={"a": [B, C]}), c=MORE * 2)
    result = run(around, tmp_path)
    assert replay(RunFolder(RunDirectory(tmp_path / RUN))) == result


def test_how_well_cited_a_document_is_ranks_it_and_leaves_its_credibility(tmp_path: Path) -> None:
    alone = run(surroundings(FakeIndex("one", [A, B])), tmp_path / "alone")
    index = FakeIndex("one", [A, B], citing={"b": [a_work(f"x{n}") for n in range(9)]})
    cited = run(surroundings(index), tmp_path / "cited")
    trust = {finding.document.key: finding.credibility for finding in alone.findings}
    assert {finding.document.key: finding.credibility for finding in cited.findings} == trust
    assert [work["key"] for work in cited.graph["works"]][:1] == ["doi:10.1000/b"]


def test_a_web_page_has_no_citations_to_ask_for(tmp_path: Path) -> None:
    page = replace(A, doi="")
    index = FakeIndex("one", [page], references={"": [B]})
    run(surroundings(index), tmp_path)
    assert index.looked_up == []


def test_an_index_that_hangs_costs_its_time_out_once(tmp_path: Path) -> None:
    hung = FakeIndex("two", silent=True)
    good = FakeIndex("one", [A], references={"a": [B], "b": [C]})
    around = surroundings(good, hung)
    around.timeouts = {"two": 0.05}
    agenda = an_agenda_that_follows("one", "two", depth=Depth.DEEP)
    result = asyncio.run(asyncio.wait_for(around.run(agenda, tmp_path / RUN), 30))
    assert hung.looked_up == ["a"]
    late = [each for each in result.citations if each.source == "two"]
    assert len(late) > 1
    assert {(each.status, each.why) for each in late} == {
        (SourceStatus.UNAVAILABLE, "no answer in 0.05 s")
    }
    assert sum(each.requests for each in late) == 1
    assert len(result.findings[0].sources) == 2


def test_a_failing_index_is_reported_and_the_run_continues(tmp_path: Path) -> None:
    broken = FakeIndex("two", trouble=ZeroDivisionError())
    good = FakeIndex("one", [A], references={"a": [B]})
    result = run(surroundings(good, broken), tmp_path, an_agenda_that_follows("one", "two"))
    reported = {(each.source, each.status, each.why) for each in all_answers(result) if each.why}
    assert reported == {("two", SourceStatus.UNAVAILABLE, "failed (ZeroDivisionError)")}
    assert len(result.findings[0].sources) == 2


def test_a_source_that_is_no_index_is_reported_as_not_set_up(tmp_path: Path) -> None:
    result = run(surroundings(FakeSource("one", [A])), tmp_path)
    assert {each.why for each in result.citations} == {"not set up"}


def test_retracted_works_are_not_read(tmp_path: Path) -> None:
    around = surroundings(FakeIndex("one", [A], references={"a": [replace(B, retracted=True)]}))
    run(around, tmp_path)
    assert around.pages.fetched == [A.url]


def test_only_so_many_are_read_those_on_the_subject_first(tmp_path: Path) -> None:
    others = [a_work(f"off{n}", title=f"Quantum dots {n}", citations=5000) for n in range(9)]
    index = FakeIndex("one", [A], references={"a": [*others, B]})
    around = surroundings(index)
    run(around, tmp_path, an_agenda_that_follows(depth=Depth.QUICK))
    assert len(around.pages.fetched) == 3
    assert {A.url, B.url} < set(around.pages.fetched)


def test_what_citations_lead_to_is_known_from_earlier_runs(tmp_path: Path) -> None:
    around = surroundings(FakeIndex("one", [A], references={"a": [B]}))
    around.known = frozenset({"doi:10.1000/b"})
    run(around, tmp_path)
    assert around.pages.fetched == [A.url]


def test_a_work_that_was_searched_for_and_cited_is_read_once(tmp_path: Path) -> None:
    around = surroundings(FakeIndex("one", [A, B], references={"a": [B], "b": [A]}))
    result = run(around, tmp_path)
    assert sorted(around.pages.fetched) == [A.url, B.url]
    assert {finding.document.note for finding in result.findings} == {""}


def test_a_run_that_was_stopped_asks_only_for_the_citations_that_are_missing(
    tmp_path: Path,
) -> None:
    hung = FakeIndex("two", silent=True)
    good = FakeIndex("one", [A], references={"a": [B]})
    around = surroundings(good, hung)
    agenda = an_agenda_that_follows("one", "two")

    async def scenario() -> None:
        work = asyncio.ensure_future(around.run(agenda, tmp_path / RUN))
        while not any("citations of" in what for what in around.seen):
            await asyncio.sleep(0)
        around.stop.is_requested = True
        await work

    with pytest.raises(StoppedError):
        asyncio.run(scenario())
    again = FakeIndex("one", error=AssertionError("asked again"), references={"b": [C]})
    result = run(surroundings(again, FakeIndex("two")), tmp_path, agenda)
    assert again.looked_up == ["b"]
    assert {one.document.hit.url for one in result.findings[0].sources} >= {A.url, B.url}


def test_the_graph_is_kept_in_the_run_folder(tmp_path: Path) -> None:
    result = run(surroundings(FakeIndex("one", [A], references={"a": [B]})), tmp_path)
    kept = json.loads((tmp_path / RUN / "citations.json").read_text())
    assert kept == result.graph
    assert kept["citations"] == [
        {"citing": "doi:10.1000/a", "cited": "doi:10.1000/b", "sources": ["one"]}
    ]
    works = {work["key"]: work for work in kept["works"]}
    assert works["doi:10.1000/b"]["hop"] == 1
    assert works["doi:10.1000/b"]["document"] is not None
    reported = json.loads((tmp_path / RUN / "run.json").read_text())
    assert (reported["works"], reported["citations"]) == (2, 1)
    record = (tmp_path / RUN / "research.md").read_text()
    assert "Works: 2, citations between them: 1;" in record
    assert "- one on doi:10.1000/a: ok, references 1, citing works 0" in record


def test_the_graph_is_exported_as_graphml_whatever_titles_hold(tmp_path: Path) -> None:
    odd = replace(B, title='<b>&\u0001 "Brot"\ufffe \U0001f35e', published="")
    result = run(surroundings(FakeIndex("one", [A], references={"a": [odd]})), tmp_path)
    text = graphml({**result.graph, "run": "r-1"})
    ET.fromstring(text)
    read = nx.parse_graphml(text)
    (finding,) = result.findings
    assert list(read.edges(data=True)) == [
        ("doi:10.1000/a", "doi:10.1000/b", {"sources": "one"}),
        ("run:r-1", "doi:10.1000/a", {"findings": finding.id}),
        ("run:r-1", "doi:10.1000/b", {"findings": finding.id}),
    ]
    (document,) = (each.document for each in finding.sources if each.document.hit.url == A.url)
    assert read.nodes["doi:10.1000/a"]["document"] == document.id
    assert read.nodes["doi:10.1000/b"]["title"].startswith('<b>& "Brot"')
    assert read.nodes["doi:10.1000/b"]["pagerank"] > read.nodes["doi:10.1000/a"]["pagerank"]


def test_huge_lists_of_references_are_cut(tmp_path: Path) -> None:
    many: list[Hit] = [a_work(f"n{number}") for number in range(3000)]
    result = run(surroundings(FakeIndex("one", [A], references={"a": many})), tmp_path)
    (first,) = (each for each in result.citations if each.work == "doi:10.1000/a")
    assert len(first.references) == 40
