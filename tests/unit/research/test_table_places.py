"""Pages and chapters of a document, carried to its text and through a run's folder."""

import datetime as dt
import json
from dataclasses import replace

from daemon.model.evidence import Document, Hit, SourceType
from daemon.ports import Extracted, RetrievedDocument
from daemon.research.screen import screen
from daemon.store.evidence_json import document_from_json, document_to_json

NOW = dt.datetime(2026, 11, 22, tzinfo=dt.UTC)
HIT = Hit("library", SourceType.LIBRARY, "file:///a.pdf", "A paper")
TEXT = "One page.\n\nAnother\u200b page.\n\nThe last."
PLACES = ((0, "p. 1"), (TEXT.index("Another"), "p. 2"), (TEXT.index("The last"), "p. 3"))


def got(text: str = TEXT, places: tuple[tuple[int, str], ...] = PLACES) -> RetrievedDocument:
    extracted = Extracted(text, "pdfium", places=places)
    return RetrievedDocument(HIT, HIT.url, b"", "application/pdf", NOW, extracted)


def document() -> Document:
    screened = screen(got())
    return Document(
        *("id", "key", HIT, HIT.url, NOW, "", screened.text, "pdfium"), places=screened.places
    )


def test_a_quote_has_its_page_also_after_unseen_characters() -> None:
    found = document()
    assert [found.place_at(found.text.index(words)) for words in ("One", "Another", "The")] == [
        *("p. 1", "p. 2", "p. 3")
    ]
    assert found.place_at(found.text.index("page.\n\nThe")) == "p. 2"


def test_where_no_place_is_known_none_is_given() -> None:
    assert replace(document(), places=()).place_at(4) == ""
    assert replace(document(), places=((5, "p. 2"),)).place_at(4) == ""


def test_places_that_do_not_fit_the_text_are_dropped() -> None:
    for wrong in (((3, "b"), (1, "a")), ((0, "a"), (999, "b")), ((-1, "a"),)):
        assert screen(got(places=wrong)).places == ()


def test_places_are_kept_with_the_run_and_old_runs_have_none() -> None:
    body = json.loads(json.dumps(document_to_json(document())))
    assert document_from_json(body, document().text) == document()
    del body["places"]
    assert document_from_json(body, document().text).places == ()
