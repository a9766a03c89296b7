"""Recorded answers, served from a loopback server to the real sources through the real gate.

Each body is read a second time here, by other means, and what a source returns is held against it.
"""

import asyncio
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from daemon.adapters.secrets import KeyringSecrets
from daemon.adapters.sources import load_registry
from daemon.adapters.sources.build import build_sources
from daemon.adapters.sources.registry import Rate
from daemon.model.evidence import Answer, SourceStatus
from tests.fakes.extractor import FakeExtractor
from tests.fakes.gates import a_gate
from tests.fakes.http_server import HttpServer, Reply, serving
from tests.fakes.keyring import FakeKeyring

DATA = Path(__file__).resolve().parents[2] / "../shared/data/api"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recordings are not here")
ARXIV = sorted((DATA / "arxiv_atom/tests/fixtures").glob("*.json"))
BRAVE = DATA / "brave_a/tests/fixtures"
ATOM = "{http://www.w3.org/2005/Atom}"
DOI = "{http://arxiv.org/schemas/atom}doi"


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


def ask(server: HttpServer, name: str, query: str, tmp_path: Path) -> Answer:
    registry = {
        name: entry.model_copy(update={"base_url": server.origin, "rate": Rate()})
        for name, entry in load_registry().items()
    }
    sources = build_sources(
        registry,
        fetcher=a_gate(allow_origins=[server.origin]),
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ={"LACUNA_BRAVE_API_KEY": "key"}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=tmp_path,
    )[0]
    return asyncio.run(sources[name].search(query, limit=100))


@pytest.mark.parametrize("path", ARXIV, ids=lambda path: path.stem)
def test_every_arxiv_paper_is_parsed(path: Path, server: HttpServer, tmp_path: Path) -> None:
    recorded = json.loads(path.read_text("utf-8"))
    body = recorded["body"].encode()
    server.routes["/api/query"] = Reply(body, recorded["status_code"], "application/atom+xml")
    answer = ask(server, "arxiv", "testing", tmp_path)
    if recorded["status_code"] != 200:
        assert (answer.status, answer.hits) == (SourceStatus.UNAVAILABLE, ())
        assert f"HTTP {recorded['status_code']}" in answer.why
        return
    expected = [_paper(entry) for entry in ET.fromstring(body).iter(f"{ATOM}entry")]
    assert answer.status is (SourceStatus.OK if expected else SourceStatus.EMPTY)
    assert [
        (hit.url, hit.title, hit.authors, hit.published, hit.snippet, hit.doi, hit.content_url)
        for hit in answer.hits
    ] == expected
    assert all(url and title and authors and day for url, title, authors, day, *_ in expected)


def _paper(entry: ET.Element) -> tuple[Any, ...]:
    def words(tag: str) -> str:
        return " ".join((entry.findtext(tag) or "").split())

    pdf = next(link for link in entry.iter(f"{ATOM}link") if link.get("title") == "pdf")
    return (
        words(f"{ATOM}id").replace("http://", "https://"),
        words(f"{ATOM}title"),
        tuple(" ".join((name.text or "").split()) for name in entry.iter(f"{ATOM}name")),
        words(f"{ATOM}published").partition("T")[0],
        words(f"{ATOM}summary"),
        words(DOI),
        pdf.get("href"),
    )


@pytest.mark.parametrize("name", ["web", "news", "videos"])
def test_every_brave_result_is_parsed(name: str, server: HttpServer, tmp_path: Path) -> None:
    body = json.loads((BRAVE / f"{name}.json").read_text("utf-8"))
    server.routes["/res/v1/web/search"] = Reply(json.dumps(body).encode(), 200, "application/json")
    answer = ask(server, "brave", "hello world", tmp_path)
    records = body["web"]["results"] if name == "web" else body["results"]
    assert answer.status is SourceStatus.OK
    assert len(answer.hits) == len(records) >= 20
    for hit, record in zip(answer.hits, records, strict=True):
        assert hit.url == record["url"]
        assert hit.title == _plain(record["title"])
        assert hit.snippet == _plain(record.get("description", ""))
        assert hit.published == (record.get("page_age") or "").partition("T")[0]
        people = [record.get("video", {}).get("author", {}).get("name", "")]
        assert hit.authors == tuple(_plain(name) for name in people if name)


def _plain(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"</?strong>", "", text)).split())


@pytest.mark.parametrize("path", [*ARXIV[:3], BRAVE / "web.json"], ids=lambda path: path.stem)
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_truncated_recording_is_unavailable(
    path: Path, share: float, server: HttpServer, tmp_path: Path
) -> None:
    text = path.read_text("utf-8")
    name = "brave" if path.parent == BRAVE else "arxiv"
    body = (text if name == "brave" else json.loads(text)["body"]).encode()
    server.fallback = Reply(body[: int(share * len(body))], content_type="application/json")
    answer = ask(server, name, "testing", tmp_path)
    assert (answer.status, answer.hits) == (SourceStatus.UNAVAILABLE, ())
    assert "incomplete" in answer.why
