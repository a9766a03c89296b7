"""Recorded answers about citations, served from the loopback to the real sources."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.secrets import KeyringSecrets
from daemon.adapters.sources import load_registry
from daemon.adapters.sources.build import build_sources
from daemon.adapters.sources.registry import Rate
from daemon.model.citations import Citations
from daemon.model.evidence import Hit, SourceStatus, SourceType
from daemon.ports import CitationIndex
from tests.fakes.extractor import FakeExtractor
from tests.fakes.gates import a_gate
from tests.fakes.http_server import Asked, HttpServer, Reply, serving
from tests.fakes.keyring import FakeKeyring
from tests.real.test_recorded_scholars import CROSSREF, DATA, PAPERQA, SCHOLAR, answers, bare, plain

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recordings are not here")
JSON = "application/json"


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


def ask(server: HttpServer, name: str, doi: str, limit: int = 1000) -> Citations:
    registry = {
        name: load_registry()[name].model_copy(update={"base_url": server.origin, "rate": Rate()})
    }
    sources, _ = build_sources(
        registry,
        fetcher=a_gate(allow_origins=[server.origin]),
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ={}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=Path("nowhere"),
    )
    index = sources[name]
    assert isinstance(index, CitationIndex)
    work = Hit("x", SourceType.PAPER, f"https://doi.org/{doi}", "A work", doi=doi)
    return asyncio.run(index.citations(work, limit=limit))


def recorded(folder: Path, pattern: str, address: str) -> list[Any]:
    """All complete JSON bodies that were recorded with status 200 for an address."""
    found = []
    for _, status, body in answers(folder, pattern, address):
        if status == 200 and body[:1] == b"{":
            found.append(json.loads(body))
    return found


def test_semantic_scholars_recorded_lists_are_read_in_full(server: HttpServer) -> None:
    (references, _) = recorded(SCHOLAR, "test_get_paper_references.yaml", "/references?")
    citations = recorded(SCHOLAR, "test_get_paper_citations.yaml", "/citations?")
    server.fallback = lambda asked: Reply(
        json.dumps(references if asked.path.endswith("/references") else citations[0]).encode(),
        200,
        JSON,
    )
    reported = ask(server, "semanticscholar", "10.2139/ssrn.2250500")
    cited = [each["citedPaper"] for each in references["data"]]
    assert reported.status is SourceStatus.OK
    assert [hit.title for hit in reported.references] == [
        plain(paper["title"]) for paper in cited if paper["paperId"]
    ]
    assert any(paper["paperId"] is None for paper in cited)
    assert len(reported.citing) == 100


def test_crossrefs_recorded_references_are_read_in_full(server: HttpServer) -> None:
    works = [
        body["message"]
        for body in (
            *recorded(CROSSREF, "test_*.yaml", "/works/10."),
            *recorded(PAPERQA, "test_*.yaml", "api.crossref.org/works/10."),
        )
        if body.get("message", {}).get("reference")
    ]
    assert len(works) >= 8
    for work in works:
        doi = work["DOI"].lower()

        def answer(asked: Asked, work: dict[str, Any] = work) -> Reply:
            one = {"message": work} if asked.path != "/works" else {"message": {"items": []}}
            return Reply(json.dumps(one).encode(), 200, JSON)

        server.fallback = answer
        reported = ask(server, "crossref", doi)
        named = [bare(each["DOI"]) for each in work["reference"] if "DOI" in each]
        assert [hit.doi for hit in reported.references] == list(dict.fromkeys(named)), doi


def test_openalex_is_asked_about_the_recorded_works_by_their_numbers(server: HttpServer) -> None:
    works = recorded(PAPERQA, "test_doi_search*.yaml", "api.openalex.org/works/https")
    lists = recorded(PAPERQA, "test_title_search*.yaml", "api.openalex.org/works?")
    assert len(works) >= 4
    for work in works:
        number = work["id"].rpartition("/")[2]

        def answer(asked: Asked, work: dict[str, Any] = work) -> Reply:
            body = lists[0] if asked.path == "/works" else work
            return Reply(json.dumps(body).encode(), 200, JSON)

        server.asked.clear()
        server.fallback = answer
        reported = ask(server, "openalex", bare(work["doi"]))
        assert reported.status is SourceStatus.OK, work["doi"]
        assert server.asked[0].path == f"/works/doi:{bare(work['doi'])}"
        filters = sorted(each.params["filter"] for each in server.asked[1:])
        expected = [f"cited_by:{number}"] if work["referenced_works"] else []
        expected += [f"cites:{number}"] if work["cited_by_count"] else []
        assert filters == sorted(expected)
        titles = [plain(each["display_name"]) for each in lists[0]["results"]]
        got = reported.references or reported.citing
        assert [hit.title for hit in got] == titles
