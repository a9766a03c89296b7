"""XML of services is parsed only in the sandboxed process."""

from collections.abc import Sequence

import pytest

from daemon.adapters.extract import ExtractorDiedError
from daemon.model.evidence import SourceStatus
from daemon.ports import Record
from tests.fakes import api
from tests.fakes.extractor import FakeExtractor

LATE = "reading the document took longer than 10 s"


class Late(FakeExtractor):
    def records(self, body: bytes, form: str) -> Sequence[Record]:
        raise ExtractorDiedError(LATE)


class Lost(FakeExtractor):
    def records(self, body: bytes, form: str) -> Sequence[Record]:
        return [Record({"id": ("a",), "title": ("x",), "number": ("1",), "total": ("9" * 5000,)})]


SERVED = {
    "feed": ("", b"<rss version='2.0'><channel></channel></rss>"),
    "arxiv": ("/api/query", b"<feed xmlns='http://www.w3.org/2005/Atom'></feed>"),
    "pubmed": ("/entrez/eutils/esearch.fcgi", b"<eSearchResult><IdList/></eSearchResult>"),
}


@pytest.mark.parametrize("kind", SERVED)
def test_what_ends_the_reading_is_the_reason(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "FakeExtractor", Late)
    path, body = SERVED[kind]
    answer = api.ask(kind, api.serving(body, path))
    assert (answer.status, answer.why) == (SourceStatus.UNAVAILABLE, LATE)


@pytest.mark.parametrize("kind", SERVED)
def test_records_of_another_form_are_no_traceback(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "FakeExtractor", Lost)
    path, body = SERVED[kind]
    assert api.ask(kind, api.serving(body, path)).hits == ()
