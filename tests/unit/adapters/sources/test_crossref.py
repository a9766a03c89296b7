"""Crossref: what is sent, what is passed over, and what a notice says."""

import pytest

from daemon.model.evidence import SourceType
from tests.fakes.api import ask, hits_of, serving

WORK = {
    "DOI": "10.1000/Tides",
    "type": "journal-article",
    "title": ["Tides in <i>harbours</i>"],
    "author": [{"given": "Ada", "family": "Marsh"}, {"name": "Harbour Group"}, {}],
    "issued": {"date-parts": [[2021, 3]]},
    "is-referenced-by-count": 7,
    "abstract": "<jats:p>Tides  turn.</jats:p>",
    "link": [{"URL": "https://x.example/a.pdf", "content-type": "application/pdf"}],
}


def works(*found: object) -> dict[str, object]:
    return {"status": "ok", "message": {"items": list(found)}}


def test_the_contact_is_given_when_there_is_one() -> None:
    fetcher = serving(works(), "/works")
    ask("crossref", fetcher)
    ask("crossref", fetcher, contact="")
    assert fetcher.asked[0][1] == {
        "query": "harbour tides",
        "rows": "10",
        "mailto": "ada@example.org",
    }
    assert "mailto" not in fetcher.asked[1][1]


def test_a_work_is_parsed_with_all_its_fields() -> None:
    (hit,) = hits_of("crossref", works(WORK), "/works")
    assert (hit.url, hit.doi) == ("https://doi.org/10.1000/tides", "10.1000/tides")
    assert (hit.title, hit.snippet) == ("Tides in harbours", "Tides turn.")
    assert (hit.authors, hit.published) == (("Ada Marsh", "Harbour Group"), "2021-03")
    assert (hit.citations, hit.content_url) == (7, "https://x.example/a.pdf")
    assert (hit.source_type, hit.retracted) == (SourceType.PAPER, False)


@pytest.mark.parametrize(
    "change", [{"type": "component"}, {"type": "peer-review"}, {"DOI": "10.65215/x"}, {"DOI": None}]
)
def test_records_that_are_not_works_are_skipped(change: dict[str, object]) -> None:
    assert hits_of("crossref", works({**WORK, **change}), "/works") == ()


def test_a_retraction_is_found_at_any_position_among_the_notices() -> None:
    notices = [{"type": "correction"}, {"type": "retraction", "source": "retraction-watch"}]
    (hit,) = hits_of("crossref", works({**WORK, "updated-by": notices}), "/works")
    assert hit.retracted
    (hit,) = hits_of("crossref", works({**WORK, "updated-by": notices[:1]}), "/works")
    assert not hit.retracted


def test_posted_content_is_a_preprint_and_a_missing_date_is_none() -> None:
    posted = {**WORK, "type": "posted-content", "issued": {"date-parts": [[None]]}}
    (hit,) = hits_of("crossref", works(posted), "/works")
    assert (hit.source_type, hit.published) == (SourceType.PREPRINT, "")
