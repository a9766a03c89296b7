"""How the parts are plugged together, where that matters by itself."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import daemon.composition
from daemon.app import App
from daemon.composition import open_app
from daemon.config import Settings, settings_from
from daemon.model.errors import RefusedError, StoreError
from daemon.model.evidence import Hit, SourceStatus, SourceType
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.http_server import HttpServer, Reply, serving

SNIPPET = "What is inside is only for those who are inside, and stays there for good. " * 5


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


@pytest.fixture
def app(tmp_path: Path, server: HttpServer) -> Iterator[App]:
    """Settings as for a SearXNG of one's own, on this machine."""
    (tmp_path / "vault").mkdir()
    (tmp_path / "sources.yaml").write_text(f"searxng: {{base_url: '{server.origin}'}}\n")
    settings = settings_from(
        {"vault": tmp_path / "vault", "network.allow_origins": (server.origin,)}
    )
    opened = open_app(settings, state=tmp_path / "state", config=tmp_path / "config.toml")
    yield opened
    opened.close()


def test_an_allowed_origin_is_asked_as_a_source_but_no_document_is_fetched_there(
    app: App, server: HttpServer
) -> None:
    server.routes["/search"] = Reply(b'{"results": []}', content_type="application/json")
    answer = asyncio.run(app.research.sources["searxng"].search("tides", limit=5))
    assert answer.status is SourceStatus.EMPTY
    asked = len(server.asked)
    inside = Hit("searxng", SourceType.WEB, server.origin + "/admin", "Admin", SNIPPET)
    with pytest.raises(RefusedError):
        asyncio.run(_get(app, inside))
    assert len(server.asked) == asked


@pytest.mark.parametrize(
    ("state", "reported"),
    [
        ("vault", "is in the vault"),
        ("vault/.lacuna/state", "is in the vault"),
        ("link/state", "is in the vault"),
        ("other/../vault/x", "is in the vault"),
        (".", "state is kept in a folder of its own"),
    ],
)
def test_state_and_vault_do_not_share_a_place(tmp_path: Path, state: str, reported: str) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (tmp_path / "link").symlink_to(vault)
    for given, settings in (
        (tmp_path / state, Settings(vault=vault)),
        (None, Settings(vault=vault, state=tmp_path / state)),
    ):
        with pytest.raises(StoreError, match=reported) as caught:
            open_app(settings, state=given, config=tmp_path / "config.toml")
        assert "\n" not in str(caught.value)
    assert list(vault.iterdir()) == []
    assert not (tmp_path / "lacuna.db").exists()


@pytest.mark.parametrize(
    ("sources", "contact", "reader", "archive", "copies"),
    [
        ("", "", None, "wayback", []),
        ("", "ada@example.org", None, "wayback", ["unpaywall"]),
        ("jina_reader: {opt_in: false}", "", "jina_reader", "wayback", []),
        ("jina_reader: {enabled: true}", "", "jina_reader", "wayback", []),
        ("wayback: {enabled: false}", "", None, None, []),
    ],
)
def test_documents_are_retrieved_by_the_methods_that_the_user_allows(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sources: str,
    contact: str,
    reader: str | None,
    archive: str | None,
    copies: list[str],
) -> None:
    monkeypatch.setenv("LACUNA_JINA_API_KEY", "key-1")
    (tmp_path / "vault").mkdir()
    (tmp_path / "sources.yaml").write_text(sources)
    settings = settings_from({"vault": tmp_path / "vault", "network.contact": contact})
    app = open_app(settings, state=tmp_path / "state", config=tmp_path / "config.toml")
    try:
        get = app.research.runs._outside.get_document
        assert isinstance(get, partial)
        retrievers = get.keywords["retrievers"]
        assert (retrievers.reader.name if retrievers.reader else None) == reader
        assert (retrievers.archive.source.name if retrievers.archive else None) == archive
        assert [source.name for source in retrievers.copies] == copies
        assert not {"wayback", "jina_reader", "unpaywall"} & set(app.research.sources)
        assert retrievers.fetcher._admit == retrievers.robots.admit
    finally:
        app.close()


async def _get(app: App, hit: Hit) -> None:
    await app.research.runs._outside.get_document(hit)


def test_an_interruption_reaches_every_child_process(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal ends the daemon within two seconds, whatever a child is doing."""
    ended: list[str] = []
    children = {
        "extractor": app.children.extractor,
        "embedder": app.children.embedder,
        "analysis": app.children.analysis,
    }
    for name, child in children.items():
        monkeypatch.setattr(child, "interrupt", partial(ended.append, name))
    app.interrupt()
    assert sorted(ended) == sorted(children)
