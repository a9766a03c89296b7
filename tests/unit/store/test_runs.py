from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.model.agenda import Agenda, AgendaStatus, Depth
from daemon.model.errors import ReplayError
from daemon.store.agendas import AgendaStore
from daemon.store.db import Database
from daemon.store.evidence import Rules
from daemon.store.runs import RunStatus, RunStore, new_run_id

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
AGENDA = Agenda("a1", NOW, None, "asked", AgendaStatus.RUNNING, Depth.QUICK, ())


@pytest.fixture
def runs(tmp_path: Path) -> RunStore:
    db = Database(tmp_path / "lacuna.db")
    AgendaStore(db).save(AGENDA)
    AgendaStore(db).save(replace(AGENDA, id="a2"))
    return RunStore(db, tmp_path / "runs")


def test_run_ids_sort_by_time() -> None:
    first, second = new_run_id(NOW, "b"), new_run_id(NOW + timedelta(seconds=1), "a")
    assert first.startswith("20261121T093000Z-")
    assert first < second
    assert new_run_id(NOW, "a") != new_run_id(NOW, "b")


def test_a_run_that_did_not_end_is_taken_up_again(runs: RunStore) -> None:
    first = runs.begin(AGENDA, NOW)
    assert [row.id for row in runs.unfinished()] == [first.id]
    assert runs.begin(AGENDA, NOW + timedelta(hours=1)).id == first.id
    runs.end(first.id, RunStatus.STOPPED, NOW)
    assert runs.begin(AGENDA, NOW + timedelta(hours=2)).id == first.id


def test_a_run_that_ended_before_its_agenda_did_is_taken_up_again(runs: RunStore) -> None:
    first = runs.begin(AGENDA, NOW)
    runs.end(first.id, RunStatus.DONE, NOW, digest_path="Digest.md", told={"findings": ["f"]})
    assert runs.unfinished() == []
    row = runs.get(first.id)
    assert row is not None
    assert (row.status, row.digest_path) == (RunStatus.DONE, "Digest.md")
    assert row.told == {"findings": ["f"]}
    assert runs.begin(AGENDA, NOW + timedelta(hours=1)).id == first.id


def test_a_run_that_failed_is_begun_anew(runs: RunStore) -> None:
    first = runs.begin(AGENDA, NOW)
    runs.end(first.id, RunStatus.FAILED, NOW)
    assert runs.begin(AGENDA, NOW + timedelta(hours=1)).id != first.id


def test_a_run_is_found_by_a_unique_beginning(runs: RunStore) -> None:
    first = runs.begin(AGENDA, NOW)
    runs.begin(replace(AGENDA, id="a2"), NOW)
    assert runs.get("20261121") is None
    found = runs.get(first.id[:-1])
    assert found is not None
    assert found.id == first.id
    assert runs.get("") is None
    assert runs.get("_%") is None


def test_a_run_without_a_folder_cannot_be_replayed(runs: RunStore, tmp_path: Path) -> None:
    folder = runs.begin(AGENDA, NOW)
    with pytest.raises(ReplayError, match="no such run"):
        runs.to_replay(folder.id)
    folder.begin(AGENDA, Rules(), NOW)
    assert runs.to_replay(folder.id).agenda == AGENDA
    assert runs.to_replay(str(folder.path)).agenda == AGENDA
