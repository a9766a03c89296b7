"""What is kept of a document: where and when it was had, how, and what came."""

from daemon.store.evidence_json import document_from_json, document_to_json
from tests.fakes.values import a_document


def test_a_document_is_stored_with_where_when_and_how_it_was_retrieved() -> None:
    document = a_document(via="wayback 2023-05-01", final_url="https://web.archive.org/web/x")
    kept = document_to_json(document)
    assert kept["method"] == "wayback 2023-05-01 · trafilatura"
    assert kept["hit"]["url"] == document.hit.url
    assert kept["final_url"] == "https://web.archive.org/web/x"
    assert kept["fetched_at"] == document.fetched_at.isoformat()
    assert kept["sha256"] == document.sha256
    assert document_from_json(kept, document.text) == document


def test_a_summary_has_no_retrieval_method() -> None:
    assert document_to_json(a_document(extracted_by="abstract"))["method"] == "abstract"


def test_a_document_of_an_earlier_version_is_still_read() -> None:
    document = a_document()
    kept = document_to_json(document)
    del kept["method"], kept["via"]
    assert document_from_json(kept, document.text) == document
