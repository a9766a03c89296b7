"""The Internet Archive's availability API, as documented."""

import json

import pytest

from daemon.adapters.sources import load_registry
from daemon.model.evidence import SourceStatus
from tests.fakes.api import BASE, ask, hits_of, serving
from tests.fakes.fetcher import FakeFetcher, answered

PATH, INDEX = "/wayback/available", "/cdx/search/cdx"
PAGE = "https://sea.example/tides?a=b%20c"
CLOSEST = {
    "available": True,
    "url": "http://web.archive.org/web/20230501120000/https://evil.example/",
    "timestamp": "20230501120000",
    "status": "200",
}
FOUND = {"url": PAGE, "archived_snapshots": {"closest": CLOSEST}}


def archive(found: object, rows: object) -> FakeFetcher:
    """Answer both of the archive's questions."""
    index = rows if isinstance(rows, bytes) else json.dumps(rows).encode()
    return FakeFetcher(
        {
            BASE + PATH: answered(BASE + PATH, json.dumps(found).encode()),
            BASE + INDEX: answered(BASE + INDEX, index),
        }
    )


def test_the_copy_is_the_page_as_it_was_captured_at_an_address_that_we_make() -> None:
    fetcher = serving(FOUND, PATH)
    (hit,) = ask("wayback", fetcher, PAGE + "#part").hits
    assert (hit.url, hit.published) == (PAGE, "2023-05-01")
    assert hit.content_url == f"https://api.example/web/20230501120000id_/{PAGE}"
    assert fetcher.asked[0][1] == {"url": PAGE}


def test_the_archive_itself_plays_its_copies_at_another_host() -> None:
    base = "https://archive.org"
    fetcher = FakeFetcher({base + PATH: answered(base + PATH, json.dumps(FOUND).encode())})
    (hit,) = ask("wayback", fetcher, PAGE, base_url=base).hits
    assert hit.content_url.startswith("https://web.archive.org/web/20230501120000id_/https://sea")


@pytest.mark.parametrize(
    "closest",
    [
        None,
        {},
        CLOSEST | {"available": False},
        CLOSEST | {"status": "404"},
        CLOSEST | {"timestamp": "2023"},
        CLOSEST | {"timestamp": "../../../../x"},
        CLOSEST | {"timestamp": ["20230501120000"]},
        "20230501120000",
    ],
)
def test_without_a_good_newest_copy_the_whole_index_is_asked(closest: object) -> None:
    body = {"archived_snapshots": {} if closest is None else {"closest": closest}}
    (hit,) = ask("wayback", archive(body, [["timestamp"], ["20150203040506"]]), PAGE).hits
    assert hit.published == "2015-02-03"
    assert ask("wayback", archive(body, []), PAGE).status is SourceStatus.EMPTY


@pytest.mark.parametrize(
    "rows", [[["timestamp"]], [["timestamp"], []], [["timestamp"], ["x"]], [["timestamp"], [1]]]
)
def test_an_index_without_a_copy_is_none(rows: object) -> None:
    fetcher = archive({"archived_snapshots": {}}, rows)
    assert ask("wayback", fetcher, PAGE).status is SourceStatus.EMPTY
    assert fetcher.asked[1][1]["filter"] == "statuscode:200"


@pytest.mark.parametrize("rows", [{"error": "busy"}, "x", b"<html>", b"[["])
def test_an_index_that_does_not_answer_is_not_taken_for_an_empty_one(rows: object) -> None:
    fetcher = archive({"archived_snapshots": {}}, rows)
    assert ask("wayback", fetcher, PAGE).status is SourceStatus.UNAVAILABLE


def test_an_answer_without_the_field_for_copies_is_no_answer() -> None:
    assert ask("wayback", serving({"url": PAGE}, PATH), PAGE).status is SourceStatus.UNAVAILABLE


def test_a_question_without_an_address_is_not_sent() -> None:
    fetcher = serving(FOUND, PATH)
    assert "address" in ask("wayback", fetcher).why
    assert fetcher.asked == []


def test_it_is_on_for_gathering_and_is_asked_no_questions() -> None:
    entry = load_registry()["wayback"]
    assert (entry.layers, entry.opt_in, entry.api_key) == (("gather",), False, "")


def test_long_addresses_are_asked_for_whole() -> None:
    long = "https://sea.example/" + "x" * 2000
    assert hits_of("wayback", FOUND, PATH) == ()
    assert ask("wayback", serving(FOUND, PATH), long).hits[0].url == long
