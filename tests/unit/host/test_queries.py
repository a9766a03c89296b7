"""Every query over the socket: answered as its document, by a connection that waits for nobody."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import daemon.composition
from daemon.app import App
from daemon.composition import open_app
from daemon.config import settings_from
from daemon.findings.render import finding_text
from daemon.host.socket_server import Server
from daemon.usecases.client import query
from daemon.usecases.queries import QUERIES
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.values import a_finding
from vault_adapters.wikilink import Linker

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
ASKED: dict[str, dict[str, Any]] = {
    "ask": {"question": "why does bread go stale?"},
    "finding": {"id": a_finding().id},
    "library-search": {"query": "starch"},
    "note": {"note": "Bread"},
    "privacy": {"since": "2026-01-01"},
    "search": {"query": "starch"},
}
REFUSED = {
    "agenda": {"id": "a-1"},
    "citations": {"run": "r-1"},
    "run": {"run": "r-1"},
    "thread": {"name": "bees"},
}


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """An indexed vault with a library and a finding, and a server for it."""
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    for name in ("vault", "library"):
        (tmp_path / name).mkdir()
    (tmp_path / "vault" / "Bread.md").write_text("# Bread\n\nStarch crystals, see [[Rye]].\n")
    (tmp_path / "library" / "Starch.md").write_text("# Starch\n\nStarch in stale bread.\n")
    settings = settings_from(
        {
            "vault": tmp_path / "vault",
            "library.folder": tmp_path / "library",
            "weekly.enabled": False,
        }
    )
    with closing(open_app(settings, state=tmp_path / "state", config=tmp_path / "c.toml")) as app:
        finding = a_finding()
        app.review.inbox.add_finding(finding, finding_text(finding, link=Linker([])))
        app.index.knowledge.sync(now=NOW)
        app.index.knowledge.analysis.health(datetime.now(UTC))
        server = Server(app)
        server.start()
        yield app
        server.stop()


@contextmanager
def writing(app: App) -> Iterator[None]:
    """Have another thread in the middle of a transaction."""
    begun, may_end = threading.Event(), threading.Event()

    def write() -> None:
        with app.db.transaction():
            app.db.set_meta("a", "b")
            begun.set()
            assert may_end.wait(60)

    writer = threading.Thread(target=write)
    writer.start()
    assert begun.wait(10)
    try:
        yield
    finally:
        may_end.set()
        writer.join()


def test_every_query_is_answered_while_the_daemon_writes(app: App) -> None:
    query(app.state, "search", {"query": "starch"})  # the vectors are loaded
    with writing(app):
        for name, use in QUERIES.items():
            if name in REFUSED:
                continue
            found = query(app.state, name, ASKED.get(name, {}))
            assert found is not None, name
            use.document.model_validate(found)
