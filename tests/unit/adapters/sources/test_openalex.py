"""OpenAlex: what is sent, and what comes out of a work. The shape is that of its documentation."""

import pytest

from daemon.adapters.sources.openalex import FIELDS, abstract_of
from daemon.model.evidence import SourceStatus, SourceType
from tests.fakes.api import ask, hits_of, serving

WORK = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.1000/TIDES",
    "display_name": "Tides in <i>harbours</i>",
    "publication_date": "2021-03-04",
    "publication_year": 2021,
    "type": "article",
    "cited_by_count": 12,
    "is_retracted": False,
    "authorships": [{"author": {"display_name": "Ada Marsh"}}, {"raw_author_name": "Ben Shore"}],
    "primary_location": {"landing_page_url": "https://journal.example/tides"},
    "best_oa_location": {"pdf_url": "https://journal.example/tides.pdf"},
    "abstract_inverted_index": {"turn": [1], "Tides": [0], "twice.": [2]},
}


def test_the_request_follows_the_api() -> None:
    fetcher = serving({"results": []}, "/works")
    assert ask("openalex", fetcher, limit=500).status is SourceStatus.EMPTY
    ((_, params, headers),) = fetcher.asked
    assert params == {
        "search": "harbour tides",
        "per_page": "100",
        "select": FIELDS,
        "api_key": "key-1",
        "mailto": "ada@example.org",
    }
    assert headers == {}


def test_neither_key_nor_contact_is_needed_or_made_up() -> None:
    fetcher = serving({"results": []}, "/works")
    ask("openalex", fetcher, key="", contact="")
    assert not {"api_key", "mailto"} & set(fetcher.asked[0][1])


def test_a_work_is_parsed_with_all_its_fields() -> None:
    (hit,) = hits_of("openalex", {"results": [WORK]}, "/works")
    assert (hit.url, hit.doi) == ("https://doi.org/10.1000/tides", "10.1000/tides")
    assert (hit.title, hit.snippet) == ("Tides in harbours", "Tides turn twice.")
    assert (hit.authors, hit.published) == (("Ada Marsh", "Ben Shore"), "2021-03-04")
    assert (hit.citations, hit.source_type, hit.retracted) == (12, SourceType.PAPER, False)
    assert hit.content_url == "https://journal.example/tides.pdf"


@pytest.mark.parametrize(
    ("change", "attribute", "value"),
    [
        ({"doi": None}, "url", "https://journal.example/tides"),
        ({"doi": None, "primary_location": None}, "url", "https://openalex.org/W1"),
        ({"type": "preprint"}, "source_type", SourceType.PREPRINT),
        ({"doi": "https://doi.org/10.48550/arXiv.2101.00001"}, "arxiv_id", "2101.00001"),
        ({"is_retracted": True}, "retracted", True),
        ({"publication_date": None}, "published", "2021"),
        ({"abstract_inverted_index": None}, "snippet", ""),
        ({"cited_by_count": None}, "citations", None),
        ({"authorships": None}, "authors", ()),
    ],
)
def test_what_a_work_lacks_or_says_otherwise(
    change: dict[str, object], attribute: str, value: object
) -> None:
    (hit,) = hits_of("openalex", {"results": [{**WORK, **change}]}, "/works")
    assert getattr(hit, attribute) == value


def test_famous_papers_registered_a_second_time_are_passed_over() -> None:
    copy = {**WORK, "doi": "https://doi.org/10.65215/abc"}
    assert len(hits_of("openalex", {"results": [copy, WORK]}, "/works")) == 1


def test_an_abstract_is_put_together_in_its_order() -> None:
    assert abstract_of({"b": [1, 3], "a": [0, 2], "c": ["x", None]}) == "a b a b"
    assert abstract_of([]) == ""
