"""Jina Reader, as documented."""

import pytest

from daemon.adapters.sources import load_registry
from daemon.model.evidence import SourceStatus
from tests.fakes.api import BASE, ask, serving
from tests.fakes.fetcher import FakeFetcher, answered

PAGE = "https://sea.example/tides?a=b%20c"
PATH = f"/{PAGE}"
TEXT = "# Tides\n\nThe tide turns twice a day."
READ = {
    "code": 200,
    "status": 20000,
    "data": {
        "title": "Tides",
        "url": "https://elsewhere.example/",
        "content": TEXT,
        "publishedTime": "2024-05-01T08:00:00Z",
        "usage": {"tokens": 12},
    },
}


ENDED = "https://elsewhere.example/"


def test_a_page_is_read_with_the_key_and_without_its_fragment() -> None:
    fetcher = serving(READ, PATH)
    (hit,) = ask("jina_reader", fetcher, PAGE + "#part").hits
    assert (hit.url, hit.title, hit.snippet, hit.published) == (ENDED, "Tides", TEXT, "2024-05-01")
    assert fetcher.asked == [
        (BASE + PATH, {}, {"Accept": "application/json", "Authorization": "Bearer key-1"})
    ]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"code": 200, "data": {"content": " "}}, SourceStatus.EMPTY),
        ({"code": 200, "data": {"content": None}}, SourceStatus.EMPTY),
        ({"code": 422, "message": "no"}, SourceStatus.UNAVAILABLE),
        ({"code": 200, "data": [TEXT]}, SourceStatus.UNAVAILABLE),
        (
            {"code": 200, "data": {"content": "x", "warning": "Target URL returned error 403"}},
            SourceStatus.UNAVAILABLE,
        ),
        (b"Title: Tides\nMarkdown Content:\n", SourceStatus.UNAVAILABLE),
    ],
)
def test_an_answer_without_a_page_is_not_taken_for_one(body: object, status: SourceStatus) -> None:
    assert ask("jina_reader", serving(body, PATH), PAGE).status is status


@pytest.mark.parametrize(
    ("status", "why"),
    [(401, "key"), (402, "payment"), (422, "query"), (429, "too many"), (451, "may not return")],
)
def test_its_errors_are_explained(status: int, why: str) -> None:
    fetcher = FakeFetcher({BASE + PATH: answered(BASE + PATH, b"{}", status=status)})
    assert why in ask("jina_reader", fetcher, PAGE).why


def test_a_question_without_an_address_is_not_sent() -> None:
    fetcher = serving(READ, PATH)
    assert "address" in ask("jina_reader", fetcher).why
    assert fetcher.asked == []


def test_it_is_off_until_the_user_turns_it_on_and_there_is_a_key() -> None:
    entry = load_registry()["jina_reader"]
    assert (entry.layers, entry.opt_in, entry.api_key) == (("gather",), True, "jina")
