"""Nothing is concluded from a vault of which only a part was read."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import daemon.composition
from daemon.app import App
from daemon.composition import open_app
from daemon.config import Settings
from daemon.host.loop import Host
from daemon.index.sync_report import SyncReport
from daemon.model.errors import ModelError
from tests.fakes.embedder import FakeEmbedder

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Bees.md").write_text("---\nresearch: why do bees dance\n---\n# Bees\n")
    opened = open_app(Settings(vault=vault), state=tmp_path / "state", config=tmp_path / "c.toml")
    yield opened
    opened.close()


def test_nothing_is_proposed_before_the_first_index_is_whole(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [NOW]
    host, sync = Host(app, lambda: clock[0]), app.index.knowledge.sync

    def half(**how: Any) -> SyncReport:
        """All is read, but the model dies over the meanings."""
        sync(**(how | {"embed": False}))
        raise ModelError("killed by signal 9")

    with monkeypatch.context() as patch:
        patch.setattr(app.index.knowledge, "sync", half)
        host._turn()
    assert app.stores.notes.counts()[0] == 1
    assert app.stores.agendas.open() == []
    clock[0] = NOW.replace(hour=10)
    host._turn()
    assert [agenda.trigger for agenda in app.stores.agendas.open()] == ["requested in Bees"]
