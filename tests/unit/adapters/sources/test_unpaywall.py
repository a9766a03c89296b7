"""Unpaywall: a look-up by DOI, and nothing else."""

import pytest

from daemon.adapters.sources import load_registry
from daemon.model.errors import SourceError
from daemon.model.evidence import SourceStatus
from tests.fakes.api import ask, hits_of, serving

PATH = "/v2/10.1000/tides"
WORK = {
    "doi": "10.1000/tides",
    "title": "Tides",
    "published_date": "2021-03-04",
    "is_oa": True,
    "best_oa_location": {"url": "https://x.example/a", "url_for_pdf": "https://x.example/a.pdf"},
    "z_authors": [{"given": "Ada", "family": "Marsh"}, {"raw_author_name": "Ben Shore"}],
}
QUESTION = "https://doi.org/10.1000/Tides"


def test_the_open_copy_of_a_doi_is_found() -> None:
    fetcher = serving(WORK, PATH)
    (hit,) = ask("unpaywall", fetcher, QUESTION).hits
    assert (hit.doi, hit.content_url) == ("10.1000/tides", "https://x.example/a.pdf")
    assert (hit.title, hit.published) == ("Tides", "2021-03-04")
    assert hit.authors == ("Ada Marsh", "Ben Shore")
    assert fetcher.asked[0][1] == {"email": "ada@example.org"}


def test_a_closed_work_is_no_hit_and_another_work_no_answer() -> None:
    closed = {**WORK, "best_oa_location": None, "is_oa": False}
    assert ask("unpaywall", serving(closed, PATH), QUESTION).status is SourceStatus.EMPTY
    other = {**WORK, "doi": "10.1000/other"}
    assert ask("unpaywall", serving(other, PATH), QUESTION).status is SourceStatus.UNAVAILABLE


def test_a_question_without_a_doi_is_not_sent() -> None:
    fetcher = serving(WORK, PATH)
    assert "DOI" in ask("unpaywall", fetcher).why
    assert fetcher.asked == []


def test_it_is_a_look_up_and_is_not_asked_what_to_read() -> None:
    assert load_registry()["unpaywall"].layers == ("gather",)
    with pytest.raises(SourceError, match="contact"):
        hits_of("unpaywall", WORK, PATH, contact="")
