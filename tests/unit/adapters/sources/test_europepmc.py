"""Europe PMC: there is no recording, so the bodies are built from the shape it documents."""

import pytest

from daemon.model.evidence import SourceStatus, SourceType
from tests.fakes.api import ask, hits_of, serving

PATH = "/webservices/rest/search"
RECORD = {
    "id": "123",
    "source": "MED",
    "doi": "10.1000/Tides",
    "title": "Tides and sleep.",
    "authorString": "Marsh A, Shore B.",
    "authorList": {"author": [{"fullName": "Marsh A"}, {"collectiveName": "Harbour Group"}]},
    "pubYear": "2021",
    "firstPublicationDate": "2021-03-04",
    "abstractText": "<h4>Aim</h4>Tides turn.",
    "citedByCount": 3,
    "pubTypeList": {"pubType": ["Journal Article"]},
    "fullTextUrlList": {
        "fullTextUrl": [
            {"documentStyle": "html", "availabilityCode": "OA", "url": "https://x.example/a"},
            {"documentStyle": "pdf", "availabilityCode": "S", "url": "https://x.example/paid"},
            {"documentStyle": "pdf", "availabilityCode": "OA", "url": "https://x.example/a.pdf"},
        ]
    },
}


def found(*records: object) -> dict[str, object]:
    return {"hitCount": len(records), "resultList": {"result": list(records)}}


def test_a_record_is_parsed_with_all_its_fields() -> None:
    (hit,) = hits_of("europepmc", found(RECORD), PATH)
    assert (hit.url, hit.doi) == ("https://doi.org/10.1000/tides", "10.1000/tides")
    assert (hit.title, hit.authors) == ("Tides and sleep", ("Marsh A", "Harbour Group"))
    assert (hit.published, hit.citations) == ("2021-03-04", 3)
    assert (hit.content_url, hit.source_type) == ("https://x.example/a.pdf", SourceType.PAPER)
    assert hit.snippet == "AimTides turn."
    assert not hit.retracted


def test_missing_fields_are_taken_from_other_fields_or_left_empty() -> None:
    sparse = {
        "id": "PPR9",
        "source": "PPR",
        "title": "T",
        "pubYear": "2020",
        "authorString": "A B.",
    }
    (hit,) = hits_of("europepmc", found(sparse), PATH)
    assert (hit.url, hit.published) == ("https://europepmc.org/article/PPR/PPR9", "2020")
    assert (hit.authors, hit.source_type) == (("A B",), SourceType.PREPRINT)
    assert (hit.citations, hit.content_url) == (None, "")


def test_a_retracted_publication_is_marked() -> None:
    kinds = {"pubTypeList": {"pubType": ["Journal Article", "Retracted Publication"]}}
    assert hits_of("europepmc", found({**RECORD, **kinds}), PATH)[0].retracted


def test_no_syntax_of_the_question_reaches_the_api_and_preprints_can_be_asked_for() -> None:
    fetcher = serving(found(), PATH)
    assert ask("europepmc", fetcher, 'AUTH:"x" OR (tides').status is SourceStatus.EMPTY
    ask("europepmc", fetcher, source_type=SourceType.PREPRINT)
    assert fetcher.asked[0][1]["query"] == "auth tides"
    assert fetcher.asked[1][1]["query"] == '(harbour tides) AND SRC:"PPR"'


def test_an_error_with_status_200_is_unavailable() -> None:
    answer = ask("europepmc", serving({"errCode": 404, "errMsg": "bad query"}, PATH))
    assert (answer.status, answer.why) == (
        SourceStatus.UNAVAILABLE,
        "reports an error: bad query",
    )


@pytest.mark.parametrize(
    ("dates", "published"),
    [
        ({"pubYear": "2021", "firstPublicationDate": "2020-12-18"}, "2021"),
        ({"pubYear": "1975", "firstPublicationDate": "2009-05-01"}, "1975"),
        ({"pubYear": "2021", "firstPublicationDate": "2021-01-05"}, "2021-01-05"),
        (
            {
                "pubYear": "2021",
                "firstPublicationDate": "2020-12-18",
                "journalInfo": {"printPublicationDate": "2021-02-01"},
            },
            "2021-02-01",
        ),
        ({"pubYear": None, "journalInfo": {"yearOfPublication": 1998}}, "1998"),
        ({"pubYear": None, "firstPublicationDate": "2020-12-18"}, "2020-12-18"),
        ({"pubYear": "", "firstPublicationDate": ""}, ""),
    ],
)
def test_the_year_is_the_year_of_publication(dates: dict[str, object], published: str) -> None:
    bare = {key: value for key, value in RECORD.items() if key != "firstPublicationDate"}
    assert hits_of("europepmc", found({**bare, **dates}), PATH)[0].published == published
