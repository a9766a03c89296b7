"""Brave: what is sent, what comes out of each result, and what an error becomes."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.sources import load_registry
from daemon.adapters.sources.api import shorten
from daemon.adapters.sources.brave import BraveSource
from daemon.adapters.sources.registry import Rate
from daemon.adapters.sources.source_parts import Parts
from daemon.model.errors import SourceError
from daemon.model.evidence import Answer, Hit, SourceStatus, SourceType
from tests.fakes.extractor import FakeExtractor
from tests.fakes.fetcher import FakeFetcher, answered

URL = "https://api.search.brave.com/res/v1/web/search"
RESULT = {"title": "Tides", "url": "https://example.com/tides", "description": "About tides."}


def ask(fetcher: FakeFetcher, query: str = "tides", limit: int = 10) -> Answer:
    source = BraveSource.build(parts(fetcher, "key-1"))
    return asyncio.run(source.search(query, limit=limit))


def parts(fetcher: FakeFetcher, key: str) -> Parts:
    return Parts(
        name="brave",
        entry=load_registry()["brave"].model_copy(update={"rate": Rate()}),
        fetcher=fetcher,
        extractor=FakeExtractor(),
        embedder=None,
        library=None,
        cache_dir=Path("nowhere"),
        key=key,
    )


def answering(body: object, **more: Any) -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return ask(FakeFetcher({URL: answered(URL, raw, **more)}))


def hit_of(**record: object) -> Hit:
    return answering({"type": "search", "web": {"results": [{**RESULT, **record}]}}).hits[0]


def test_the_request_follows_the_api() -> None:
    fetcher = FakeFetcher({URL: answered(URL, b'{"type": "search"}')})
    ask(fetcher, limit=50)
    ((url, params, headers),) = fetcher.asked
    assert url == URL
    assert params == {
        "q": "tides",
        "count": "20",
        "text_decorations": "false",
        "extra_snippets": "true",
    }
    assert headers == {"Accept": "application/json", "X-Subscription-Token": "key-1"}


def test_a_long_question_is_truncated_between_words() -> None:
    assert len(shorten("word " * 80, 400, 50).split()) == 50
    cut = shorten("longerword " * 45, 400, 50)
    assert len(cut) <= 400
    assert set(cut.split()) == {"longerword"}
    assert len(shorten("x" * 1000, 400, 50)) == 400


def test_a_result_becomes_plain_text() -> None:
    hit = hit_of(
        title="<strong>Tides</strong> &amp; moons",
        description="A &quot;tide&quot; is <strong>water</strong>.",
        extra_snippets=["It turns.", 'A "tide" is water.', 7],
    )
    assert hit.title == "Tides & moons"
    assert hit.snippet == 'A "tide" is water.\nIt turns.'
    assert (hit.source, hit.source_type, hit.url) == ("brave", SourceType.WEB, RESULT["url"])


@pytest.mark.parametrize(
    ("record", "date"),
    [
        ({"page_age": "2024-12-27T15:49:55", "age": "4 days ago"}, "2024-12-27"),
        ({"age": "September 6, 2019"}, "2019-09-06"),
        ({"age": "Sep 6, 2019"}, "2019-09-06"),
        ({"age": "May 2019"}, "2019-05"),
        ({"age": "4 days ago"}, "2026-11-17"),
        ({"age": "1 week ago"}, "2026-11-14"),
        ({"age": "6 hours ago"}, "2026-11-21"),
        ({"age": "some time ago"}, ""),
        ({"page_age": None, "age": 5}, ""),
        ({}, ""),
    ],
)
def test_a_date_is_converted_to_iso_8601(record: dict[str, object], date: str) -> None:
    assert hit_of(**record).published == date


@pytest.mark.parametrize(
    ("record", "authors"),
    [
        (
            {"article": {"author": [{"name": "Ada Marsh"}, {"name": "Ben Shore"}]}},
            ("Ada Marsh", "Ben Shore"),
        ),
        ({"video": {"creator": "Ada &amp; Ben", "author": None}}, ("Ada & Ben",)),
        ({"book": {"author": {"name": "Ada Marsh"}}}, ("Ada Marsh",)),
        ({"profile": {"name": "Wikipedia"}}, ()),
        ({"article": {"author": [None, 3, {}]}}, ()),
    ],
)
def test_authors_are_parsed_if_a_result_names_people(
    record: dict[str, object], authors: tuple[str, ...]
) -> None:
    assert hit_of(**record).authors == authors


def test_news_results_follow_web_results_and_are_marked_as_news() -> None:
    news = {**RESULT, "url": "https://example.com/news"}
    body = {"type": "search", "web": {"results": [RESULT]}, "news": {"results": [news]}}
    assert [hit.source_type for hit in answering(body).hits] == [SourceType.WEB, SourceType.NEWS]


def test_unusable_results_are_skipped() -> None:
    body = {
        "type": "search",
        "web": {"results": [None, 5, {}, {"url": "javascript:x"}, {"url": None}, RESULT]},
    }
    assert [hit.title for hit in answering(body).hits] == ["Tides"]


@pytest.mark.parametrize(
    "body", [{"type": "search"}, {"type": "search", "web": {"results": []}}, {"query": {}}]
)
def test_no_results_are_an_empty_result(body: object) -> None:
    answer = answering(body)
    assert (answer.status, answer.why) == (SourceStatus.EMPTY, "")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"type": "search", "web": {"res', "incomplete"),
        (b"", "incomplete"),
        (b"<!DOCTYPE html><html>captcha", "a web page"),
        ({"error": {"code": "RATE_LIMITED", "detail": "Too many"}}, "reports an error: Too many"),
        ({"type": "ErrorResponse", "error": "x"}, "reports an error: x"),
        ({"errors": [{"message": "no"}]}, "reports an error: no"),
        ({"type": "ErrorResponse"}, "reports an error"),
        ([], "not have the expected form"),
        ({}, "not have the expected form"),
        ("text", "not have the expected form"),
    ],
)
def test_an_error_with_status_200_is_unavailable_and_never_empty(body: object, why: str) -> None:
    answer = answering(body)
    assert answer.status is SourceStatus.UNAVAILABLE
    assert why in answer.why


def test_the_source_is_not_created_without_its_key() -> None:
    with pytest.raises(SourceError, match="no key: lacuna secrets set brave"):
        BraveSource.build(parts(FakeFetcher(), ""))


def test_the_key_is_not_in_an_error_message() -> None:
    answer = ask(FakeFetcher())
    assert answer.status is SourceStatus.UNAVAILABLE
    assert "key-1" not in str(answer)
