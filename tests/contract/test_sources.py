"""What holds for every source, whatever it asks and however that goes wrong."""

import asyncio
import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.adapters.resolve import Resolver, resolve
from daemon.adapters.secrets import KeyringSecrets
from daemon.adapters.sources import key_names, load_registry
from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.build import SOURCES, build_sources
from daemon.adapters.sources.mcp import McpSource
from daemon.adapters.sources.mcp_http import Post
from daemon.adapters.sources.registry import Rate
from daemon.model.errors import OfflineError, SecretError
from daemon.model.evidence import Answer, SourceStatus
from daemon.ports import Source
from tests.fakes.api import no_wait
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.extractor import FakeExtractor
from tests.fakes.gates import a_gate
from tests.fakes.http_server import HttpServer, Reply, closed_port, serving
from tests.fakes.keyring import FakeKeyring
from tests.fakes.library import indexed_library

REGISTRY = load_registry()
EVERY = [source.kind for source in SOURCES]
NETWORKED = [name for name in EVERY if REGISTRY[name].type in ("api", "feed", "json", "mcp")]
# What a source cannot do without, and nobody but the user can say.
REPORTED: dict[str, dict[str, object]] = {
    "json": {"arguments": {"q": "{query}"}},
    "mcp": {"tool": "search", "max_latency_ms": 60_000},
}
KEYS = {f"LACUNA_{name.upper()}_API_KEY": "key-1" for name in key_names(REGISTRY)}
NEEDS_A_KEY = [
    source.kind for source in SOURCES if issubclass(source, ApiSource) and source.needs_key
]
JSON = "application/json"
# Every source takes this for a question, those too that look up a DOI or an address.
QUESTION = "harbour tides 10.1000/tides https://example.org/tides"

TROUBLE = {
    **{f"HTTP {status}": Reply(b"{}", status, JSON) for status in (400, 401, 402, 403, 404, 414)},
    **{
        f"HTTP {status}": Reply(b"no", status, "text/plain") for status in (418, 422, 500, 502, 503)
    },
    **{
        f"HTTP {status} with a web page": Reply(b"<html><p>No.<br></html>", status)
        for status in (403, 413, 429, 451, 504, 520)
    },
    "HTTP 429": Reply(b"Rate exceeded.", 429, "text/plain"),
    "HTTP 429 with a day to come back": Reply(
        b"", 429, headers={"Retry-After": "Sun, 22 Nov 2099 09:00:00 GMT"}
    ),
    "HTTP 503 with a wait": Reply(b"", 503, headers={"Retry-After": "3600"}),
    "HTTP 429 with a wait": Reply(b"", 429, headers={"Retry-After": "30"}),
    "HTTP 204": Reply(b"", 204),
    "an empty body": Reply(b"", content_type=JSON),
    "a web page": Reply(b"<!DOCTYPE html><html><body>Are you a robot?<br></body></html>"),
    "a captcha": Reply(
        b"<!DOCTYPE html><title>Just a moment...</title><form id=challenge-form></form>"
        b"<div class=g-recaptcha></div><p>Please complete the CAPTCHA to continue.",
        content_type="text/html",
    ),
    "a captcha after a comment": Reply(
        b"<!-- cf --><div class=g-recaptcha>Verify that you are human", content_type=JSON
    ),
    "a web page called data": Reply(b"<html><p>Sign in<br></html>", content_type=JSON),
    "plain words": Reply(b"Rate exceeded.", content_type="text/plain"),
    "JSON cut short": Reply(b'{"type": "search", "web": {"results": [{"ti', content_type=JSON),
    "XML cut short": Reply(b"<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'><en"),
    "an error in a good answer": Reply(b'{"error": {"detail": "quota"}}', content_type=JSON),
    "errors in a good answer": Reply(b'{"errors": [{"message": "no"}]}', content_type=JSON),
    "data of another kind": Reply(b"[1, 2, 3]", content_type=JSON),
    "an object without anything": Reply(b"{}", content_type=JSON),
    "a list without anything in its place": Reply(
        b'{"results": {}, "items": 5, "data": "x", "articles": null}', content_type=JSON
    ),
    "too deep to parse": Reply(b"[" * 50_000, content_type=JSON),
    "not text": Reply(b"\xff\xfe\x00\x01" * 50, content_type=JSON),
    "a body cut short": Reply(b"{", content_type=JSON, claims=5000),
    "not HTTP": Reply(raw=b"garbage\r\n\r\n"),
    "a closed connection": Reply(raw=b""),
    "a body that is too large": Reply(b" " * 300_000, content_type=JSON),
    "an endless body": Reply(b" " * 10_000, content_type=JSON, endless=True),
    "a bomb": Reply(gzip.compress(b" " * 9_000_000), headers={"Content-Encoding": "gzip"}),
    "silence": Reply(silent=True),
    "half an answer": Reply(b'{"type": "search"}', hangs=True),
    "a redirect inside": Reply(status=302, headers={"Location": "http://169.254.169.254/"}),
    "redirects without end": Reply(status=302, headers={"Location": "/again"}),
}

ATOM = b"<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'>%s</feed>"
# What each service says when it has nothing.
NOTHING: dict[str, bytes] = {
    "openalex": b'{"meta": {"count": 0}, "results": []}',
    "semanticscholar": b'{"total": 0, "offset": 0, "data": []}',
    "crossref": b'{"status": "ok", "message": {"total-results": 0, "items": []}}',
    "europepmc": b'{"hitCount": 0, "resultList": {"result": []}}',
    "pubmed": b"<eSearchResult><Count>0</Count><IdList/></eSearchResult>",
    "arxiv": ATOM % b"<title>ArXiv Query: search_query=x&amp;id_list=</title>",
    "core": b'{"totalHits": 0, "results": []}',
    "unpaywall": b'{"doi": "10.1000/tides", "is_oa": false, "best_oa_location": null}',
    "serpapi_scholar": b'{"error": "Google hasn\'t returned any results for this query."}',
    "wikipedia": b'{"batchcomplete": true}',
    "github": b'{"total_count": 0, "incomplete_results": false, "items": []}',
    "brave": b'{"type": "search", "web": {"results": []}}',
    "tavily": b'{"query": "x", "results": [], "response_time": 1}',
    "exa": b'{"requestId": "x", "results": []}',
    "perplexity": b'{"id": "x", "results": []}',
    "jina": b'{"code": 200, "data": []}',
    "jina_reader": b'{"code": 200, "data": {"title": "", "content": ""}}',
    "wayback": b'{"url": "example.org", "archived_snapshots": {}}',
    "searxng": b'{"query": "x", "results": [], "unresponsive_engines": []}',
    "duckduckgo": b'{"AbstractURL": "", "RelatedTopics": [], "Results": []}',
    "newsroom": b'{"articles": [], "pagination": {"total": 0}}',
    "feed": ATOM % b"<title>Tides</title>",
    "defillama": b"[]",
    "json": b'{"total": 0, "items": []}',
    "mcp": b"",  # which answers as a protocol: see its own tests
}


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    library = tmp_path / "library"
    library.mkdir()
    (library / "tides.md").write_text("# Tides\n\nTides in harbours turn twice a day.")
    return library


def build(
    origin: str,
    library: Path | None,
    *,
    timeout: float = 20.0,
    changes: dict[str, object] | None = None,
    resolver: Resolver = resolve,
) -> tuple[dict[str, Source], list[tuple[str, str]]]:
    """Build every source against one origin, without waits between requests."""
    registry = {
        name: REGISTRY[name].model_copy(
            update={
                "base_url": origin,
                "rate": Rate(),
                "opt_in": False,
                **REPORTED.get(name, {}),
                **(changes or {}),
            }
        )
        for name in EVERY
    }
    return build_sources(
        registry,
        fetcher=a_gate(
            allow_origins=[origin], timeout=timeout, max_bytes=200_000, resolver=resolver
        ),
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ=KEYS, keyring=FakeKeyring),
        library=indexed_library(library, state=library.parent, embedder=FakeEmbedder())
        if library
        else None,
        embedder=FakeEmbedder(),
        cache_dir=(library or Path("nowhere")).parent / "cache",
        contact="ada@example.org",
        sleep=no_wait,
    )


def ask(source: Source, query: str = QUESTION, limit: int = 5) -> Answer:
    try:
        return asyncio.run(source.search(query, limit=limit))
    finally:
        if isinstance(source, McpSource):
            source.close()


@pytest.mark.parametrize("name", EVERY)
def test_a_source_has_the_name_that_the_registry_knows(
    name: str, server: HttpServer, folder: Path
) -> None:
    assert build(server.origin, folder)[0][name].name == name


# What only the process that speaks MCP can find wrong: the answer came.
DATA = {
    *("an empty body", "a captcha after a comment", "plain words", "JSON cut short"),
    *("an error in a good answer", "errors in a good answer"),
    *("data of another kind", "an object without anything", "too deep to parse", "not text"),
    "a list without anything in its place",
}


def time_out(trouble: str) -> float:
    """Return seconds: few only for what never ends, as other answers are slow on a busy machine."""
    reply = TROUBLE[trouble]
    return 0.15 if reply.hangs or reply.silent or reply.endless else 20


@pytest.mark.parametrize("name", [name for name in NETWORKED if name != "mcp"])
@pytest.mark.parametrize("trouble", TROUBLE)
def test_an_error_is_unavailable_with_a_reason_and_never_empty(
    name: str, trouble: str, server: HttpServer, folder: Path
) -> None:
    server.fallback = TROUBLE[trouble]
    answer = ask(build(server.origin, folder, timeout=time_out(trouble))[0][name])
    assert answer.status is SourceStatus.UNAVAILABLE
    assert answer.hits == ()
    assert answer.why.strip()
    assert "\n" not in answer.why
    assert len(answer.why) < 300
    assert "key-1" not in answer.why


@pytest.mark.parametrize("trouble", TROUBLE)
def test_an_error_of_an_mcp_server_is_recorded_with_a_reason(
    trouble: str, server: HttpServer
) -> None:
    """What comes of it is for its own tests: each start of what speaks MCP takes a second."""
    server.fallback = TROUBLE[trouble]
    gate = a_gate(timeout=time_out(trouble), max_bytes=200_000, allow_origins=[server.origin])
    post = Post(gate, f"{server.origin}/mcp", {})
    reported, _ = asyncio.run(post.send({"post": 0, "body": {"jsonrpc": "2.0"}, "headers": {}}))
    assert reported["failed"] is (post.trouble is not None) is (trouble not in DATA)
    assert post.trouble is None or (post.trouble.why and "\n" not in post.trouble.why)


@pytest.mark.parametrize("name", [name for name in NETWORKED if name != "mcp"])
def test_no_results_are_empty_and_not_an_error(name: str, server: HttpServer, folder: Path) -> None:
    server.fallback = Reply(NOTHING[name], content_type=JSON if NOTHING[name][:1] in b"{[" else "")
    answer = ask(build(server.origin, folder, timeout=20)[0][name])
    assert (answer.status, answer.why, answer.hits) == (SourceStatus.EMPTY, "", ())
    assert answer.requests >= 1


@pytest.mark.parametrize("name", NETWORKED)
def test_a_missing_network_is_unavailable(name: str, folder: Path) -> None:
    answer = ask(build(f"http://127.0.0.1:{closed_port()}", folder)[0][name])
    assert answer.status is SourceStatus.UNAVAILABLE
    assert "could not be reached" in answer.why


@pytest.mark.parametrize("name", NETWORKED)
def test_without_a_network_a_source_fails_at_once_with_only_that_reason(
    name: str, folder: Path
) -> None:
    async def nothing(host: str, port: int) -> list[str]:
        raise OfflineError(f"{host}: no such host, or no network")

    built, _ = build("http://api.example", folder, timeout=20, resolver=nothing)
    answer = ask(built[name])
    assert (answer.status, answer.why) == (SourceStatus.UNAVAILABLE, "no network")
    assert answer.seconds < 15  # far less than its limit


@pytest.mark.parametrize("name", NETWORKED)
def test_a_requested_wait_is_reported(name: str, server: HttpServer, folder: Path) -> None:
    server.fallback = Reply(b"", 429, headers={"Retry-After": "30"})
    assert (
        "too many requests (HTTP 429, asks to wait 30 s)"
        in ask(build(server.origin, folder)[0][name]).why
    )


@pytest.mark.parametrize("name", [name for name in EVERY if name != "mcp"])
@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "?",
        "\x00\n",
        "the of",
        '"',
        "a" * 5000,
        "word " * 500,
        "ti:x AND (",
        "\ud800",
        "潮汐",
        "🌊",
    ],
)
def test_no_question_makes_a_source_raise(
    name: str, query: str, server: HttpServer, folder: Path
) -> None:
    server.fallback = Reply(b'{"type": "search"}', content_type=JSON)
    answer = ask(build(server.origin, folder)[0][name], query)
    assert (answer.source, answer.query) == (name, query)
    assert answer.seconds >= 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"enabled": False}, "turned off in sources.yaml"),
        ({"opt_in": True}, "off until you opt in: set `enabled: true` in sources.yaml"),
    ],
)
def test_a_disabled_source_is_skipped_and_reported(
    change: dict[str, object], why: str, folder: Path
) -> None:
    built, left_out = build("http://127.0.0.1:1", folder, changes=change)
    assert built == {}
    assert left_out == [(name, why) for name in EVERY]


def test_a_source_without_its_key_folder_or_contact_is_skipped_and_reported(tmp_path: Path) -> None:
    built, left_out = build_sources(
        REGISTRY,
        fetcher=a_gate(),
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ={}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=tmp_path,
    )
    reported = dict(left_out)
    assert sorted([*built, *reported]) == sorted(REGISTRY)
    assert reported["library"] == "no library folder is configured"
    assert "contact" in reported["unpaywall"]
    assert "base_url" in reported["searxng"]
    for name in (each for each in NEEDS_A_KEY if not REGISTRY[each].opt_in):
        assert reported[name] == f"no key: lacuna secrets set {REGISTRY[name].api_key}"
    assert {"arxiv", "openalex", "semanticscholar", "crossref", "europepmc", "pubmed"} <= set(built)


def test_sources_without_a_key_work_without_a_keyring(tmp_path: Path) -> None:
    class NoKeyring(KeyringSecrets):
        def get(self, name: str) -> str | None:
            raise SecretError("no keyring")

    built, left_out = build_sources(
        REGISTRY,
        fetcher=a_gate(),
        extractor=FakeExtractor(),
        secrets=NoKeyring(environ={}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=tmp_path,
    )
    assert {"openalex", "semanticscholar", "pubmed", "github"} <= set(built)
    assert dict(left_out)["brave"] == "no keyring"


def test_new_sources_of_known_kinds_take_a_few_lines_of_yaml(
    server: HttpServer, tmp_path: Path
) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(
        f"""
        harbour_news: {{type: feed, base_url: "{server.origin}/feed.xml", source_type: news}}
        our_searxng: {{adapter: searxng, base_url: "{server.origin}/searxng"}}
        press: {{adapter: newsroom, base_url: "{server.origin}/press", api_key: press}}
        """
    )
    page = f"{server.origin}/tides"
    record = f'"url": "{page}", "title": "Harbour tides", "headline": "Harbour tides"'
    entry = f"<entry><title>Harbour tides</title><link href='{page}'/></entry>".encode()
    server.routes = {
        "/feed.xml": Reply(ATOM % entry, content_type="application/atom+xml"),
        "/searxng/search": Reply(f'{{"results": [{{{record}}}]}}'.encode(), content_type=JSON),
        "/press/articles": Reply(f'{{"articles": [{{{record}}}]}}'.encode(), content_type=JSON),
    }
    built, left_out = build_sources(
        load_registry(path),
        fetcher=a_gate(allow_origins=[server.origin]),
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ={"LACUNA_PRESS_API_KEY": "key-1"}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=tmp_path,
        sleep=no_wait,
    )
    for name in ("harbour_news", "our_searxng", "press"):
        assert name not in dict(left_out)
        (hit,) = ask(built[name], "harbour tides").hits
        assert (hit.source, hit.title, hit.url) == (name, "Harbour tides", page)
    assert server.asked[-1].headers["authorization"] == "Bearer key-1"


@pytest.mark.parametrize("name", NETWORKED)
def test_a_source_without_an_address_is_skipped_and_reported(name: str, folder: Path) -> None:
    reported = dict(build("http://127.0.0.1:1", folder, changes={"base_url": ""})[1])
    assert reported[name].endswith("base_url is missing in sources.yaml")
