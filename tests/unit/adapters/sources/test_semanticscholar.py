"""Semantic Scholar: what is sent, and what an answer becomes."""

from daemon.model.evidence import SourceStatus, SourceType
from tests.fakes.api import ask, hits_of, serving

PATH = "/graph/v1/paper/search"
PAPER = {"paperId": "a1", "title": "Tides", "year": 2020, "url": "https://s2.example/a1"}


def test_hyphens_are_parted_and_the_key_goes_in_a_header() -> None:
    fetcher = serving({"total": 0, "offset": 0, "data": []}, PATH)
    assert ask("semanticscholar", fetcher, "sea-level rise").status is SourceStatus.EMPTY
    ((_, params, headers),) = fetcher.asked
    assert (params["query"], params["limit"]) == ("sea level rise", "10")
    assert "abstract" in params["fields"]
    assert headers == {"x-api-key": "key-1"}
    ask("semanticscholar", fetcher, key="")
    assert fetcher.asked[1][2] == {}


def test_nothing_found_comes_without_data() -> None:
    assert ask("semanticscholar", serving({"total": 0}, PATH)).status is SourceStatus.EMPTY


def test_an_error_message_with_status_200_is_unavailable() -> None:
    answer = ask("semanticscholar", serving({"message": "Too Many Requests"}, PATH))
    assert answer.status is SourceStatus.UNAVAILABLE
    assert "Too Many Requests" in answer.why


def test_a_paper_is_known_by_its_doi_before_its_page() -> None:
    with_doi = {**PAPER, "externalIds": {"DOI": "10.1000/X", "ArXiv": "2001.00001"}}
    first, second = hits_of("semanticscholar", {"data": [PAPER, with_doi]}, PATH)
    assert (first.url, first.published) == ("https://s2.example/a1", "2020")
    assert (second.url, second.doi) == ("https://doi.org/10.1000/x", "10.1000/x")
    assert second.arxiv_id == "2001.00001"


def test_what_was_never_reviewed_is_a_preprint() -> None:
    (hit,) = hits_of("semanticscholar", {"data": [{**PAPER, "venue": "arXiv.org"}]}, PATH)
    assert hit.source_type is SourceType.PREPRINT
