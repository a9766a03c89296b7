"""SearXNG: there is no recording; the bodies have the shape of its own documentation."""

from daemon.model.evidence import SourceStatus, SourceType
from tests.fakes.api import ask, hits_of, serving

RESULT = {
    "url": "https://example.com/tides",
    "title": "Tides",
    "content": "Tides turn.",
    "engine": "openalex",
    "publishedDate": "2024-05-06T00:00:00",
    "category": "general",
}


def test_a_result_is_parsed_with_all_its_fields() -> None:
    paper = {
        **RESULT,
        "authors": ["Ada Marsh"],
        "doi": "10.1000/X",
        "pdf_url": "https://x.example/p",
    }
    (hit,) = hits_of("searxng", {"results": [paper]}, "/search")
    assert (hit.url, hit.title, hit.snippet) == (RESULT["url"], "Tides", "Tides turn.")
    assert (hit.published, hit.authors, hit.doi) == ("2024-05-06", ("Ada Marsh",), "10.1000/x")
    assert hit.content_url == "https://x.example/p"


def test_news_results_are_marked_as_news() -> None:
    (hit,) = hits_of("searxng", {"results": [{**RESULT, "category": "news"}]}, "/search")
    assert hit.source_type is SourceType.NEWS


def test_engines_that_were_silent_make_the_answer_degraded_and_never_empty() -> None:
    silent = {"unresponsive_engines": [["brave", "timeout"], ["x", "captcha"], 5]}
    answer = ask("searxng", serving({"results": [], **silent}, "/search"))
    assert answer.status is SourceStatus.DEGRADED
    assert "brave (timeout), x (captcha)" in answer.why
    answer = ask("searxng", serving({"results": [RESULT], **silent}, "/search"))
    assert (answer.status, len(answer.hits)) == (SourceStatus.DEGRADED, 1)


def test_nothing_found_is_empty_when_every_engine_answered() -> None:
    fetcher = serving({"results": [], "unresponsive_engines": []}, "/search")
    assert ask("searxng", fetcher).status is SourceStatus.EMPTY
    assert fetcher.asked[0][1] == {"q": "harbour tides", "format": "json", "pageno": "1"}
