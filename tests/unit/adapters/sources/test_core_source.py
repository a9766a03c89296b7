"""CORE: there is no recording; the bodies have the shape that its documentation gives."""

from tests.fakes.api import ask, hits_of, serving

PATH = "/v3/search/works/"
WORK = {
    "id": 5,
    "doi": "10.1000/Tides",
    "arxivId": None,
    "title": "Tides",
    "authors": [{"name": "Marsh, Ada"}],
    "abstract": "Tides turn.",
    "publishedDate": "2021-03-04T00:00:00",
    "yearPublished": 2021,
    "citationCount": 4,
    "downloadUrl": "https://core.ac.uk/download/5.pdf",
}


def test_a_work_is_parsed_with_all_its_fields() -> None:
    (hit,) = hits_of("core", {"totalHits": 1, "results": [WORK]}, PATH)
    assert (hit.url, hit.doi) == ("https://core.ac.uk/works/5", "10.1000/tides")
    assert (hit.title, hit.snippet, hit.authors) == ("Tides", "Tides turn.", ("Marsh, Ada",))
    assert (hit.published, hit.citations) == ("2021-03-04", 4)
    assert hit.content_url == "https://core.ac.uk/download/5.pdf"


def test_a_work_without_a_doi_has_the_url_of_its_copy_or_its_page() -> None:
    bare = {**WORK, "doi": None, "publishedDate": None}
    (hit,) = hits_of("core", {"results": [bare]}, PATH)
    assert (hit.url, hit.published) == ("https://core.ac.uk/download/5.pdf", "2021")
    (hit,) = hits_of("core", {"results": [{**bare, "downloadUrl": ""}]}, PATH)
    assert hit.url == "https://core.ac.uk/works/5"


def test_the_question_holds_no_syntax_and_the_key_is_in_a_header() -> None:
    fetcher = serving({"results": []}, PATH)
    ask("core", fetcher, 'title:"x" AND tides')
    ((_, params, headers),) = fetcher.asked
    assert params == {"q": "title tides", "limit": "10"}
    assert headers == {"Authorization": "Bearer key-1"}
