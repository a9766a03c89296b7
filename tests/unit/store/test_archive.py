"""A backup while a run is in progress."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.model.run import RunRules
from daemon.store import archive
from daemon.store.archive import RUNS, extract, write_archive
from daemon.store.db import Database
from daemon.store.evidence import RunFolder
from daemon.store.run_files import RunDirectory
from tests.fakes.values import a_document, an_agenda

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def test_a_backup_taken_while_a_run_stores_documents_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    Database(state / "lacuna.db").close()
    run = RunFolder(RunDirectory(state / "runs" / "20261121T093000Z-ab12cd"))
    run.begin(an_agenda(), RunRules(0.85, 5), NOW)
    run.add_document("first", replace(a_document(), id="d0"), (), b"body")
    stored, size = [0], archive._size

    def stores_more(file: object) -> int:
        stored[0] += 1
        document = replace(a_document(), id=f"d{stored[0]}")
        run.add_document(f"ref-{stored[0]}", document, (), b"body")
        return size(file)  # type: ignore[arg-type]

    monkeypatch.setattr(archive, "_size", stores_more)
    monkeypatch.setattr(archive, "_MEGA", 1)
    target, seen = tmp_path / "backup.tar.gz", list[tuple[int, int, str]]()

    def progress(done: int, total: int, what: str) -> None:
        seen.append((done, total, what))

    about = {"vault": tmp_path, "settings": {}, "program": "1", "now": NOW}
    write_archive(target, state=state, progress=progress, **about)  # type: ignore[arg-type]
    (tmp_path / "restored").mkdir()
    extract(target, tmp_path / "restored", progress)
    for what in ("saving (MB)", "restoring (MB)"):
        *_, (done, total, _) = (each for each in seen if each[2] == what)
        assert done == total > 0
    restored = RunFolder(RunDirectory(tmp_path / "restored" / RUNS / run.id))
    outcomes = restored.outcomes()
    assert stored[0] > 3
    assert outcomes
    for outcome in outcomes:
        assert outcome.document is not None
        restored.document(outcome.document)
    restored.identities()
