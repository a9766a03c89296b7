"""An agenda is made out of its note alone, with everything the user did to it."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from daemon.agenda.agenda_note import agenda_text, rewrite
from daemon.agenda.plan import plan
from daemon.agenda.recovered_agenda import recovered_agenda
from daemon.model.agenda import (
    Agenda,
    AgendaStatus,
    Approval,
    Choice,
    Depth,
    Gap,
    GapKind,
    GapShape,
)
from vault_adapters.wikilink import Linker

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
OSLO = ZoneInfo("Europe/Oslo")
SOURCES = ("library", "arxiv")
LINK = Linker(["Bees.md", "Rust.md"])


def gap(topic: str, why: str, *keywords: str) -> Gap:
    return Gap(GapKind.GAP, GapShape.DANGLING, topic, ("Bees.md",), why, 0.5, {}, keywords)


AGENDA = replace(
    plan(
        [
            gap(
                "Queen rearing",
                "“Queen rearing” is named by “Bees”, and no note has that name",
                "n1",
            ),
            gap("how long do queens live in a strong colony", "you asked this in “Bees”"),
            gap("C++", "“Rust” and “Bees” name it"),
        ],
        sources=SOURCES,
        now=NOW,
        trigger="weekly",
        approval=Approval.VETO,
        window=timedelta(hours=12),
        depth=Depth.STANDARD,
    ),
    path="Inbox/Agenda.md",
)


def again(text: str) -> Agenda | None:
    return recovered_agenda(text, AGENDA.id, "Inbox/Agenda.md", sources=SOURCES, tz=OSLO)


def test_what_was_planned_is_made_out_of_the_note() -> None:
    made = again(agenda_text(AGENDA, link=LINK, tz=OSLO))
    assert made is not None
    assert replace(made, tasks=()) == replace(AGENDA, tasks=())
    for task, planned in zip(made.tasks, AGENDA.tasks, strict=True):
        assert (task.id, task.query, task.sources) == (planned.id, planned.query, planned.sources)
        assert task.because.replace("“", "").replace("”", "") == planned.because.replace(
            "“", ""
        ).replace("”", "")
    assert [task.topic for task in made.tasks][::2] == ["Queen rearing", "C++"]


def test_choices_are_the_user_s() -> None:
    text = agenda_text(AGENDA, link=LINK, tz=OSLO)
    first, second, _ = [line for line in text.splitlines() if line.startswith("- [x]")]
    text = text.replace(first, first.replace("[x]", "[-]")).replace(
        second, second.replace("x", " ", 1)
    )
    made = again(text)
    assert made is not None
    assert [task.choice for task in made.tasks] == [Choice.NEVER, Choice.VETOED, Choice.WANTED]


@pytest.mark.parametrize(
    ("written", "status"),
    [
        (AgendaStatus.PROPOSED, AgendaStatus.PROPOSED),
        (AgendaStatus.APPROVED, AgendaStatus.APPROVED),
        (AgendaStatus.RUNNING, AgendaStatus.APPROVED),
        (AgendaStatus.DONE, AgendaStatus.DONE),
        (AgendaStatus.CANCELLED, AgendaStatus.CANCELLED),
    ],
)
def test_one_that_was_running_runs_again(written: AgendaStatus, status: AgendaStatus) -> None:
    text = rewrite(
        agenda_text(AGENDA, link=LINK, tz=OSLO), replace(AGENDA, status=written), tz=OSLO
    )
    made = again(text)
    assert made is not None
    assert made.status is status


@pytest.mark.parametrize(
    "text",
    ["", "no properties", "---\nstatus: proposed\n---\n", "---\ncreated: soon\nstatus: odd\n---\n"],
)
def test_what_is_no_agenda_is_none(text: str) -> None:
    assert again(text) is None


def test_a_source_that_is_no_more_is_not_asked() -> None:
    text = agenda_text(AGENDA, link=LINK, tz=OSLO)
    made = recovered_agenda(text, AGENDA.id, "a.md", sources=("library",), tz=OSLO)
    assert made is not None
    assert {task.sources for task in made.tasks} == {("library",)}
    made = recovered_agenda(text, AGENDA.id, "a.md", sources=("brave",), tz=OSLO)
    assert made is not None
    assert {task.sources for task in made.tasks} == {("brave",)}


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] **" + "a" * 20_000 + "**" + " — because " * 20_000 + " ^t-1111111",
        "- [ ] **" * 20_000 + " ^t-11111111",
        "- [ ] **a**" + " " * 100_000 + "^t-1111111x",
    ],
)
def test_a_line_that_never_ends_is_read_in_no_time(line: str) -> None:
    text = f"---\ntype: agenda\nstatus: proposed\ncreated: 2026-11-21T10:00\n---\n{line}\n"
    began = time.process_time()
    recovered_agenda(text, "a", "A.md", sources=("arxiv",), tz=UTC)
    assert time.process_time() - began < 2.0  # it took hours
