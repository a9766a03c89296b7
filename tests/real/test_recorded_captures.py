"""Captures as the Internet Archive gave them out, served from the loopback to the real chain."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from daemon.adapters.documents import get_document
from daemon.adapters.extract import ChildExtractor
from daemon.adapters.pages import Archive, Retrievers
from daemon.adapters.secrets import KeyringSecrets
from daemon.adapters.sources import load_registry
from daemon.adapters.sources.build import build_sources
from daemon.adapters.sources.registry import Rate
from daemon.model.errors import ExtractError, FetchError
from daemon.model.evidence import Hit, SourceType
from daemon.ports import RetrievedDocument
from tests.fakes.extractor import FakeExtractor
from tests.fakes.gates import a_gate
from tests.fakes.http_server import HttpServer, Reply, serving
from tests.fakes.keyring import FakeKeyring

TAPES = (
    Path(__file__).resolve().parents[2] / "../shared/data/api/wayback/src/wayback/tests/cassettes"
)
pytestmark = pytest.mark.skipif(not TAPES.is_dir(), reason="the recordings are not here")
ARCHIVE = "web.archive.org"


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


@pytest.mark.parametrize(
    ("tape", "day", "words"),
    [
        ("test_get_memento", "2017-11-24", "communication towers"),
        ("test_get_memento_target_window", "2017-11-24", "communication towers"),
        ("test_get_memento_with_redirects", "2018-08-08", "greenhouse gas"),
    ],
)
def test_a_recorded_capture_is_read_and_dated(
    server: HttpServer, tape: str, day: str, words: str
) -> None:
    got = had(server, tape)
    assert got.via == f"wayback {day}"
    assert f"a copy of {day} in the Internet Archive, because the site is gone" in got.note
    assert words in got.extracted.text.lower()


@pytest.mark.parametrize(
    ("tape", "why"),
    [
        ("test_get_memento_raises_blocked_error", "is not allowed to show it"),
        ("test_get_memento_raises_no_memento_error", "HTTP 404"),
        ("test_get_memento_raises_for_mementos_that_redirect_in_a_loop", "more than 5 redirects"),
        ("test_get_memento_follows_historical_redirects", "an error page"),  # as EPA words it
        ("test_get_memento_with_path_based_redirects", "HTTP 404"),
        ("test_get_memento_with_schemeless_redirects", "HTTP 404"),
        ("test_get_memento_works_on_archived_rate_limit_responses", "HTTP 429"),
    ],
)
def test_an_archive_error_page_is_not_a_document(server: HttpServer, tape: str, why: str) -> None:
    with pytest.raises((FetchError, ExtractError), match=why):
        had(server, tape)


def had(server: HttpServer, tape: str) -> RetrievedDocument:
    """Ask for the page that a tape begins with, where the page itself is gone."""
    interactions = yaml.safe_load((TAPES / f"{tape}.yaml").read_text("utf-8"))["interactions"]
    page = _play(server, interactions)
    registry = {
        "wayback": load_registry()["wayback"].model_copy(
            update={"base_url": server.origin, "rate": Rate()}
        )
    }
    gate = a_gate(allow_origins=[server.origin])
    sources, _ = build_sources(
        registry,
        fetcher=gate,
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ={}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=Path("nowhere"),
    )
    extractor = ChildExtractor()
    retrievers = Retrievers(_Gone(), extractor, archive=Archive(sources["wayback"], gate))
    hit = Hit("brave", SourceType.WEB, page, "A page")
    try:
        return asyncio.run(get_document(hit, retrievers=retrievers, library=None))
    finally:
        extractor.close()


def _play(server: HttpServer, interactions: list[dict[str, Any]]) -> str:
    """Serve a tape; return the address whose capture it begins with."""
    replies: dict[str, Reply] = {}
    for each in interactions:
        path = urlsplit(each["request"]["uri"]).path
        replies.setdefault(path, _reply(server, each["response"]))
    server.fallback = lambda asked: replies.get(asked.path, Reply(b"", 404))
    stamp, _, page = interactions[0]["request"]["uri"].partition("/web/")[2].partition("id_/")
    closest = {"available": True, "status": "200", "timestamp": stamp, "url": ""}
    found = json.dumps({"archived_snapshots": {"closest": closest}}).encode()
    server.routes["/wayback/available"] = Reply(found, content_type="application/json")
    return str(page)


def _reply(server: HttpServer, response: dict[str, Any]) -> Reply:
    body = response["body"]["string"]
    headers = {name: values[0] for name, values in response["headers"].items()}
    kept = {
        name: value.replace(f"https://{ARCHIVE}", server.origin).replace(
            f"//{ARCHIVE}", f"//127.0.0.1:{server.port}"
        )
        for name, value in headers.items()
        if name.lower() in ("location", "content-encoding", "memento-datetime")
    }
    kind = next((v for n, v in headers.items() if n.lower() == "content-type"), "text/html")
    raw = body if isinstance(body, bytes) else body.encode()
    return Reply(raw, response["status"]["code"], kind, kept)


class _Gone:
    async def get(self, url: str, **_: object) -> Any:
        raise FetchError("the site is gone")

    async def post(self, url: str, **_: object) -> Any:
        raise FetchError("the site is gone")
