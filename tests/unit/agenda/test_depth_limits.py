"""What an agenda may take is said before it runs."""

from dataclasses import replace

import pytest

from daemon.agenda.agenda_note import agenda_text
from daemon.agenda.depth_limits import estimate_line, limits_fields, limits_line
from daemon.model.agenda import DEPTH_LIMITS, Choice, Depth
from daemon.model.source_names import source_name
from tests.fakes.values import a_task, an_agenda
from vault_adapters.wikilink import Linker

ONE = a_task(id="11111111", query="first query")
TWO = a_task(id="22222222", query="second query", choice=Choice.VETOED)
AGENDA = replace(an_agenda(ONE, TWO), follow=("openalex", "crossref"))


def test_each_depth_takes_more_than_the_one_before() -> None:
    quick, standard, deep = (DEPTH_LIMITS[depth] for depth in Depth)
    for name in ("hits", "documents", "hops", "works", "links", "followed"):
        assert getattr(quick, name) < getattr(standard, name) < getattr(deep, name), name


@pytest.mark.parametrize("depth", list(Depth))
def test_the_depth_and_its_limits_are_shown_in_one_line(depth: Depth) -> None:
    line = limits_line(replace(AGENDA, depth=depth))
    limits = DEPTH_LIMITS[depth]
    assert line.startswith(f"{depth.capitalize()}. Per task: up to {limits.hits} results")
    assert f" per source, {limits.documents} documents read. Citations: " in line
    assert f"from up to {limits.works} works, adding up to {limits.followed} documents" in line
    assert line.endswith(" (via openalex, crossref).")


def test_without_a_citation_index_no_citations_are_announced() -> None:
    line = limits_line(replace(AGENDA, follow=()))
    assert line.endswith(". Citations are not followed.")
    assert limits_fields(replace(AGENDA, follow=()))["steps"] == 0


def test_the_queries_are_shown_with_their_sources_before_the_run() -> None:
    assert estimate_line(AGENDA) == ["library, arxiv: “first query”", limits_line(AGENDA)]


def test_json_output_has_the_limits_as_numbers() -> None:
    assert limits_fields(AGENDA) == {
        "tasks": 1,
        "questions": 2,
        "results": 20,
        "documents": 6,
        "follow": ["openalex", "crossref"],
        "steps": 2,
        "works": 5,
        "followed": 3,
    }


def test_the_agendas_note_says_it_too() -> None:
    text = agenda_text(AGENDA, link=Linker(["Code/Rust async.md"]))
    assert f"\n>\n> {limits_line(AGENDA, source_name)}\n" in text
