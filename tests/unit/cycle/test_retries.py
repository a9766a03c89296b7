"""When a run that could not reach its sources is tried again, and when it is given up."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from daemon.agenda.agenda_note import agenda_text, read_agenda, rewrite
from daemon.cycle.retries import MAX_TRIES, RETRY_DAYS, Retries, after_trouble, as_new
from daemon.model.agenda import NIGHTLY, Agenda, AgendaStatus
from daemon.store.agendas import AgendaStore
from daemon.store.db import Database
from daemon.store.meta import NetworkState
from scheduler.conditions import Network
from tests.fakes.values import INBOX, NOW, an_agenda
from vault_adapters.wikilink import Linker

WHY = "could not reach arXiv (no network)"
AGENDA = an_agenda(path=f"{INBOX}/Agenda 2026-11-21 0930.md", status=AgendaStatus.RUNNING)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    found = Database(tmp_path / "lacuna.db")
    yield found
    found.close()


def tried_until_given_up(agenda: Agenda) -> list[datetime]:
    """Try an agenda whenever it is due, always in vain; return when."""
    now, tried = NOW, list[datetime]()
    while agenda.status is not AgendaStatus.FAILED:
        tried.append(now)
        agenda = after_trouble(agenda, WHY, now)
        now = agenda.runs_at or now
    return tried


def test_it_is_tried_soon_at_first_then_daily_and_for_a_week() -> None:
    waits = [at - NOW for at in tried_until_given_up(AGENDA)]
    assert waits[:5] == [
        timedelta(0),
        timedelta(minutes=15),
        timedelta(hours=1, minutes=15),
        timedelta(hours=5, minutes=15),
        timedelta(days=1, hours=5, minutes=15),
    ]
    assert timedelta(days=6) < waits[-1] <= RETRY_DAYS
    assert len(waits) <= MAX_TRIES


def test_what_is_tried_more_often_than_that_is_given_up() -> None:
    agenda = replace(AGENDA, tries=MAX_TRIES - 1, first_tried_at=NOW)
    assert after_trouble(agenda, WHY, NOW).status is AgendaStatus.FAILED


def test_a_machine_that_was_off_for_weeks_tries_once_more() -> None:
    waiting = after_trouble(AGENDA, WHY, NOW)
    late = after_trouble(waiting, WHY, NOW + timedelta(days=30))
    assert (late.status, late.tries) == (AgendaStatus.FAILED, 2)
    assert as_new(late).tries == 0


def test_what_somebody_waits_for_is_not_tried_again() -> None:
    assert after_trouble(replace(AGENDA, path=None), WHY, NOW).status is AgendaStatus.FAILED


def test_a_night_is_not_tried_again_for_its_questions_stay_in_the_queue() -> None:
    night = after_trouble(replace(AGENDA, schedule=NIGHTLY), WHY, NOW)
    assert night.status is AgendaStatus.FAILED
    text = rewrite(agenda_text(AGENDA, link=Linker([])), night)
    assert f"C{WHY[1:]}. Its questions stay in the queue for the next night. ^when" in text


def test_the_agenda_says_why_it_waits_until_when_and_how_to_stop_it() -> None:
    waiting = after_trouble(AGENDA, WHY, NOW)
    text = rewrite(agenda_text(AGENDA, link=Linker([])), waiting)
    assert "\nstatus: waiting\n" in text
    assert "\nruns_at: 2026-11-21T09:45:00\n" in text
    assert (
        "Could not reach arXiv (no network); trying again on Saturday 21 November at 09:45, or when"
        " the network is back." in text
    )
    assert read_agenda(text, waiting) == waiting
    stopped = read_agenda(text.replace("status: waiting", "status: cancelled"), waiting)
    assert stopped.status is AgendaStatus.CANCELLED
    at_once = read_agenda(text.replace("status: waiting", "status: approved"), waiting)
    assert at_once.status is AgendaStatus.APPROVED


def test_a_box_that_is_ticked_from_before_does_not_run_it_at_once() -> None:
    asked = replace(AGENDA, runs_at=None, status=AgendaStatus.PROPOSED)
    text = agenda_text(asked, link=Linker([])).replace("- [ ] **Run this", "- [x] **Run this")
    assert read_agenda(text, asked).status is AgendaStatus.APPROVED
    waiting = after_trouble(asked, WHY, NOW)
    assert read_agenda(rewrite(text, waiting), waiting) == waiting


def test_when_the_network_is_back_it_is_tried_at_once_by_whatever_process_runs_then(
    db: Database,
) -> None:
    agendas, later = AgendaStore(db), NOW + timedelta(minutes=3)
    retries = Retries(agendas, NetworkState(db))
    assert not retries.must_check_network()
    agendas.save(after_trouble(AGENDA, WHY, NOW))
    assert retries.must_check_network()
    assert retries.update(Network.FREE, NOW) == []  # it was never gone
    assert retries.update(Network.ABSENT, NOW) == []
    assert agendas.due(later) == []
    assert retries.update(Network.PORTAL, later) == []
    (woken,) = Retries(AgendaStore(db), NetworkState(db)).update(Network.METERED, later)
    assert agendas.due(later) == [woken]
    assert retries.update(Network.METERED, later) == []
