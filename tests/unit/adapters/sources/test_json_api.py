"""Sources of type json: what is sent, how an answer is read, and what is said when it cannot be."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.secrets import KeyringSecrets
from daemon.adapters.sources import load_registry
from daemon.adapters.sources.build import build_sources
from daemon.adapters.sources.entry import Entry, Rate
from daemon.model.errors import SourceError
from daemon.model.evidence import Answer, SourceStatus
from daemon.ports import Fetched
from tests.fakes.api import ask_checked, no_wait
from tests.fakes.extractor import FakeExtractor
from tests.fakes.fetcher import FakeFetcher, answered
from tests.fakes.gates import a_gate
from tests.fakes.http_server import Reply, serving
from tests.fakes.keyring import FakeKeyring

URL = "https://api.example/search"
RECORD = {"title": "Tides", "url": "https://example.org/tides"}


def entry(**more: Any) -> Entry:
    reported = {"type": "json", "adapter": "json", "url": URL, "arguments": {"q": "{query}"}}
    return Entry.model_validate({**reported, **more})


def replying(body: object, url: str = URL, **more: Any) -> FakeFetcher:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return FakeFetcher({url: answered(url, raw, **more)})


def ask(body: object, query: str = "harbour tides", limit: int = 10, **more: Any) -> Answer:
    return ask_checked("x", entry(**more), replying(body), query, limit=limit)


def test_records_are_found_and_read_without_any_path() -> None:
    (hit,) = ask({"meta": {}, "results": [RECORD, "junk", None]}).hits
    assert (hit.title, hit.url, hit.source) == ("Tides", "https://example.org/tides", "x")


def test_the_address_takes_the_question_encoded_and_the_words_of_it() -> None:
    url = "https://api.example/find/{words}?q={query}&n={limit}&from={offset}"
    fetcher = FakeFetcher({})
    ask_checked("x", entry(url=url, arguments={}), fetcher, "tides of port/sea & moon?", limit=3)
    assert fetcher.asked[0][0] == (
        "https://api.example/find/tides%20port%20sea%20moon?q=tides%20of%20port%2Fsea%20%26%20moon%3F&n=3&from=0"
    )


def test_a_question_cannot_bring_placeholders_or_a_key_with_it() -> None:
    more = {"api_key": "svc", "arguments": {"q": "{query}", "all": "{all_words}"}}
    fetcher = FakeFetcher({})
    ask_checked("x", entry(**more), fetcher, 'tides {svc} {limit} "OR"')
    _, sent, headers = fetcher.asked[0]
    assert sent == {"q": 'tides {svc} {limit} "OR"', "all": "tides AND svc AND limit"}
    assert headers["Authorization"] == "Bearer key-1"


def test_pages_are_asked_until_there_are_enough() -> None:
    def page(names: list[str]) -> bytes:
        records = [{"title": name, "url": f"https://example.org/{name}"} for name in names]
        return json.dumps({"items": records, "next": "c2"}).encode()

    with serving() as server:
        pages = {
            ("2", "1", None): Reply(page(["a", "b"]), content_type="application/json"),
            ("2", "2", "c2"): Reply(page(["c"]), content_type="application/json"),
        }
        server.routes = {
            "/s": lambda asked: pages[asked.params["n"], asked.params["p"], asked.params.get("c")]
        }
        reported = {
            "url": f"{server.origin}/s",
            "arguments": {"q": "{query}", "n": "{limit}", "p": "{page}", "c": "{cursor}"},
            "paging": {"size": 2, "pages": 5, "next": "next"},
            "results": {"records": "items"},
        }
        answer = through_gate(server.origin, reported, "tides", limit=5)
    assert [hit.title for hit in answer.hits] == ["a", "b", "c"]
    assert (answer.status, answer.requests) == (SourceStatus.OK, 2)


def through_gate(origin: str, reported: dict[str, Any], query: str, *, limit: int = 5) -> Answer:
    """Ask through the real gate, as the daemon does."""
    registry = {"x": entry(**reported).model_copy(update={"rate": Rate()})}
    built, left_out = build_sources(
        registry,
        fetcher=a_gate(allow_origins=[origin] if origin else []),
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ={}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=Path("nowhere"),
        sleep=no_wait,
    )
    assert not left_out
    return asyncio.run(built["x"].search(query, limit=limit))


def test_a_later_page_that_fails_leaves_what_there_is() -> None:
    with serving() as server:
        body = json.dumps({"items": [RECORD]}).encode()
        pages = {"1": Reply(body, content_type="application/json"), "2": Reply(b"no", 404)}
        server.routes = {"/s": lambda asked: pages[asked.params["p"]]}
        paging = {"size": 1, "pages": 3}
        reported = {"url": f"{server.origin}/s", "paging": paging}
        answer = through_gate(
            server.origin, {**reported, "arguments": {"q": "{query}", "p": "{page}"}}, "tides"
        )
    assert (answer.status, len(answer.hits)) == (SourceStatus.DEGRADED, 1)
    assert answer.why == "page 2: has no such address (HTTP 404)"


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/s", "http://169.254.169.254/s"])
def test_an_address_inside_is_refused_by_the_gate(url: str) -> None:
    answer = through_gate("", {"url": url}, "tides")
    assert answer.status is SourceStatus.UNAVAILABLE
    assert "refused" in answer.why


def test_what_is_sent_with_post_is_json_with_its_numbers() -> None:
    fetcher = replying({"results": [RECORD]})
    more = {"method": "post", "arguments": {"query": "{query}", "max": "{limit}", "deep": [True]}}
    answer = ask_checked("x", entry(**more), fetcher, "tides", limit=4)
    ((_, sent, _),) = fetcher.sent
    assert sent == {"query": "tides", "max": 4, "deep": [True]}
    assert len(answer.hits) == 1


def test_an_argument_whose_key_is_not_there_is_excluded_where_the_key_is_optional() -> None:
    more = {"api_key": "svc", "key_optional": True, "arguments": {"q": "{query}", "key": "{svc}"}}
    fetcher = FakeFetcher({})
    ask_checked("x", entry(**more), fetcher, keys={})
    ask_checked("x", entry(**more), fetcher, keys={"svc": "abcd1"})
    assert [sent for _, sent, _ in fetcher.asked] == [
        {"q": "harbour tides"},
        {"q": "harbour tides", "key": "abcd1"},
    ]


STATED: dict[str, tuple[Fetched, dict[str, Any], str]] = {
    "refused": (answered(URL, b"{}", status=401), {}, "did not accept the key (HTTP 401); if it"),
    "refused with a key": (
        answered(URL, b"{}", status=403),
        {"api_key": "svc"},
        "refuses the request (HTTP 403); set its key again: lacuna secrets set svc",
    ),
    "gone": (answered(URL, b"", status=410), {}, "is no longer there (HTTP 410)"),
    "moved": (
        answered(URL, b"", status=308),
        {"method": "post"},
        "has moved; its new address belongs in `url` (HTTP 308)",
    ),
    "no JSON": (answered(URL, b"Tides!", content_type="text/plain"), {}, "not valid JSON"),
    "no records there": (
        answered(URL, b'{"data": []}'),
        {"results": {"records": "data.items"}},
        "the answer has nothing at `results.records` (data.items)",
    ),
    "an error in words": (
        answered(URL, b'{"code": "401", "msg": "API key missing."}'),
        {"results": {"records": "data"}},
        "reports an error: API key missing.",
    ),
    "an address that is not there": (
        answered(URL, b'{"items": [{"title": "Tides"}, {"title": "Moon"}]}'),
        {"results": {"url": "https://x.example/{id}"}},
        "none of 2 results has an address; they have nothing at `results.url` (https://x.example",
    ),
}


@pytest.mark.parametrize("case", STATED)
def test_what_is_wrong_is_reported_in_words_with_the_path(case: str) -> None:
    reply, more, stated = STATED[case]
    answer = ask_checked("x", entry(**more), FakeFetcher({URL: reply}))
    assert answer.status is SourceStatus.UNAVAILABLE
    assert stated in answer.why


def test_a_redirect_that_leads_to_no_data_is_named() -> None:
    with serving() as server:
        server.routes = {
            "/old": Reply(status=301, headers={"Location": "/v2/docs"}),
            "/v2/docs": Reply(b"<html><p>We moved.</html>"),
        }
        answer = through_gate(server.origin, {"url": f"{server.origin}/old"}, "tides")
    assert "answered with a web page" in answer.why
    assert f"the address redirects to {server.origin}/v2/docs" in answer.why


def test_a_title_path_that_finds_nothing_is_named_and_the_hits_stay() -> None:
    answer = ask({"items": [RECORD]}, results={"title": "headline.main"})
    assert (answer.status, len(answer.hits)) == (SourceStatus.DEGRADED, 1)
    assert answer.why == "no title: the results have nothing at `results.title` (headline.main)"


def test_paths_may_be_expressions_and_addresses_of_values() -> None:
    record = {"id": "A b/c", "names": [{"n": "Ada"}, {"n": "Ben"}], "kinds": {"Head-Line": "Tides"}}
    results = {
        "title": "kinds.headline",
        "url": "https://x.example/{id}?v={names[0].n}",
        "authors": "names[].n",
        "text": "split(replace(id, ' ', '-'), '/')[0]",
    }
    (hit,) = ask({"items": [record]}, results=results).hits
    assert (hit.title, hit.url) == ("Tides", "https://x.example/A%20b/c?v=Ada")
    assert (hit.authors, hit.snippet) == (("Ada", "Ben"), "A-b")


def test_a_function_that_does_not_take_a_value_finds_nothing_there() -> None:
    records = [{**RECORD, "x": 5}, {**RECORD, "x": ["a"]}]
    first, second = ask({"items": records}, results={"text": "join('', x)"}).hits
    assert (first.snippet, second.snippet) == ("", "a")


def test_figures_are_bounded_and_named() -> None:
    raw = b'{"items": [{"url": "https://x.example", "a_b": 2.5, "c": 1e999, "d": %s, "e": NaN}]}'
    answer = ask(raw % (b"9" * 4000), content_type="structured_data")
    assert answer.hits[0].figures == (("a b", "2.5"),)


@pytest.mark.parametrize(
    "raw",
    [b'{"n": ' + b"9" * 5000 + b"}", b"[" * 90_000, b" " * 10_000_001, b'{"items": ['],
)
def test_an_answer_beyond_the_limits_is_no_answer(raw: bytes) -> None:
    assert ask(raw).status is SourceStatus.UNAVAILABLE


def test_only_records_that_the_question_names_are_kept_where_a_name_is_given() -> None:
    records = [{"url": f"https://x.example/{name}", "s": name} for name in ("BTC", "THE", "TIDES")]
    results = {"match": "s", "title": "s"}
    answer = ask({"items": records}, "the tides today", arguments={}, results=results)
    assert [hit.title for hit in answer.hits] == ["TIDES"]
    assert ask({"items": records}, "moon", arguments={}, results=results).hits == ()


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("m: {type: json}", "url or base_url is missing in sources.yaml"),
        ("m: {type: json, url: 'https://x?q={query}', results: {url: 'a['}}", "results.url: a[ is"),
        ("m: {type: json, url: 'https://x?q={query}', api_key: b}", "no key: lacuna secrets set b"),
        ("m: {type: json, url: 'https://x?q={query}&k={b}'}", "no key: lacuna secrets set b"),
        (
            "m: {type: json, url: 'https://x?q={query}', headers: {From: '{contact}'}}",
            "set `contact` in the settings",
        ),
    ],
)
def test_what_is_missing_is_reported_when_it_is_built(
    tmp_path: Path, text: str, stated: str
) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(text)
    _, left_out = build_sources(
        {"m": load_registry(path)["m"]},
        fetcher=FakeFetcher(),
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ={}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=tmp_path,
    )
    assert stated in dict(left_out)["m"]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            "m: {type: json, url: 'https://{query}.x/s'}",
            "url: placeholders are not allowed in the host",
        ),
        (
            "m: {type: json, url: 'https://x/s'}",
            "url or arguments: one of them must contain {query}",
        ),
        (
            "m: {type: json, url: 'https://x/{query}', tool: y}",
            "tool: only valid for sources of type mcp",
        ),
        ("arxiv: {results: {title: x}}", "results: only valid for sources of type json or mcp"),
        ("m: {type: json, url: 'https://x/{query}{cursor}'}", "url: {cursor} can only stand in"),
    ],
)
def test_an_entry_that_cannot_work_is_refused_with_its_key(
    tmp_path: Path, text: str, stated: str
) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(text)
    with pytest.raises(SourceError) as caught:
        load_registry(path)
    assert stated in str(caught.value)


def test_a_wait_that_an_answer_asks_for_comes_before_the_next_request() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    checked = entry(paging={"wait": "backoff"})
    built, _ = build_sources(
        {"x": checked},
        fetcher=replying({"items": [RECORD], "backoff": 40}),
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ={}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=Path("nowhere"),
        sleep=sleep,
    )
    asyncio.run(built["x"].search("tides", limit=5))
    asyncio.run(built["x"].search("tides", limit=5))
    assert 38 < waits[-1] <= 40
