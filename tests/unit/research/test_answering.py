"""A finding answers one question from all that was found; old documents stay evidence."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.model.agenda import GapKind, Task
from daemon.model.topics import question_key, sentence_key
from daemon.research.finding_names import title_of
from daemon.research.replay import replay
from daemon.store.evidence import RunFolder
from daemon.store.run_files import RunDirectory
from tests.fakes.run_parts import (
    BREAD,
    BREAD_QUERY,
    RUN,
    Pages,
    Surroundings,
    a_hit,
    a_task,
    an_agenda,
    offered_for,
)
from tests.fakes.source import FakeSource

TASK = a_task("staling of bread", BREAD_QUERY)
OLD, NEW = a_hit("old"), a_hit("new")
OTHER = (
    "Stale bread from a refrigerator is caused by the cold, as bakers of rye bread know.\nMine.\n"
)
WRITTEN = "Inbox/Research/2026-11-20 Stale bread.md"


def _around(*names: str) -> Surroundings:
    hits = {
        "old": replace(OLD, url="https://a.org/old"),
        "new": replace(NEW, url="https://b.org/new"),
    }
    source = FakeSource("one", [hits[name] for name in names])
    around = Surroundings({"one": source}, Pages({"old": BREAD, "new": OTHER}))
    around.known = offered_for([TASK], ["url:a.org/old"])
    return around


def test_a_document_offered_before_is_quoted_beside_a_new_one(tmp_path: Path) -> None:
    result = asyncio.run(_around("old", "new").run(an_agenda(TASK), tmp_path / RUN))
    (finding,) = result.findings
    assert finding.document.hit.url == "https://b.org/new"
    assert {source.document.hit.url for source in finding.sources} == {
        "https://a.org/old",
        "https://b.org/new",
    }
    assert result.answered == {}


def test_a_question_that_only_old_documents_answer_names_its_finding(tmp_path: Path) -> None:
    around = _around("old")
    around.answered = {"url:a.org/old": WRITTEN}
    result = asyncio.run(around.run(an_agenda(TASK), tmp_path / RUN))
    assert not result.findings
    assert result.answered == {TASK.id: WRITTEN}
    assert [(skip.why, skip.note) for skip in result.skips] == [
        ("offered in an earlier run", WRITTEN)
    ]
    assert replay(RunFolder(RunDirectory(tmp_path / RUN))) == result


def test_the_finding_of_the_same_question_comes_first(tmp_path: Path) -> None:
    around = _around("old")
    around.answered = {"url:a.org/old": "Other.md", question_key(BREAD_QUERY.upper()): WRITTEN}
    result = asyncio.run(around.run(an_agenda(TASK), tmp_path / RUN))
    assert result.answered == {TASK.id: WRITTEN}


def test_an_old_document_answers_a_new_question_but_not_with_the_same_sentence(
    tmp_path: Path,
) -> None:
    around = _around("old")
    around.known = frozenset({"url:a.org/old"})
    around.answered = {"url:a.org/old": WRITTEN}
    first = asyncio.run(around.run(an_agenda(TASK), tmp_path / "first"))
    (finding,) = first.findings
    assert first.answered == {}
    assert replay(RunFolder(RunDirectory(tmp_path / "first"))) == first
    around.answered |= {sentence_key(quote.passage.text): WRITTEN for quote in finding.quotes}
    again = asyncio.run(around.run(an_agenda(TASK), tmp_path / "again"))
    assert not again.findings
    assert again.answered == {TASK.id: WRITTEN}


def test_two_findings_of_one_run_share_no_sentence(tmp_path: Path) -> None:
    other = a_task("soft bread", "soft bread heat melts starch", score=0.3)
    around = _around("old")
    around.known = frozenset()
    result = asyncio.run(around.run(an_agenda(TASK, other), tmp_path / RUN))
    statement = [quote.passage.text for finding in result.findings for quote in finding.quotes]
    assert len(statement) == len(set(statement)) > 1


@pytest.mark.parametrize(
    ("topic", "query", "title"),
    [
        ("Bread", "why does bread go stale", "Why does bread go stale?"),
        ("Bread", "Why does bread go stale?", "Why does bread go stale?"),
        ("Varroa", "varroa count brood", "Varroa count brood"),
        ("Local-first", "merge semantics", "Local-first: merge semantics"),
        ("Rich-text CRDTs", '"rich-text" CRDTs', "Rich-text CRDTs"),
        ("git log -p", "git log -p", "git log -p"),
    ],
)
def test_a_finding_is_titled_with_its_question(topic: str, query: str, title: str) -> None:
    task = Task("t", topic, query, (), "", None, GapKind.GAP)
    assert title_of(task) == title
