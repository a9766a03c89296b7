"""Which topics rest, and for how long."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.agenda.rest import resting
from daemon.model.agenda import AgendaStatus
from daemon.model.finding import FindingStatus
from daemon.store.agendas import AgendaStore
from daemon.store.db import Database
from daemon.store.findings import FindingStore
from daemon.store.runs import RunStatus, RunStore
from tests.fakes.values import NOW, a_record, a_task, an_agenda


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "lacuna.db")
    yield database
    database.close()


def topics(db: Database) -> list[str]:
    return resting(AgendaStore(db), FindingStore(db), NOW)


@pytest.mark.parametrize("status", FindingStatus)
@pytest.mark.parametrize(("days", "rests"), [(29, True), (31, False)])
def test_a_topic_rests_after_a_finding_whatever_was_decided(
    db: Database, status: FindingStatus, days: int, rests: bool
) -> None:
    then = NOW - timedelta(days=days)
    findings, record = FindingStore(db), a_record(created_at=then, topic="bees")
    findings.promise(record, "")
    decided_at = None if status is FindingStatus.PENDING else then
    findings.decide(replace(record, status=status, decided_at=decided_at), at=then)
    assert topics(db) == (["bees"] if rests else [])


@pytest.mark.parametrize("status", [AgendaStatus.DONE, AgendaStatus.CANCELLED])
@pytest.mark.parametrize(("days", "rests"), [(6, True), (8, False)])
def test_a_topic_rests_after_its_agenda_ended(
    db: Database, status: AgendaStatus, days: int, rests: bool
) -> None:
    then = NOW - timedelta(days=days)
    agenda = an_agenda(a_task(topic="bees"), status=status, created_at=then, runs_at=then)
    AgendaStore(db).save(agenda)
    assert topics(db) == (["bees"] if rests else [])


def test_an_agenda_that_waited_long_rests_from_the_end_of_its_run(
    db: Database, tmp_path: Path
) -> None:
    then = NOW - timedelta(days=20)
    agenda = an_agenda(a_task(topic="bees"), created_at=then, runs_at=None)
    AgendaStore(db).save(agenda)
    runs = RunStore(db, tmp_path / "runs")
    folder = runs.begin(agenda, NOW - timedelta(days=2))
    runs.end(folder.path.name, RunStatus.DONE, NOW - timedelta(days=2))
    AgendaStore(db).save(replace(agenda, status=AgendaStatus.DONE))
    assert topics(db) == ["bees"]


def test_a_topic_of_an_open_agenda_rests_as_long_as_it_is_open(db: Database) -> None:
    then = NOW - timedelta(days=400)
    AgendaStore(db).save(an_agenda(a_task(topic="bees"), created_at=then, runs_at=None))
    assert topics(db) == ["bees"]
