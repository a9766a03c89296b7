"""A newsroom: the bodies have the shape that the entry's kind of API is defined by."""

from daemon.model.evidence import SourceStatus, SourceType
from tests.fakes.api import ask, hits_of, serving

ARTICLE = {
    "headline": "Tides rise",
    "date": "2026-11-01",
    "topic_tags": ["sea", "cities"],
    "geography_tags": [],
    "country_tags": ["NL"],
    "url": "https://news.example/tides",
    "source": "The Harbour Post",
}


def test_an_article_is_parsed_with_all_its_fields() -> None:
    (hit,) = hits_of("newsroom", {"articles": [ARTICLE], "pagination": {}}, "/articles")
    assert (hit.title, hit.url) == ("Tides rise", "https://news.example/tides")
    assert (hit.published, hit.authors) == ("2026-11-01", ("The Harbour Post",))
    assert hit.snippet == "Topics: sea, cities\nCountries: NL"
    assert hit.source_type is SourceType.NEWS


def test_the_request_follows_the_api() -> None:
    fetcher = serving({"articles": [], "pagination": {}}, "/articles")
    assert ask("newsroom", fetcher).status is SourceStatus.EMPTY
    assert fetcher.asked[0][1] == {"search": "harbour tides", "limit": "10"}
