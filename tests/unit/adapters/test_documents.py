"""The way from a hit to its text, and what stands in when there is no way."""

import asyncio
import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.adapters.documents import get_document
from daemon.adapters.extract import ChildExtractor
from daemon.adapters.pages import Retrievers
from daemon.model.errors import ExtractError, FetchError, RefusedError
from daemon.model.evidence import Hit, SourceType
from daemon.ports import RetrievedDocument
from tests.fakes.gates import a_gate
from tests.fakes.http_server import HttpServer, Reply, serving
from tests.fakes.library import make_library
from tests.fakes.pdf import make_pdf

NOW = dt.datetime(2026, 11, 21, 9, 30, tzinfo=dt.UTC)
SENTENCE = "The tide turns twice a day, because the earth turns below the sea. "
PAGE = f"<html><title>Tides</title><article><p>{SENTENCE * 5}</p></article></html>".encode()
ABSTRACT = "An abstract that says what the paper found about tides in harbours. " * 4


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


@pytest.fixture(scope="module")
def extractor() -> Iterator[ChildExtractor]:
    made = ChildExtractor()
    yield made
    made.close()


def hit(url: str, *, snippet: str = "", content_url: str = "") -> Hit:
    return Hit(
        source="arxiv",
        source_type=SourceType.PREPRINT,
        url=url,
        title="Tides",
        snippet=snippet,
        authors=("A",),
        published="2024",
        content_url=content_url,
    )


def get(
    server: HttpServer, extractor: ChildExtractor, what: Hit, library: Path | None = None
) -> RetrievedDocument:
    retrievers = Retrievers(a_gate(allow_origins=[server.origin], timeout=60), extractor)
    made = make_library(library, state=library.parent, extractor=extractor) if library else None
    return asyncio.run(get_document(what, retrievers=retrievers, library=made, clock=lambda: NOW))


def test_a_page_is_fetched_and_its_text_taken(
    server: HttpServer, extractor: ChildExtractor
) -> None:
    server.routes["/tides"] = Reply(PAGE)
    got = get(server, extractor, hit(server.origin + "/tides"))
    assert got.body == PAGE
    assert got.extracted.text.startswith("The tide turns")
    assert (got.via, got.extracted.extracted_by, got.note) == ("direct", "trafilatura", "")


def test_the_full_text_is_preferred_to_the_landing_page(
    server: HttpServer, extractor: ChildExtractor
) -> None:
    server.routes["/pdf"] = Reply(make_pdf([[SENTENCE] * 6]), content_type="application/pdf")
    what = hit(server.origin + "/abs", content_url=server.origin + "/pdf")
    got = get(server, extractor, what)
    assert got.extracted.extracted_by == "pdfium"
    assert [asked.path for asked in server.asked] == ["/pdf"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(b"no", 403), "HTTP 403"),
        (Reply(b"no", 429, headers={"Retry-After": "60"}), "HTTP 429, asks to wait 60 s"),
        (Reply(PAGE, 503), "HTTP 503"),
        (Reply(b"%PDF-1.7 garbage", content_type="application/pdf"), "the PDF is broken"),
        (Reply(make_pdf([[]]), content_type="application/pdf"), "only pictures"),
        (Reply(b"\x89PNG", content_type="image/png"), "cannot read image/png"),
        (Reply(PAGE.replace(b"Tides", b"Just a moment...")), "a bot check"),
        (Reply(b"<html><body><p>Log in.</p></body></html>"), "almost no text"),
        (Reply(PAGE, claims=99_999), "broken"),
    ],
)
def test_a_summary_replaces_what_cannot_be_retrieved_and_says_why(
    server: HttpServer, extractor: ChildExtractor, reply: Reply, reason: str
) -> None:
    server.routes["/x"] = reply
    got = get(server, extractor, hit(server.origin + "/x", snippet=ABSTRACT))
    assert got.extracted.text == ABSTRACT.strip()
    assert got.extracted.extracted_by == "abstract"
    assert (got.via, got.note[:15]) == ("", "abstract only: ")
    assert reason in got.note
    assert got.body == ABSTRACT.strip().encode()
    assert got.fetched_at == NOW


def test_no_summary_stands_in_for_an_address_that_is_refused(
    server: HttpServer, extractor: ChildExtractor
) -> None:
    server.routes["/in"] = Reply(status=302, headers={"Location": "http://169.254.169.254/"})
    addresses = ("http://169.254.169.254/", "http://10.0.0.1/admin", server.origin + "/in")
    for url in addresses:
        for what in (hit(url, snippet=ABSTRACT), hit("https://a.org/", content_url=url)):
            with pytest.raises(RefusedError, match="refused"):
                get(server, extractor, replace(what, snippet=ABSTRACT))


def test_without_a_summary_the_trouble_itself_comes_out(
    server: HttpServer, extractor: ChildExtractor
) -> None:
    server.routes["/pdf"] = Reply(make_pdf([[]]), content_type="application/pdf")
    with pytest.raises(FetchError, match="HTTP 404"):
        get(server, extractor, hit(server.origin + "/gone", snippet="Too short to stand in."))
    with pytest.raises(ExtractError, match="only pictures"):
        get(server, extractor, hit(server.origin + "/pdf"))


def test_a_file_of_the_library_is_read_where_it_is(
    server: HttpServer, extractor: ChildExtractor, tmp_path: Path
) -> None:
    path = tmp_path / "my tides #1.md"
    path.write_text("---\ntitle: T\n---\nShort.")
    what = replace(hit(path.as_uri()), source_type=SourceType.LIBRARY)
    got = get(server, extractor, what, tmp_path)
    assert (got.extracted.text, got.extracted.title) == ("Short.", "T")
    assert (got.content_type, got.fetched_at, got.via) == ("text/markdown", NOW, "library")
    assert server.asked == []


def test_no_file_outside_of_the_library_is_read(
    server: HttpServer, extractor: ChildExtractor, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (library / "link.txt").symlink_to(secret)
    for url in (
        secret.as_uri(),
        (library / "link.txt").as_uri(),
        library.as_uri() + "/../secret.txt",
        library.as_uri() + "/%2e%2e/secret.txt",
        f"file://elsewhere{library}/x.txt",
        "file:///etc/passwd",
    ):
        with pytest.raises(RefusedError, match="refused"):
            get(server, extractor, hit(url, snippet=ABSTRACT), library)
    with pytest.raises(RefusedError, match="no library"):
        get(server, extractor, hit(secret.as_uri()), None)


def test_a_file_that_is_gone_is_said_so(
    server: HttpServer, extractor: ChildExtractor, tmp_path: Path
) -> None:
    with pytest.raises(FetchError, match=r"gone\.md: No such file"):
        get(server, extractor, hit((tmp_path / "gone.md").as_uri()), tmp_path)
