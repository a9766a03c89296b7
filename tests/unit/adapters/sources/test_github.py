"""GitHub: there is no recording; the bodies have the shape that its documentation gives."""

from daemon.model.evidence import SourceStatus
from tests.fakes.api import ask, hits_of, serving

PATH = "/search/repositories"
REPOSITORY = {
    "html_url": "https://github.com/ada/tides",
    "full_name": "ada/tides",
    "description": "Tide tables",
    "owner": {"login": "ada"},
    "topics": ["tides", "sea"],
    "stargazers_count": 42,
    "pushed_at": "2026-10-01T00:00:00Z",
}


def test_a_repository_is_parsed_with_all_its_fields() -> None:
    (hit,) = hits_of("github", {"incomplete_results": False, "items": [REPOSITORY]}, PATH)
    assert (hit.url, hit.title) == ("https://github.com/ada/tides", "ada/tides")
    assert hit.snippet == "Tide tables\nTopics: tides, sea\nStars: 42"
    assert (hit.authors, hit.published, hit.citations) == (("ada",), "2026-10-01", None)


def test_a_search_that_ran_out_of_time_is_degraded() -> None:
    answer = ask("github", serving({"incomplete_results": True, "items": []}, PATH))
    assert answer.status is SourceStatus.DEGRADED


def test_a_key_is_used_but_not_needed() -> None:
    fetcher = serving({"items": []}, PATH)
    ask("github", fetcher, "how do the tides turn in user:x")
    ask("github", fetcher, key="")
    assert fetcher.asked[0][1]["q"] == "tides turn user"
    assert fetcher.asked[0][2]["Authorization"] == "Bearer key-1"
    assert "Authorization" not in fetcher.asked[1][2]
