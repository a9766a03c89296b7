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
from daemon.model.errors import LacunaError
from daemon.usecases.client import document_of, follow, query
from daemon.usecases.following import Follower
from daemon.usecases.queries import QUERIES
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.values import a_finding
from vault_adapters.wikilink import Linker

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
ASKED: dict[str, dict[str, Any]] = {
    "ask": {"question": "why does bread go stale?"},
    "finding": {"id": a_finding().id},
    "health-list": {"kind": "notes"},
    "library-search": {"query": "starch"},
    "note": {"note": "Bread"},
    "privacy": {"since": "2026-01-01"},
    "quoted-places": {"id": a_finding().id},
    "search": {"query": "starch"},
}
REFUSED = {
    "agenda": {"id": "a-1"},
    "citations": {"run": "r-1"},
    "claims": {"run": "r-1"},
    "hub-work": {},
    "run": {"run": "r-1"},
    "thread": {"name": "bees"},
    "written-note": {"path": "No such note.md"},
}


@pytest.fixture
def app(server: Server) -> App:
    return server._app


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server for an indexed vault with a library and a finding; two questions a minute."""
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
            "asking.per_minute": 2,
        }
    )
    with closing(open_app(settings, state=tmp_path / "state", config=tmp_path / "c.toml")) as app:
        finding = a_finding()
        app.review.inbox.add_finding(finding, finding_text(finding, link=Linker([])))
        app.index.knowledge.sync(now=NOW)
        app.index.knowledge.analysis.health(datetime.now(UTC))
        server = Server(app)
        server.start()
        yield server
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
    assert begun.wait(60)
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


def test_each_client_may_ask_so_many_questions_a_minute(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"question": "why does bread go stale?"}
    query(app.state, "ask", asked)
    document_of(follow(app.state, "ask", asked), lambda _event: None)
    with pytest.raises(LacunaError, match="more than 2 questions"):
        query(app.state, "ask", asked)
    with pytest.raises(LacunaError, match="more than 2 questions"):
        document_of(follow(app.state, "ask", asked), lambda _event: None)
    assert query(app.state, "search", {"query": "starch"}) is not None
    monkeypatch.setattr("daemon.host.socket_server.peer_of", lambda _other: "another")
    assert query(app.state, "ask", asked) is not None


def test_a_daemon_without_a_free_stream_leaves_the_question_to_its_client(server: Server) -> None:
    places = [server._stream_places.acquire(blocking=False) for _ in range(100)]
    events = follow(server._app.state, "ask", {"question": "why does bread go stale?"})
    assert document_of(events, lambda _event: None) is None
    for is_taken in places:
        if is_taken:
            server._stream_places.release()


def test_a_query_is_stopped_when_its_reader_goes_away(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    followers: list[Follower] = []

    def answer(_app: App, _name: str, _body: Any, follower: Follower, **_: Any) -> None:
        followers.append(follower)
        follower.report.routed("direct", "it waits")

    monkeypatch.setattr("daemon.host.streams.answer", answer)
    lines = server._streams.query(server._reader, "ask", {"question": "rye?"}).lines
    assert "route" in next(lines)
    lines.close()
    assert followers[0].stop.is_requested
