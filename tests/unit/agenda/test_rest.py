"""Which topics rest, and for how long."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from daemon.agenda.rest import resting_names, resting_topics
from daemon.model.agenda import AgendaStatus
from daemon.model.finding import FindingStatus
from daemon.model.run import RunStatus
from daemon.store.agendas import AgendaStore
from daemon.store.db import Database
from daemon.store.findings import FindingStore
from daemon.store.run_files import RunDirectories
from daemon.store.runs import RunStore
from tests.fakes.values import NOW, a_record, a_task, an_agenda

A_YEAR_ON = NOW + timedelta(days=365)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "lacuna.db")
    yield database
    database.close()


def topics(db: Database, at: datetime = NOW) -> list[str]:
    return resting_names(AgendaStore(db), FindingStore(db), at)


@pytest.mark.parametrize("status", FindingStatus)
@pytest.mark.parametrize(("days", "rests"), [(29, True), (31, False)])
def test_a_topic_rests_after_a_finding_whatever_was_decided(
    db: Database, status: FindingStatus, days: int, rests: bool
) -> None:
    then = NOW - timedelta(days=days)
    findings, record = FindingStore(db), a_record(created_at=then, topic="bees")
    findings.add_pending(record, "")
    decided_at = None if status is FindingStatus.PENDING else then
    findings.decide(replace(record, status=status, decided_at=decided_at), at=then)
    assert topics(db) == (["bees"] if rests else [])


def dismissed(db: Database, runs: int, at: datetime, topic: str = "bees") -> None:
    """Dismiss findings of a topic in so many runs, the last of them `at`."""
    for number in range(runs):
        then = at - timedelta(days=100 * (runs - 1 - number))
        record = a_record(id=f"f-{topic}-{number}", run=f"r-{number}", topic=topic, created_at=then)
        FindingStore(db).add_pending(record, "")
        decided = replace(record, status=FindingStatus.DISMISSED, decided_at=then)
        FindingStore(db).decide(decided, at=then)


@pytest.mark.parametrize(("runs", "days"), [(1, 30), (2, 30), (3, 90), (4, 90)])
def test_what_was_dismissed_three_times_rests_three_times_as_long(
    db: Database, runs: int, days: int
) -> None:
    dismissed(db, runs, NOW - timedelta(days=days - 1))
    assert topics(db) == ["bees"]
    (rest,) = resting_topics(AgendaStore(db), FindingStore(db), NOW)
    assert rest.until_at == NOW + timedelta(days=1)
    assert topics(db, NOW + timedelta(days=1)) == []


def test_several_findings_of_one_run_are_dismissed_once(db: Database) -> None:
    for number in range(3):
        record = a_record(id=f"f-{number}", topic="bees")
        FindingStore(db).add_pending(record, "")
        decided = replace(record, status=FindingStatus.DISMISSED, decided_at=NOW)
        FindingStore(db).decide(decided, at=NOW)
    assert topics(db, NOW + timedelta(days=29)) == ["bees"]
    assert topics(db, NOW + timedelta(days=31)) == []


def test_never_is_for_good_and_stands_before_what_ends(db: Database) -> None:
    dismissed(db, 1, NOW)
    AgendaStore(db).never_suggest("Wasps", at=NOW)
    assert [
        (rest.topic, rest.why, rest.until_at)
        for rest in resting_topics(AgendaStore(db), FindingStore(db), NOW)
    ] == [
        ("wasps", "never", None),
        ("bees", "a finding was dismissed", NOW + timedelta(days=30)),
    ]
    assert [
        rest.topic for rest in resting_topics(AgendaStore(db), FindingStore(db), A_YEAR_ON)
    ] == ["wasps"]


def test_a_restored_topic_rests_no_more_and_its_dismissals_count_no_more(db: Database) -> None:
    dismissed(db, 3, NOW)
    AgendaStore(db).save(an_agenda(a_task(topic="bees"), status=AgendaStatus.DONE, runs_at=NOW))
    AgendaStore(db).never_suggest("bees", at=NOW)
    AgendaStore(db).topics.restore("Bees", at=NOW)
    assert topics(db) == []
    again = NOW + timedelta(days=1)
    record = a_record(id="f-again", run="r-again", topic="bees", created_at=again)
    FindingStore(db).add_pending(record, "")
    decided = replace(record, status=FindingStatus.DISMISSED, decided_at=again)
    FindingStore(db).decide(decided, at=again)
    (rest,) = resting_topics(AgendaStore(db), FindingStore(db), again)
    assert rest.until_at == again + timedelta(days=30)


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
    runs = RunStore(db, RunDirectories(tmp_path / "runs"))
    folder = runs.begin(agenda, NOW - timedelta(days=2))
    runs.end(folder.id, RunStatus.DONE, NOW - timedelta(days=2))
    AgendaStore(db).save(replace(agenda, status=AgendaStatus.DONE))
    assert topics(db) == ["bees"]


def test_a_topic_of_an_open_agenda_rests_as_long_as_it_is_open(db: Database) -> None:
    then = NOW - timedelta(days=400)
    AgendaStore(db).save(an_agenda(a_task(topic="bees"), created_at=then, runs_at=None))
    assert topics(db) == ["bees"]
