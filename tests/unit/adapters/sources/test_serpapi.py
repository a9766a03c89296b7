"""Google Scholar through SerpAPI: there is no recording; the shape is that of its documentation."""

from daemon.model.evidence import SourceStatus
from tests.fakes.api import ask, hits_of, serving

PATH = "/search.json"
RESULT = {
    "title": "Tides",
    "link": "https://onlinelibrary.wiley.com/doi/10.1000/tides",
    "snippet": "Tides turn.",
    "publication_info": {
        "summary": "A Marsh, B Shore… - Journal of 1900 Tides, 2021 - example.com",
        "authors": [{"name": "A Marsh"}],
    },
    "resources": [{"file_format": "PDF", "link": "https://example.com/t.pdf"}],
    "inline_links": {"cited_by": {"total": 9}},
}


def test_a_doi_in_an_address_that_is_no_publishers_is_a_claim() -> None:
    claimed = {**RESULT, "link": "https://example.com/doi/10.1038/tides"}
    (hit,) = hits_of("serpapi_scholar", {"organic_results": [claimed]}, PATH)
    assert hit.doi == ""


def test_a_result_is_parsed_with_all_its_fields() -> None:
    citation_only = {"title": "No link"}
    (hit,) = hits_of("serpapi_scholar", {"organic_results": [RESULT, citation_only]}, PATH)
    assert (hit.title, hit.url, hit.doi) == ("Tides", RESULT["link"], "10.1000/tides")
    assert (hit.authors, hit.published) == (("A Marsh", "B Shore"), "2021")
    assert (hit.citations, hit.content_url) == (9, "https://example.com/t.pdf")


def test_nothing_found_is_called_an_error_there_and_empty_here() -> None:
    body = {"error": "Google hasn't returned any results for this query."}
    assert ask("serpapi_scholar", serving(body, PATH)).status is SourceStatus.EMPTY
    body = {"error": "Your account has run out of searches."}
    assert ask("serpapi_scholar", serving(body, PATH)).status is SourceStatus.UNAVAILABLE
