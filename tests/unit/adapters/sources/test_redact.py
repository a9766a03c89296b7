"""Whatever a source sends back, its key is not in what Lacuna keeps of it."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest

from daemon.adapters.sources import load_registry
from daemon.adapters.sources.brave import BraveSource
from daemon.adapters.sources.redact import REDACTED, Redactor
from daemon.adapters.sources.registry import Rate
from daemon.adapters.sources.source_parts import Parts
from daemon.model.evidence import Answer, Hit, SourceStatus, SourceType
from daemon.store.evidence_json import answer_to_json
from tests.fakes.extractor import FakeExtractor
from tests.fakes.gates import a_gate
from tests.fakes.http_server import Asked, HttpServer, Reply, serving

KEY = 'BSA/q+7"z&Xy~9Kd'


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


def parts(server: HttpServer) -> Parts:
    entry = load_registry()["brave"]
    return Parts(
        name="brave",
        entry=entry.model_copy(update={"base_url": server.origin, "rate": Rate()}),
        fetcher=a_gate(allow_origins=[server.origin], timeout=60),
        extractor=FakeExtractor(),
        embedder=None,
        library=None,
        cache_dir=Path("nowhere"),
        key=KEY,
    )


def ask(server: HttpServer, body: object) -> Answer:
    """Let Brave answer with `body`."""

    def reply(asked: Asked) -> Reply:
        assert asked.headers["x-subscription-token"] == KEY
        return Reply(json.dumps(body).encode(), content_type="application/json")

    server.routes["/res/v1/web/search"] = reply
    return asyncio.run(BraveSource.build(parts(server)).search("tides", limit=5))


def spelled(answer: Answer) -> str:
    """Write everything down that is kept of an answer."""
    return str(answer) + json.dumps(answer_to_json(answer), ensure_ascii=False)


def test_an_error_with_status_200_that_echoes_the_token_is_reported_without_it(
    server: HttpServer,
) -> None:
    for echoed in (KEY, quote(KEY, safe=""), quote(KEY, safe="").replace("%2F", "%2f")):
        body = {"error": {"detail": f"The token {echoed} is not valid", "code": "TOKEN"}}
        answer = ask(server, body)
        assert answer.status is SourceStatus.UNAVAILABLE
        assert answer.why == f"reports an error: The token {REDACTED} is not valid"


def test_a_key_is_not_cut_in_two_where_an_error_is_cut_short(server: HttpServer) -> None:
    answer = ask(server, {"error": {"detail": "x" * 190 + " " + KEY}})
    assert KEY[:4] not in answer.why
    assert REDACTED in answer.why


def test_a_result_that_echoes_the_token_is_kept_without_it(server: HttpServer) -> None:
    result = {
        "title": f"<b>Tides</b> for {KEY}",
        "url": f"https://example.com/?token={quote(KEY, safe='')}",
        "description": f"Signed in as {KEY.replace('&', '&amp;')}.",
        "extra_snippets": [f"{KEY[:5]}<i>{KEY[5:]}</i>"],
        "article": {"author": [{"name": KEY}]},
    }
    answer = ask(server, {"type": "search", "web": {"results": [result]}})
    (hit,) = answer.hits
    assert hit.title == f"Tides for {REDACTED}"
    assert hit.url == f"https://example.com/?token={REDACTED}"
    assert hit.snippet == f"Signed in as {REDACTED}.\n{REDACTED}"
    assert hit.authors == (REDACTED,)
    for form in (KEY, quote(KEY, safe=""), json.dumps(KEY)[1:-1]):
        assert form not in spelled(answer)


def test_every_spelling_is_found_and_nothing_else_is_touched() -> None:
    redactor = Redactor("a/B é1")
    for spelling in ("a/B é1", "a%2fB%20%C3%A91", "a%2FB+é1", r"a\/B \u00e91", "a&#47;B &eacute;1"):
        assert redactor.text(f"<{spelling}>") == f"<{REDACTED}>"
    assert redactor.text("a/b é1, a/B é2") == "a/b é1, a/B é2"


def test_without_a_key_nothing_is_touched() -> None:
    hit = Hit("brave", SourceType.WEB, "https://example.com/", "Tides", authors=("Ada",))
    for key in ("", "a"):
        assert Redactor(key).hit(hit) == hit
        assert Redactor(key).text("a tide") == "a tide"
    assert Redactor("Tides").hit(hit) == replace(hit, title=REDACTED)
