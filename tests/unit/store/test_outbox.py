"""Unsent notices and failures survive restarts, and expire."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.store.db import Database
from daemon.store.outbox import KEPT, OutboxStore
from daemon.store.troubles import TroubleStore
from tests.fakes.notices import NOW, a_notice

HOUR = timedelta(hours=1)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "lacuna.db")
    yield database
    database.close()


def test_a_queued_notification_survives_a_restart(tmp_path: Path) -> None:
    first = Database(tmp_path / "lacuna.db")
    notice = a_notice(text="Ähm", counts={"findings": 2})
    OutboxStore(first).add(notice, ["desktop", "ntfy"], due_at=NOW)
    first.close()
    second = Database(tmp_path / "lacuna.db")
    waiting = OutboxStore(second).due(NOW)
    assert [(each.channel, each.notice, each.tries) for each in waiting] == [
        ("desktop", notice, 0),
        ("ntfy", notice, 0),
    ]
    second.close()


def test_the_same_notification_is_queued_once(db: Database) -> None:
    outbox = OutboxStore(db)
    for _ in range(2):
        outbox.add(a_notice(), ["ntfy"], due_at=NOW)
    assert len(outbox.all()) == 1


def test_a_postponed_notification_is_not_due_early(db: Database) -> None:
    outbox = OutboxStore(db)
    outbox.add(a_notice(), ["ntfy"], due_at=NOW)
    [waiting] = outbox.due(NOW)
    outbox.put_off(waiting.id, NOW + HOUR, "HTTP 500")
    assert outbox.due(NOW + HOUR - timedelta(seconds=1)) == []
    [again] = outbox.due(NOW + HOUR)
    assert (again.tries, again.trouble) == (1, "HTTP 500")
    outbox.sent(again.id)
    assert outbox.all() == []


def test_a_clock_that_was_wrong_keeps_nothing_back(db: Database) -> None:
    outbox = OutboxStore(db)
    outbox.add(a_notice(), ["ntfy"], due_at=NOW + timedelta(days=400))
    assert len(outbox.due(NOW)) == 1
    outbox.add(a_notice("digest-2", created_at=NOW + timedelta(days=400)), ["ntfy"], due_at=NOW)
    assert [each.notice.id for each in outbox.give_up(NOW)] == ["digest-2"]


def test_old_notifications_are_dropped_and_the_outbox_is_bounded(db: Database) -> None:
    outbox = OutboxStore(db)
    for number in range(250):
        made_at = NOW + timedelta(seconds=number)
        outbox.add(a_notice(f"digest-{number}", created_at=made_at), ["ntfy"], due_at=NOW)
    assert [each.notice.id for each in outbox.all()][:1] == ["digest-50"]
    assert len(outbox.all()) == 200
    given_up = outbox.give_up(NOW + KEPT + timedelta(seconds=60))
    assert [each.notice.id for each in given_up] == [f"digest-{n}" for n in range(50, 60)]
    assert len(outbox.all()) == 190


def test_a_problem_is_announced_once_until_it_is_over(db: Database) -> None:
    troubles = TroubleStore(db)
    assert troubles.add("sync", "no such folder", NOW)
    assert not troubles.add("sync", "no such folder", NOW + HOUR)
    assert troubles.add("sync", "disk full", NOW + 2 * HOUR)
    troubles.over("sync", NOW + 3 * HOUR)
    assert troubles.add("sync", "disk full", NOW + 4 * HOUR)
    newest, second, third = troubles.last()
    assert (newest.line, newest.times, newest.over_at) == ("disk full", 1, None)
    assert second.over_at == NOW + 3 * HOUR
    assert replace(third, part="") == replace(
        third,
        part="",
        line="no such folder",
        times=2,
        first_at=NOW,
        last_at=NOW + HOUR,
        over_at=NOW + 2 * HOUR,
    )


def test_a_new_process_begins_without_troubles_and_only_the_last_are_kept(db: Database) -> None:
    troubles = TroubleStore(db)
    for number in range(150):
        troubles.add(f"run {number}", "it broke", NOW + timedelta(seconds=number))
    troubles.all_over(NOW + HOUR)
    assert all(trouble.over_at == NOW + HOUR for trouble in troubles.last(1000))
    assert len(troubles.last(1000)) == 100
    assert troubles.last(1)[0].part == "run 149"
