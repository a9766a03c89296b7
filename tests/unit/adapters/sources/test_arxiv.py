"""arXiv: safe queries out, papers in, and errors that are never taken for "nothing found"."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.adapters.sources import load_registry
from daemon.adapters.sources.arxiv import ArxivSource
from daemon.adapters.sources.registry import Rate
from daemon.adapters.sources.source_parts import Parts
from daemon.adapters.sources.word_index import terms
from daemon.model.evidence import Answer, SourceStatus, SourceType
from daemon.ports import Fetched
from tests.fakes.extractor import FakeExtractor
from tests.fakes.fetcher import FakeFetcher, answered

URL = "https://export.arxiv.org/api/query"
ENTRY = """<entry><id>http://arxiv.org/abs/{id}</id><title>{title}</title>
<summary>An  abstract
 over lines.</summary><published>2024-05-01T17:59:46Z</published>
<author><name>Ada Marsh</name></author><author><name> Ben
Shore </name></author><arxiv:doi>10.1000/x</arxiv:doi>
<link href="http://arxiv.org/pdf/{id}" rel="related" type="application/pdf" title="pdf"/></entry>"""


def feed(*entries: str, searched: str = "", total: int | None = None) -> bytes:
    count = len(entries) if total is None else total
    return (
        "<?xml version='1.0' encoding='UTF-8'?>"
        '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"'
        ' xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">'
        f"<title>arXiv Query: search_query={searched}&amp;id_list=&amp;start=0</title>"
        f"<opensearch:totalResults>{count}</opensearch:totalResults>{''.join(entries)}</feed>"
    ).encode()


def entry(id: str, title: str = "A title\n  in two lines") -> str:
    return ENTRY.format(id=id, title=title)


def ask(fetcher: FakeFetcher, query: str = "tides", limit: int = 10) -> Answer:
    parts = Parts(
        name="arxiv",
        entry=load_registry()["arxiv"].model_copy(update={"rate": Rate()}),
        fetcher=fetcher,
        extractor=FakeExtractor(),
        embedder=None,
        library=None,
        cache_dir=Path("nowhere"),
    )
    return asyncio.run(ArxivSource.build(parts).search(query, limit=limit))


def answering(body: bytes, *, status: int = 200, query: str = "tides") -> Answer:
    return ask(FakeFetcher({URL: answered(URL, body, status=status)}), query)


def test_a_paper_is_parsed_with_all_its_fields() -> None:
    answer = answering(feed(entry("2405.00001v2"), searched="all:tides"))
    (hit,) = answer.hits
    assert (answer.status, answer.why, answer.query) == (SourceStatus.OK, "", "tides")
    assert (hit.title, hit.snippet) == ("A title in two lines", "An abstract over lines.")
    assert (hit.authors, hit.published) == (("Ada Marsh", "Ben Shore"), "2024-05-01")
    assert (hit.arxiv_id, hit.doi) == ("2405.00001", "10.1000/x")
    assert hit.url == "https://arxiv.org/abs/2405.00001v2"
    assert hit.content_url == "https://arxiv.org/pdf/2405.00001v2"
    assert hit.source_type is SourceType.PREPRINT


def test_old_identifiers_keep_their_archive_prefix() -> None:
    assert answering(feed(entry("astro-ph/0601001v1"))).hits[0].arxiv_id == "astro-ph/0601001"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("cooperative scheduling latency", ["cooperative", "scheduling", "latency"]),
        ("What is the role of caffeine?", ["role", "caffeine"]),
        ('"quoted phrase" AND ti:title OR (x)', ["quoted", "phrase", "ti", "title"]),
        ("state-of-the-art", ["state", "art"]),
        ("tides tides Tides", ["tides"]),
        ("ANDNOT all:* %22 +submittedDate:[1 TO 2]", ["22", "submitteddate", "1", "2"]),
        ("the of", ["the", "of"]),
        ("Größe 潮汐", ["größe", "潮汐"]),
        ("?!", []),
    ],
)
def test_only_words_of_the_question_reach_the_query(query: str, words: list[str]) -> None:
    assert [word for word in terms(query) if word != "all"] == words


def test_the_query_requires_all_words_first_and_any_word_if_few_papers_match() -> None:
    fetcher = FakeFetcher({URL: answered(URL, feed(entry("2405.00001v1")))})
    answer = ask(fetcher, "neap tides", limit=7)
    questions = [params["search_query"] for _, params, _ in fetcher.asked]
    assert questions == ["all:neap AND all:tides", "all:neap OR all:tides"]
    assert fetcher.asked[0][1]["max_results"] == "7"
    assert len(answer.hits) == 1


def test_one_request_is_enough_if_it_returns_papers() -> None:
    papers = [entry(f"2405.0000{number}v1") for number in range(3)]
    fetcher = FakeFetcher({URL: answered(URL, feed(*papers))})
    assert len(ask(fetcher, "neap tides", limit=2).hits) == 2
    assert len(fetcher.asked) == 1


def test_results_of_the_first_request_are_kept_if_the_second_fails() -> None:
    class Limited(FakeFetcher):
        async def get(self, url: str, **more: object) -> Fetched:
            self.asked.append((url, {}, {}))
            if len(self.asked) > 1:
                return replace(answered(url, b"Rate exceeded.", status=429))
            return answered(url, feed(entry("2405.00001v1")))

    answer = ask(Limited(), "neap tides")
    assert (answer.status, len(answer.hits)) == (SourceStatus.DEGRADED, 1)
    assert "HTTP 429" in answer.why


def test_no_papers_are_an_empty_result() -> None:
    answer = answering(feed(searched="all:tides"))
    assert (answer.status, answer.hits, answer.why) == (SourceStatus.EMPTY, (), "")


ERROR = "<entry><id>http://arxiv.org/api/errors#x</id><title>Error</title><summary>bad</summary></entry>"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (feed(ERROR), "reports an error: bad"),
        (b"Rate exceeded.", "answered: Rate exceeded."),
        (b"", "answered nothing"),
        (b"<!DOCTYPE html><html><body><p>Sorry<br></body></html>", "a web page"),
        (b"<html><body>Well formed</body></html>", "a web page"),
        (feed(entry("2405.00001v1"))[:-200], "incomplete"),
        (b"{}", "answered: {}"),
        (b"<rss/>", "does not have the expected form"),
        (feed(total=int("9" * 4000)), "reported 99999999999999999999 results but returned none"),
        (feed(total=12), "reported 12 results but returned none"),
    ],
)
def test_an_error_with_status_200_is_unavailable_and_never_empty(body: bytes, why: str) -> None:
    answer = answering(body)
    assert answer.status is SourceStatus.UNAVAILABLE
    assert why in answer.why


def test_a_rewritten_query_is_degraded_and_reported() -> None:
    answer = answering(feed(entry("2405.00001v1"), searched="all:zz"))
    assert answer.status is SourceStatus.DEGRADED
    assert "something other than the query: all:zz" in answer.why


def test_a_question_without_words_is_not_sent() -> None:
    fetcher = FakeFetcher()
    assert ask(fetcher, "?!").status is SourceStatus.UNAVAILABLE
    assert fetcher.asked == []


def test_entities_and_files_of_a_hostile_feed_are_not_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hush")
    doctype = f'<!DOCTYPE feed [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY y "yyy">]>'
    hostile = feed(entry("2405.00001v1", title="T &x; &y;")).replace(
        b"<feed", doctype.encode() + b"<feed", 1
    )
    answer = answering(hostile)
    assert "hush" not in str(answer)
    assert "yyy" not in str(answer)


def test_a_feed_that_expands_to_gigabytes_is_refused() -> None:
    levels = "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' if n else '<!ENTITY a0 "aaaaaaaaaa">'
        for n in range(10)
    )
    bomb = feed(entry("2405.00001v1", title="&a9;")).replace(
        b"<feed", f"<!DOCTYPE feed [{levels}]><feed".encode(), 1
    )
    assert len(str(answering(bomb))) < 5000
