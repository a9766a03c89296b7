"""Agendas in a real database."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.model.agenda import AgendaStatus, Choice
from daemon.model.errors import StoreError
from daemon.model.own_notes import PendingWrite
from daemon.store.agendas import AgendaStore, agenda_from_json, agenda_to_json
from daemon.store.db import Database, Row
from daemon.store.digests import DigestStore, digest_id
from tests.fakes.values import NOW, a_task, an_agenda


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "lacuna.db")
    yield database
    database.close()


@pytest.fixture
def store(db: Database) -> AgendaStore:
    return AgendaStore(db)


def test_an_agenda_comes_back_as_it_was_saved(store: AgendaStore) -> None:
    agenda = an_agenda(a_task(choice=Choice.NEVER), note="Rust async.md", path="Inbox/A.md")
    store.save(agenda)
    assert store.get(agenda.id) == agenda
    assert store.get("another") is None


def test_an_agenda_survives_json(store: AgendaStore) -> None:
    agenda = an_agenda(a_task(), a_task(id="22222222", note=None), runs_at=None)
    assert agenda_from_json(agenda_to_json(agenda)) == agenda


@pytest.mark.parametrize("body", [{}, {"id": "x"}, {**agenda_to_json(an_agenda()), "status": "?"}])
def test_what_is_no_agenda_is_one_clear_error(body: dict[str, object]) -> None:
    with pytest.raises(StoreError, match="cannot read"):
        agenda_from_json(body)


def test_saving_keeps_the_hash_unless_a_new_one_is_given(store: AgendaStore) -> None:
    store.save(an_agenda(), "first")
    store.save(an_agenda(status=AgendaStatus.RUNNING))
    assert store.content_hash(an_agenda().id) == "first"
    store.save(an_agenda(), "second")
    assert store.content_hash(an_agenda().id) == "second"


def test_an_agenda_is_a_pending_write_until_its_note_is_written(store: AgendaStore) -> None:
    agenda = an_agenda(path="Inbox/A.md")
    store.add_pending(agenda, "the note")
    assert store.pending() == [PendingWrite(agenda.id, "Inbox/A.md", "the note")]
    store.repath(agenda.id, "Inbox/B.md")
    store.written(agenda.id, "hash")
    assert store.pending() == []
    assert store.get(agenda.id) == replace(agenda, path="Inbox/B.md")
    assert store.content_hash(agenda.id) == "hash"


def test_a_pending_agenda_survives_the_loss_of_the_journal(
    db: Database, store: AgendaStore, tmp_path: Path
) -> None:
    agenda = an_agenda(path="Inbox/A.md")
    store.add_pending(agenda, "the note")
    shutil.copy(db.path, tmp_path / "alone.db")
    alone = Database(tmp_path / "alone.db")
    assert AgendaStore(alone).pending() == [PendingWrite(agenda.id, "Inbox/A.md", "the note")]
    alone.close()


def test_an_agenda_is_due_when_its_window_ends_or_it_was_approved(store: AgendaStore) -> None:
    hour = timedelta(hours=1)
    agendas = {
        "over": an_agenda(runs_at=NOW - hour),
        "just": an_agenda(runs_at=NOW),
        "open": an_agenda(runs_at=NOW + hour),
        "waits": an_agenda(runs_at=None),
        "approved": an_agenda(runs_at=None, status=AgendaStatus.APPROVED),
        "cancelled": an_agenda(runs_at=NOW - hour, status=AgendaStatus.CANCELLED),
        "running": an_agenda(runs_at=NOW - hour, status=AgendaStatus.RUNNING),
        "done": an_agenda(runs_at=NOW - hour, status=AgendaStatus.DONE),
    }
    for id, agenda in agendas.items():
        store.save(replace(agenda, id=id))
    assert {agenda.id for agenda in store.due(NOW)} == {"over", "just", "approved"}
    assert [agenda.id for agenda in store.running()] == ["running"]
    assert {agenda.id for agenda in store.open()} == {
        "over", "just", "open", "waits", "approved", "running",
    }  # fmt: skip


def test_topics_of_agendas_that_ended_are_free_again(store: AgendaStore) -> None:
    store.save(an_agenda(a_task(topic="open one"), id="a"))
    store.save(an_agenda(a_task(topic="done one"), id="b", status=AgendaStatus.DONE))
    assert store.open_topics() == ["open one"]


def test_never_topics_are_kept_in_their_comparable_form(store: AgendaStore) -> None:
    store.never_suggest("  Sourdough, Starters ", at=NOW, by="a-1")
    store.never_suggest("sourdough starters", at=NOW, by="a-2")
    assert store.never_topics() == {"sourdough starters"}


def test_a_digest_is_stored_once_and_found_by_its_run(db: Database) -> None:
    digests = DigestStore(db)
    digests.add_pending(
        PendingWrite(digest_id("r-1"), "Inbox/D.md", "text"), day="2026-11-21", run="r-1"
    )
    digests.add_pending(
        PendingWrite(digest_id("r-1"), "Inbox/E.md", "other"), day="2026-11-21", run="r-1"
    )
    assert [promise.text for promise in digests.pending()] == ["text"]
    digests.written(digest_id("r-1"), "hash")
    assert digests.pending() == []
    assert digests.path("r-1") == "Inbox/D.md"
    assert digests.path("r-2") is None


def test_a_run_is_added_to_a_digest_once(db: Database) -> None:
    digests = DigestStore(db)
    digests.add_pending(
        PendingWrite(digest_id("r-1"), "Inbox/D.md", "text"), day="2026-11-21", run="r-1"
    )
    digests.written(digest_id("r-1"), "hash")
    for _ in range(2):
        digests.added(digest_id("r-1"), "r-2", "Inbox/D.md", "another")
    found = digests.of_day("2026-11-21")
    assert found is not None
    assert (found.runs, found.content_hash) == (("r-1", "r-2"), "another")
    assert digests.path("r-2") == "Inbox/D.md"
    assert digests.of_day("2026-11-22") is None


def test_what_ended_lately_is_found_without_reading_every_run_for_each_agenda(
    db: Database, store: AgendaStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[list[Row]] = []
    rows = db.rows

    def explained(sql: str, given: tuple[str, ...]) -> list[Row]:
        plans.append(rows(f"EXPLAIN QUERY PLAN {sql}", given))
        return rows(sql, given)

    monkeypatch.setattr(db, "rows", explained)
    store.ended_since(NOW)
    [plan] = plans
    assert not [row["detail"] for row in plan if row["detail"] == "SCAN runs"]
    assert [row["detail"] for row in plan if "runs_by_agenda" in row["detail"]]
