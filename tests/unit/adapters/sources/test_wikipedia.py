"""Wikipedia: there is no recording, so the bodies have the shape of MediaWiki's documentation."""

from daemon.model.evidence import SourceStatus
from tests.fakes.api import ask, hits_of, serving

PATH = "/w/api.php"
PAGE = {
    "pageid": 1,
    "title": "Tide",
    "index": 1,
    "extract": "Tides are the rise\nand fall of sea levels.",
    "canonicalurl": "https://en.wikipedia.org/wiki/Tide",
    "touched": "2026-10-01T10:00:00Z",
}


def test_articles_come_in_the_order_of_the_search_with_their_openings() -> None:
    second = {**PAGE, "index": 2, "title": "Harbour", "canonicalurl": "https://e.example/Harbour"}
    body = {"batchcomplete": True, "query": {"pages": [second, PAGE]}}
    first, last = hits_of("wikipedia", body, PATH)
    assert (first.title, last.title) == ("Tide", "Harbour")
    assert first.url == "https://en.wikipedia.org/wiki/Tide"
    assert first.snippet == "Tides are the rise\nand fall of sea levels."
    assert (first.published, first.authors, first.citations) == ("2026-10-01", (), None)


def test_the_request_asks_for_text_and_addresses() -> None:
    fetcher = serving({"batchcomplete": True}, PATH)
    assert ask("wikipedia", fetcher, limit=50).status is SourceStatus.EMPTY
    params = fetcher.asked[0][1]
    assert (params["gsrsearch"], params["gsrlimit"]) == ("harbour tides", "20")
    assert (params["prop"], params["explaintext"]) == ("extracts|info", "1")


def test_an_error_with_status_200_is_unavailable() -> None:
    body = {"error": {"code": "ratelimited", "info": "slow down"}}
    assert ask("wikipedia", serving(body, PATH)).why == "reports an error: ratelimited"
