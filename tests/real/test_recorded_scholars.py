"""Recorded answers of scholarly APIs, served from the loopback to the real sources.

Each body is read a second time here, by other means, and what a source returns is held against it.
"""

import asyncio
import gzip
import html
import json
import re
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

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
PAPERQA = DATA / "paperqa_cassettes/tests/cassettes"
SCHOLAR = DATA / "semanticscholar/tests/data"
CROSSREF = DATA / "crossref_habanero/test/cassettes"
PUBMED = DATA / "pubmed_biopython/Tests/Entrez"
KEYS = ("brave", "tavily", "exa", "perplexity")


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


def ask(server: HttpServer, name: str, query: str = "testing") -> Answer:
    registry = {
        name: load_registry()[name].model_copy(update={"base_url": server.origin, "rate": Rate()})
    }
    sources, _ = build_sources(
        registry,
        fetcher=a_gate(allow_origins=[server.origin]),
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(
            environ={f"LACUNA_{key.upper()}_API_KEY": "key" for key in KEYS}, keyring=FakeKeyring
        ),
        library=None,
        embedder=None,
        cache_dir=Path("nowhere"),
        contact="ada@example.org",
    )
    return asyncio.run(sources[name].search(query, limit=1000))


def answers(folder: Path, pattern: str, address: str) -> list[tuple[str, int, bytes]]:
    """All recorded `(what, status, body)` in a folder's cassettes for one kind of address."""
    found = []
    for path in sorted(folder.glob(pattern)):
        if address not in path.read_text("utf-8"):
            continue
        for number, each in enumerate(_interactions(path)):
            if address in each["request"]["uri"]:
                status, body = _recorded(each["response"])
                found.append((f"{path.stem}-{number}", status, body))
    return found


@cache
def _interactions(path: Path) -> list[dict[str, Any]]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: list[dict[str, Any]] = yaml.load(path.read_text("utf-8"), Loader=loader)["interactions"]
    return found


def _recorded(response: dict[str, Any]) -> tuple[int, bytes]:
    status = response.get("status_code") or response["status"]["code"]
    if "parsed_body" in response:
        return status, json.dumps(response["parsed_body"]).encode()
    body = response.get("content") or (response.get("body") or {}).get("string") or b""
    body = body.encode() if isinstance(body, str) else body
    if body[:2] == b"\x1f\x8b":
        return status, gzip.decompress(body)
    return status, body


def served(server: HttpServer, body: bytes, status: int = 200) -> None:
    server.fallback = Reply(body, status, "application/json")


def plain(text: str | None) -> str:
    return " ".join(html.unescape(re.sub(r"<[^<>]*>", "", text or "")).split())


def bare(doi: str | None) -> str:
    return re.sub(r"^https?://(dx\.)?doi\.org/", "", (doi or "").lower())


def lists(recordings: list[tuple[str, int, bytes]], key: str) -> list[Any]:
    """The recordings that are a list of records, one test each."""
    cases = []
    for name, status, body in recordings:
        try:
            read: Any = json.loads(body)
        except (ValueError, zlib.error):
            continue
        for part in key.split("."):
            read = read.get(part) if isinstance(read, dict) else None
        if status == 200 and isinstance(read, list):
            cases.append(pytest.param(body, read, id=name))
    return cases


OPENALEX = lists(answers(PAPERQA, "*.yaml", "api.openalex.org/works?"), "results")


@pytest.mark.parametrize(("body", "works"), OPENALEX)
def test_every_openalex_work_is_parsed(body: bytes, works: list[Any], server: HttpServer) -> None:
    served(server, body)
    answer = ask(server, "openalex")
    assert answer.status is (SourceStatus.OK if works else SourceStatus.EMPTY)
    assert len(answer.hits) == len(works)
    for hit, work in zip(answer.hits, works, strict=True):
        assert hit.doi == bare(work["doi"])
        assert hit.url.endswith(bare(work["doi"])) or not work["doi"]
        assert hit.title == plain(work["title"])
        assert hit.authors == tuple(
            dict.fromkeys(plain(each["author"]["display_name"]) for each in work["authorships"])
        )
        assert hit.published == work["publication_date"]
        assert hit.citations == work["cited_by_count"]
        assert hit.retracted == work["is_retracted"]
        words = work.get("abstract_inverted_index") or {}
        assert len(hit.snippet.split()) >= 0.9 * sum(map(len, words.values()))


def test_recordings_of_openalex_exist() -> None:
    assert len(OPENALEX) >= 3


SEARCHES = lists(answers(SCHOLAR, "*search_paper*.yaml", "/paper/search?"), "data") + lists(
    answers(PAPERQA, "*.yaml", "/paper/search/match"), "data"
)


@pytest.mark.parametrize(("body", "papers"), SEARCHES)
def test_every_semantic_scholar_paper_is_parsed(
    body: bytes, papers: list[Any], server: HttpServer
) -> None:
    served(server, body)
    answer = ask(server, "semanticscholar")
    assert answer.status is (SourceStatus.OK if papers else SourceStatus.EMPTY)
    assert len(answer.hits) == len(papers)
    for hit, paper in zip(answer.hits, papers, strict=True):
        ids = paper.get("externalIds") or {}
        assert hit.title == (plain(paper.get("title")) or hit.url)
        assert hit.url
        assert hit.doi == bare(ids.get("DOI"))
        assert hit.arxiv_id == ids.get("ArXiv", "")
        assert hit.snippet == plain(paper.get("abstract"))
        assert hit.citations == paper.get("citationCount")
        expected = paper.get("publicationDate") or str(paper.get("year") or "")
        assert hit.published == expected
        people = [plain(each.get("name")) for each in paper.get("authors") or ()]
        assert hit.authors == tuple(dict.fromkeys(name for name in people if name))


def test_recordings_of_semantic_scholar_exist() -> None:
    assert len(SEARCHES) >= 10


LISTS = lists(answers(CROSSREF, "*/*.yaml", "crossref.org/works"), "message.items") + lists(
    answers(PAPERQA, "*.yaml", "crossref.org/works?"), "message.items"
)
NO_WORKS = {"component", "peer-review", "grant", "journal", "journal-issue", "database"}


@pytest.mark.parametrize(("body", "works"), LISTS)
def test_every_crossref_work_is_parsed(body: bytes, works: list[Any], server: HttpServer) -> None:
    served(server, body)
    answer = ask(server, "crossref")
    wanted = [each for each in works if "DOI" in each and each.get("type") not in NO_WORKS]
    wanted = [each for each in wanted if not each["DOI"].startswith("10.65215/")]
    assert answer.status is (SourceStatus.OK if wanted else SourceStatus.EMPTY)
    assert [hit.doi for hit in answer.hits] == [each["DOI"].lower() for each in wanted]
    for hit, work in zip(answer.hits, wanted, strict=True):
        assert hit.url == f"https://doi.org/{work['DOI'].lower()}"
        titles = work.get("title") or []
        assert hit.title == (plain(titles[0]) if titles and plain(titles[0]) else hit.doi)
        assert hit.citations == work.get("is-referenced-by-count")
        assert hit.snippet == plain(work.get("abstract"))
        reported = [
            plain(f"{each.get('given') or ''} {each.get('family') or ''}")
            or plain(each.get("name"))
            for each in work.get("author") or ()
        ]
        assert hit.authors == tuple(dict.fromkeys(filter(None, reported)))
        issued = (work.get("issued") or {}).get("date-parts", [[None]])[0]
        if issued and issued[0]:
            assert hit.published == "-".join(
                f"{number:0{width}d}" for number, width in zip(issued, (4, 2, 2), strict=False)
            )


def test_recordings_of_crossref_exist() -> None:
    assert len(LISTS) >= 8


UNPAYWALL = [
    pytest.param(body, json.loads(body), id=name)
    for name, status, body in answers(PAPERQA, "*.yaml", "api.unpaywall.org/v2/10.")
    if status == 200
]


@pytest.mark.parametrize(("body", "work"), UNPAYWALL)
def test_the_open_copy_from_unpaywall_is_parsed(
    body: bytes, work: dict[str, Any], server: HttpServer
) -> None:
    served(server, body)
    answer = ask(server, "unpaywall", f"doi:{work['doi']}")
    place = work["best_oa_location"]
    if place is None:
        assert (answer.status, answer.hits) == (SourceStatus.EMPTY, ())
        return
    (hit,) = answer.hits
    assert (hit.doi, hit.title) == (work["doi"].lower(), plain(work["title"]))
    assert hit.content_url == (place["url_for_pdf"] or place["url"])
    assert hit.published == (work["published_date"] or str(work["year"]))
    assert len(hit.authors) == len(work["z_authors"] or ())


def test_recordings_of_unpaywall_exist() -> None:
    assert len(UNPAYWALL) >= 4


RECORDS = sorted(
    path
    for path in PUBMED.glob("pubmed*.xml")
    if b"<PubmedArticleSet>" in path.read_bytes() or b"<PubmedArticleSet " in path.read_bytes()
)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_pubmed_article_is_parsed(path: Path, server: HttpServer) -> None:
    body = path.read_bytes()
    root = ET.fromstring(body)
    found = [each for each in root if each.tag == "PubmedArticle"]
    numbers = [str(each.findtext("MedlineCitation/PMID")) for each in found]
    listed = "".join(f"<Id>{number}</Id>" for number in numbers)
    search = f"<eSearchResult><IdList>{listed}</IdList></eSearchResult>".encode()
    server.routes["/entrez/eutils/esearch.fcgi"] = Reply(search, 200, "text/xml")
    server.routes["/entrez/eutils/efetch.fcgi"] = Reply(body, 200, "text/xml")
    answer = ask(server, "pubmed")
    assert answer.status is (SourceStatus.OK if found else SourceStatus.EMPTY)
    assert [hit.url.split("/")[-2] for hit in answer.hits] == list(dict.fromkeys(numbers))
    for hit, article in zip(answer.hits, found, strict=False):
        title = article.find("MedlineCitation/Article/ArticleTitle")
        assert title is not None
        assert hit.title == " ".join("".join(title.itertext()).split()).removesuffix(".")
        people = article.findall("MedlineCitation/Article/AuthorList/Author")
        assert len(hit.authors) == len(people)
        parts = article.findall("MedlineCitation/Article/Abstract/AbstractText")
        assert hit.snippet == "\n".join(
            line for part in parts if (line := " ".join("".join(part.itertext()).split()))
        )
        dois = [
            str(each.text).lower()
            for each in article.findall("PubmedData/ArticleIdList/ArticleId")
            if each.get("IdType") == "doi"
        ]
        assert hit.doi == (dois[0] if dois else "")
        assert re.fullmatch(r"\d{4}(-\d\d){0,2}", hit.published)


@pytest.mark.parametrize("path", sorted(PUBMED.glob("esearch*.xml")), ids=lambda path: path.stem)
def test_every_number_that_pubmeds_search_found_is_fetched(path: Path, server: HttpServer) -> None:
    body = path.read_bytes()
    numbers = [str(each.text) for each in ET.fromstring(body).iter("Id")]
    server.routes["/entrez/eutils/esearch.fcgi"] = Reply(body, 200, "text/xml")
    answer = ask(server, "pubmed")
    if not numbers:
        assert answer.status in (SourceStatus.EMPTY, SourceStatus.UNAVAILABLE)
        return
    assert server.asked[-1].params["id"] == ",".join(numbers)


BAD = [
    pytest.param(status, body, id=name)
    for name, status, body in answers(SCHOLAR, "*.yaml", "/graph/v1/")
    if status != 200
] + [
    pytest.param(status, body, id=name)
    for name, status, body in answers(CROSSREF, "*/*.yaml", "crossref.org")
    if status != 200
]


@pytest.mark.parametrize(("status", "body"), BAD)
@pytest.mark.parametrize("name", ["semanticscholar", "crossref"])
def test_a_recorded_error_is_unavailable(
    name: str, status: int, body: bytes, server: HttpServer
) -> None:
    served(server, body, status)
    answer = ask(server, name)
    assert (answer.status, answer.hits) == (SourceStatus.UNAVAILABLE, ())
    assert f"HTTP {status}" in answer.why


@pytest.mark.parametrize("name", ["openalex", "semanticscholar", "crossref"])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_truncated_recording_is_unavailable(name: str, share: float, server: HttpServer) -> None:
    cases = {"openalex": OPENALEX, "semanticscholar": SEARCHES, "crossref": LISTS}[name]
    body = max((case.values[0] for case in cases), key=len)
    served(server, body[: int(share * len(body))])
    answer = ask(server, name)
    assert (answer.status, answer.hits) == (SourceStatus.UNAVAILABLE, ())
    assert "incomplete" in answer.why


TAVILY = lists(answers(DATA / "tavily", "**/*.yaml", "api.tavily.com/search"), "results")


@pytest.mark.parametrize(("body", "results"), TAVILY)
def test_every_tavily_result_is_parsed(body: bytes, results: list[Any], server: HttpServer) -> None:
    served(server, body)
    answer = ask(server, "tavily")
    assert [hit.url for hit in answer.hits] == [each["url"] for each in results]
    assert [hit.title for hit in answer.hits] == [plain(each["title"]) for each in results]
    for hit, each in zip(answer.hits, results, strict=True):
        assert plain(hit.snippet) == plain(each["content"])
    assert server.asked[0].method == "POST"


@pytest.mark.parametrize(
    "path", sorted((DATA / "exa").rglob("search_*.json")), ids=lambda p: p.stem
)
def test_every_exa_result_is_parsed(path: Path, server: HttpServer) -> None:
    body = json.loads(path.read_text("utf-8"))["response"]
    served(server, json.dumps(body).encode())
    answer = ask(server, "exa")
    assert len(answer.hits) == len(body["results"])
    for hit, each in zip(answer.hits, body["results"], strict=True):
        assert (hit.url, hit.title) == (each["url"], plain(each["title"]))
        assert hit.published == (each.get("publishedDate") or "")[:10]
        assert hit.authors == ((each["author"],) if each.get("author") else ())
        assert plain(hit.snippet) == plain(" ".join(each.get("highlights") or ()))


@pytest.mark.parametrize(
    "path", sorted((DATA / "perplexity").rglob("*.json")), ids=lambda p: p.stem
)
def test_every_page_cited_by_perplexity_is_parsed(path: Path, server: HttpServer) -> None:
    body = json.loads(path.read_text("utf-8"))
    served(server, json.dumps(body).encode())
    answer = ask(server, "perplexity")
    assert [hit.url for hit in answer.hits] == body["citations"]
    assert body["citations"]
    assert body["choices"][0]["message"]["content"][:40] not in str(answer)


@pytest.mark.parametrize(
    "path",
    sorted((DATA / "serp_html_openserp").rglob("*.html")),
    ids=lambda p: f"{p.parts[-3]}-{p.stem}",
)
@pytest.mark.parametrize("name", ["brave", "tavily", "crossref", "pubmed"])
def test_an_html_page_or_captcha_is_not_a_valid_answer(
    name: str, path: Path, server: HttpServer
) -> None:
    for kind in ("text/html", "application/json"):
        server.fallback = Reply(path.read_bytes(), 200, kind)
        answer = ask(server, name)
        assert (answer.status, answer.hits) == (SourceStatus.UNAVAILABLE, ())
        assert answer.why
