"""Sources that cannot be reached are tried again: at once, when the network is back."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import daemon.composition
from daemon.cycle.schedules import WaitReasons
from daemon.model.agenda import Agenda, AgendaStatus
from daemon.model.event import Done, StepComplete, StepStart
from daemon.model.evidence import NO_NETWORK, Answer, SourceStatus
from scheduler.conditions import Network, Surroundings
from tests.fakes.cli import LIBRARY, NOTES, lay_out
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.only_library import ONLY_LIBRARY, only_arxiv
from tests.unit.test_host_jobs import VIENNA, Machine
from tests.unit.test_host_night import NIGHT

NOTE = "---\nresearch: why does bread go stale in the fridge\n---\n# Why\n"


class Arxiv:
    """A source on the network that answers when there is one."""

    is_local = False
    name = "arxiv"

    def __init__(self) -> None:
        self.is_there, self.asked = False, 0

    async def search(self, query: str, *, limit: int) -> Answer:
        self.asked += 1
        await asyncio.sleep(0)
        if self.is_there:
            return Answer("arxiv", query, SourceStatus.EMPTY)
        return Answer("arxiv", query, SourceStatus.UNAVAILABLE, why=NO_NETWORK, requests=0)


@pytest.fixture
def arxiv() -> Arxiv:
    return Arxiv()


@pytest.fixture
def machine(tmp_path: Path, arxiv: Arxiv, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    (tmp_path / "sources.yaml").write_text(only_arxiv("http://127.0.0.1:9"))
    vault = lay_out(tmp_path / "vault", NOTES)
    (vault / "Why.md").write_text(NOTE)
    found = Machine(tmp_path, weekly__enabled=False, agenda__tagged_veto_seconds=0.0)
    plug(found, arxiv)
    yield found
    for app in found.opened:
        app.close()


def plug(machine: Machine, arxiv: Arxiv) -> None:
    runs: Any = machine.app.research.runs
    runs._outside = replace(runs._outside, sources={**runs._outside.sources, "arxiv": arxiv})


def turns(machine: Machine) -> Agenda:
    """Do all that is to be done at a moment, and return the one agenda."""
    for _ in range(4):
        machine.turn()
    (agenda,) = machine.agendas
    return agenda


def note(machine: Machine, agenda: Agenda) -> str:
    return (machine.app.adapter.root / (agenda.path or "")).read_text("utf-8")


def test_a_note_that_asked_without_a_network_is_answered_when_there_is_one(
    machine: Machine, arxiv: Arxiv
) -> None:
    agenda = turns(machine)
    assert (agenda.status, agenda.tries) == (AgendaStatus.WAITING, 1)
    assert agenda.trouble == "could not reach arXiv (no network)"
    assert "Could not reach arXiv (no network); trying again on " in note(machine, agenda)
    machine.time += timedelta(minutes=14)
    assert turns(machine).tries == 1
    machine.time += timedelta(minutes=2)
    assert turns(machine).tries == 2
    arxiv.is_there = True
    machine.time += timedelta(hours=1, minutes=1)
    agenda = turns(machine)
    assert agenda.status is AgendaStatus.DONE
    assert (agenda.path or "").startswith("Inbox/Research/Archive/")
    assert "Done; nothing new was found." in note(machine, agenda)
    assert [path.name for path in (machine.app.adapter.root / "Inbox/Research").glob("*.md")] == []


def test_a_process_that_is_restarted_goes_on_trying(machine: Machine, arxiv: Arxiv) -> None:
    due_at = turns(machine).runs_at
    machine.start()
    plug(machine, arxiv)
    assert turns(machine).runs_at == due_at
    machine.time += timedelta(minutes=16)
    assert turns(machine).tries == 2


def test_it_is_tried_at_once_when_the_network_is_back(machine: Machine, arxiv: Arxiv) -> None:
    for _ in range(3):
        turns(machine)
        machine.time += timedelta(hours=4, minutes=1)
    assert turns(machine).tries == 4  # from now on it is tried once a day
    machine.place.surroundings = Surroundings(Network.ABSENT)
    machine.time += timedelta(minutes=2)
    assert turns(machine).tries == 4
    arxiv.is_there, machine.place.surroundings = True, Surroundings(Network.FREE)
    machine.time += timedelta(minutes=2)
    assert turns(machine).status is AgendaStatus.DONE


def test_after_a_week_it_is_given_up_and_says_so_and_can_be_asked_again(
    machine: Machine, arxiv: Arxiv
) -> None:
    for _ in range(9 * 4):
        agenda = turns(machine)
        machine.time += timedelta(hours=6)
    assert agenda.status is AgendaStatus.FAILED
    assert f"Gave up after {agenda.tries} attempts." in note(machine, turns(machine))
    assert machine.app.stores.agendas.failed_since(machine.time - timedelta(days=7)) == [agenda]
    arxiv.is_there = True
    machine.app.research.agendas.decide(agenda.id, AgendaStatus.APPROVED, machine.time)
    assert turns(machine).status is AgendaStatus.DONE


def test_what_is_waiting_can_be_cancelled_in_its_note(machine: Machine, arxiv: Arxiv) -> None:
    agenda, asked = turns(machine), arxiv.asked
    path = machine.app.adapter.root / (agenda.path or "")
    path.write_text(path.read_text().replace("status: waiting", "status: cancelled"))
    machine.host._wakes.put(frozenset({agenda.path or ""}))
    assert turns(machine).status is AgendaStatus.CANCELLED
    machine.time += timedelta(days=1)
    turns(machine)
    assert arxiv.asked == asked


def test_a_question_of_the_night_stays_in_the_queue_though_the_library_was_searched(
    tmp_path: Path, arxiv: Arxiv, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    sources = only_arxiv("http://127.0.0.1:9").replace("library: {enabled: false}\n", "")
    (tmp_path / "sources.yaml").write_text(sources)
    lay_out(tmp_path / "vault", NOTES)
    library = lay_out(tmp_path / "library", LIBRARY)
    machine = Machine(
        tmp_path, library__folder=library, weekly__enabled=False, nightly__enabled=True
    )
    machine.turn()
    plug(machine, arxiv)
    queue = tmp_path / "vault/Inbox/Research/Queue.md"
    queue.write_text(queue.read_text() + "- [ ] zebra unicorn xylophone\n")
    machine.host._wakes.put(frozenset({"Inbox/Research/Queue.md"}))
    machine.live(NIGHT + timedelta(minutes=30))
    (agenda,) = machine.agendas
    assert (agenda.status, agenda.schedule) == (AgendaStatus.FAILED, "nightly")
    assert "- [ ] zebra unicorn xylophone" in queue.read_text()
    (briefing,) = queue.parent.glob("Briefing *.md")
    assert "## Carried over to the next night\n\n- “zebra unicorn xylophone”: could not reach" in (
        briefing.read_text()
    )
    for app in machine.opened:
        app.close()


def test_a_run_waits_for_the_library_to_be_read_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    (tmp_path / "sources.yaml").write_text(ONLY_LIBRARY)
    vault = lay_out(tmp_path / "vault", NOTES)
    (vault / "Why.md").write_text(NOTE)
    library = lay_out(tmp_path / "library", LIBRARY)
    machine = Machine(
        tmp_path, library__folder=library, weekly__enabled=False, agenda__tagged_veto_seconds=0.0
    )
    schedules, why = (
        machine.app.scheduling.schedules,
        "the library is being indexed (1 of 60 documents)",
    )
    read, schedules._wait_reasons = schedules._wait_reasons, WaitReasons(indexing=lambda: why)
    agenda = turns(machine)
    assert agenda.status is AgendaStatus.PROPOSED
    wait = schedules.wait_of(agenda, machine.time, VIENNA, Surroundings())
    assert wait is not None
    assert wait.why == why
    late = machine.time + timedelta(minutes=16)
    assert schedules.wait_of(agenda, late, VIENNA, Surroundings()) is None
    schedules._wait_reasons = read
    assert turns(machine).status is AgendaStatus.DONE
    events = machine.app.events.after(0)
    assert {type(each) for each in events if each.run} >= {StepStart, StepComplete, Done}
    for app in machine.opened:
        app.close()
