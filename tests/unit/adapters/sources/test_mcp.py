"""MCP servers: real ones of the SDK over both ways, and a stub for every way to misbehave."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.fetch import Gate
from daemon.adapters.meter import Meter
from daemon.adapters.secrets import KeyringSecrets
from daemon.adapters.sources import load_registry
from daemon.adapters.sources.build import build_sources
from daemon.adapters.sources.entry import Entry, Rate
from daemon.adapters.sources.filling import filled
from daemon.adapters.sources.mcp import McpSource
from daemon.adapters.sources.mcp_child import Command, McpChild
from daemon.adapters.sources.mcp_session import McpSession
from daemon.adapters.sources.source_parts import Parts
from daemon.model.errors import SourceError
from daemon.model.evidence import Answer, SourceStatus, SourceType
from daemon.store.db import Database
from daemon.store.ledger import Ledger
from daemon.store.spent import Spent
from tests.fakes.api import no_wait
from tests.fakes.extractor import FakeExtractor
from tests.fakes.gates import a_gate
from tests.fakes.http_server import Asked, Reply, serving
from tests.fakes.keyring import FakeKeyring
from tests.fakes.mcp_server import serving_mcp

FAKES = Path(__file__).resolve().parents[3] / "fakes"
PATIENCE = 60_000
PAPERS = {"query": "{query}", "max_results": "{limit}"}
DATES = {"date": "publication.date"}


@pytest.fixture
def opened() -> Iterator[list[McpSource]]:
    sources: list[McpSource] = []
    yield sources
    for source in sources:
        source.close()


class Asking:
    """Builds sources for a test, and ends their servers after it."""

    def __init__(self, opened: list[McpSource], cache: Path) -> None:
        self._opened = opened
        self._cache = cache

    def source(
        self, fetcher: Gate | None = None, keys: dict[str, str] | None = None, **entry: Any
    ) -> McpSource:
        reported = {"type": "mcp", "adapter": "mcp", "tool": "search", "max_latency_ms": PATIENCE}
        checked = Entry.model_validate({**reported, **entry})
        known = keys or {}
        source = McpSource.build(
            Parts(
                name="papers",
                entry=checked,
                fetcher=fetcher or a_gate(),
                extractor=FakeExtractor(),
                embedder=None,
                library=None,
                cache_dir=self._cache,
                key=known.get(checked.api_key, ""),
                keys=known,
                sleep=no_wait,
            )
        )
        self._opened.append(source)
        return source

    def stub(self, mode: str, argument: str = "", **entry: Any) -> McpSource:
        """A source that asks the stub."""
        words = [sys.executable, "-I", str(FAKES / "mcp_stub.py"), mode, argument]
        return self.source(command=words, **entry)

    def reply(self, result: dict[str, Any], **entry: Any) -> Answer:
        """What comes of one result of a tool, without a server."""
        source = self.source(command=["nothing"], **entry)
        source.session = Given(json.dumps({"content": [], **result}))
        return ask(source)


class Given(McpSession):
    """Gives the same result for every call."""

    def __init__(self, result: str) -> None:
        super().__init__(Command((), {}, Path("nowhere")))
        self._result = result

    async def call(self, tool: str, arguments: dict[str, Any], *, patience: float) -> str:
        return self._result


@pytest.fixture
def asking(opened: list[McpSource], tmp_path: Path) -> Asking:
    return Asking(opened, tmp_path / "cache")


def ask(source: McpSource, query: str = "harbour tides", limit: int = 5) -> Answer:
    return asyncio.run(source.search(query, limit=limit))


def text(value: object) -> dict[str, Any]:
    reported = value if isinstance(value, str) else json.dumps(value)
    return {"content": [{"type": "text", "text": reported}]}


def check_papers(source: McpSource) -> None:
    answer = ask(source)
    assert (answer.status, answer.why) == (SourceStatus.OK, "")
    tides, ebb = answer.hits
    assert (tides.title, tides.url) == ("Tides & moons", "https://example.com/tides")
    assert (tides.snippet, tides.published) == ("Tides turn twice a day.", "2024-05-06")
    assert tides.authors == ("Ada Lovelace", "Mary Somerville")
    assert (tides.doi, tides.citations) == ("10.1000/tides", 12)
    assert (ebb.title, ebb.published, ebb.authors) == ("Ebb", "2023", ())
    assert len(ask(source, limit=1).hits) == 1
    assert ask(source, "nothing").status is SourceStatus.EMPTY
    failed = ask(source, "fail")
    assert failed.status is SourceStatus.UNAVAILABLE
    assert "reports an error" in failed.why


def test_a_real_server_is_asked_over_stdio(asking: Asking) -> None:
    check_papers(
        asking.source(
            command=[sys.executable, str(FAKES / "mcp_server.py")],
            env={"PYTHONPATH": str(FAKES.parents[1])},
            tool="search_papers",
            arguments=PAPERS,
            results=DATES,
        )
    )


@pytest.mark.parametrize("way", [{}, {"json_response": True}, {"stateless": True}])
def test_a_real_server_is_asked_over_http(asking: Asking, way: dict[str, bool]) -> None:
    with serving_mcp(**way) as url:
        gate = a_gate(allow_origins=[url.removesuffix("/mcp")])
        check_papers(
            asking.source(gate, tool="search_papers", results=DATES, url=url, arguments=PAPERS)
        )
        if way:
            return
        answer = ask(asking.source(gate, tool="in_words", url=url))
        assert [hit.url for hit in answer.hits][1] == "https://example.com/ebb"
        missing = ask(asking.source(gate, tool="serch", url=url))
        assert missing.why == "it has no tool named serch; available: in_words, search_papers"
        for source in asking._opened:
            source.close()


def test_requests_to_a_server_are_counted_over_http_and_stdio(
    asking: Asking, tmp_path: Path
) -> None:
    with closing(Database(tmp_path / "lacuna.db")) as db, serving_mcp(json_response=True) as url:
        ledger = Ledger(db, clock=lambda: datetime.now(UTC), zone=lambda: UTC)
        meter = Meter(ledger, "papers", price=0.001)
        gate = a_gate(allow_origins=[url.removesuffix("/mcp")]).counted_by(meter)
        over_http = asking.source(gate, tool="in_words", url=url)
        assert ask(over_http).status is SourceStatus.OK
        over_http.close()
        over_stdio = asking.stub("reply", json.dumps(text("Title: x\nURL: https://a.example/")))
        over_stdio.parts = replace(over_stdio.parts, meter=meter)
        ask(over_stdio, "low tides")
        entries = list(Spent(db).entries())
    called = [each.sending for each in entries if each.sending.amounts.money]
    assert [each.host for each in called] == ["127.0.0.1", f"program {Path(sys.executable).name}"]
    assert '"method":"tools/call"' in called[0].what
    assert called[1].what == 'search {"query": "low tides"}'
    assert len(entries) > len(called)  # the server was greeted first, which costs nothing
    assert all(each.is_settled and each.sending.amounts.requests == 1 for each in entries)


def test_a_server_on_this_machine_is_refused_unless_its_origin_is_allowed(asking: Asking) -> None:
    answer = ask(asking.source(url="http://127.0.0.1/mcp"))
    assert answer.status is SourceStatus.UNAVAILABLE
    assert "refused" in answer.why


def test_a_server_that_is_new_at_its_address_is_asked_again(asking: Asking) -> None:
    with serving() as server:
        sessions = iter(["first", "second"])
        server.fallback = lambda asked: _speak(asked, sessions)
        source = asking.source(a_gate(allow_origins=[server.origin]), url=f"{server.origin}/mcp")
        assert ask(source).status is SourceStatus.OK
        server.routes["/mcp"] = lambda asked: (
            Reply(status=404)
            if asked.headers.get("mcp-session-id") == "first"
            else _speak(asked, sessions)
        )
        assert ask(source).status is SourceStatus.OK
        assert [asked.method for asked in server.asked] == ["POST"] * len(server.asked)
        source.close()


def _speak(asked: Asked, sessions: Iterator[str]) -> Reply:
    """Speak MCP as servers with sessions do."""
    message = json.loads(asked.body)
    if "id" not in message:
        return Reply(status=202)
    result: dict[str, Any]
    headers: dict[str, str] = {}
    match message["method"]:
        case "initialize":
            result = {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "old", "version": "1"},
            }
            headers = {"Mcp-Session-Id": next(sessions)}
        case "tools/list":
            result = {"tools": [{"name": "search", "inputSchema": {"type": "object"}}]}
        case "tools/call":
            result = text([{"url": "https://example.com/a"}])
        case _:
            return Reply(b"", 400)
    body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
    return Reply(body, content_type="application/json", headers=headers)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"[1, 2, 3]", "ended without an answer"),
        (b"[" * 50_000, "ended without an answer"),
        (b"<html><p>Sign in</p></html>", "answered with a web page instead of data"),
    ],
)
def test_a_server_that_does_not_speak_mcp_is_reported(
    asking: Asking, body: bytes, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.adapters.sources.rate_limiter.ATTEMPTS", 1)
    with serving() as server:
        server.fallback = Reply(body, content_type="application/json")
        source = asking.source(a_gate(allow_origins=[server.origin]), url=f"{server.origin}/mcp")
        answer = ask(source)
        source.close()
    assert answer.status is SourceStatus.UNAVAILABLE
    assert answer.why.startswith(why)


@pytest.mark.parametrize("query", ["", "?", '"', "a" * 5000, "word " * 500, "\ud800", "潮汐", "🌊"])
def test_no_question_makes_it_raise(asking: Asking, query: str) -> None:
    source = asking.source(command=["nothing"])
    source.session = Given(json.dumps(text([FOUND])))
    assert ask(source, query).query == query


def test_a_key_goes_in_a_header_and_comes_back_from_nowhere(asking: Asking) -> None:
    with serving() as server:
        server.fallback = lambda asked: Reply(b"no: " + str(asked.headers).encode(), 403)
        source = asking.source(
            a_gate(allow_origins=[server.origin]),
            keys={"papers": "secret-1", "other": "secret-2"},
            url=f"{server.origin}/mcp",
            api_key="papers",
            headers={"X-Other": "{other}", "Authorization": "Token {api_key}"},
        )
        answer = ask(source)
        assert answer.why == "refuses the request (HTTP 403)"
        assert server.asked[0].headers["x-other"] == "secret-2"
        assert server.asked[0].headers["authorization"] == "Token secret-1"
        plain = asking.source(
            a_gate(allow_origins=[server.origin]),
            keys={"papers": "secret-1"},
            url=f"{server.origin}/mcp",
            api_key="papers",
        )
        ask(plain)
        assert server.asked[-1].headers["authorization"] == "Bearer secret-1"
        source.close()
        plain.close()


def test_a_command_gets_little_of_the_environment_and_the_keys_that_it_names(
    asking: Asking, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LACUNA_BRAVE_API_KEY", "not for it")
    monkeypatch.setenv("PRIVATE", "not for it")
    source = asking.stub(
        "echo",
        keys={"papers": "secret-1"},
        env={"TOKEN": "t-{papers}", "MODE": "quiet"},
        models=["small", "large"],
        arguments={"q": "{query}", "n": "{limit}", "m": "{model}", "deep": [{"q": "on {query}"}]},
    )
    answer = ask(source, "tides {limit} {papers}")
    assert "secret-1" not in str(answer)
    reported = json.loads(answer.hits[0].title)
    usual = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LC_CTYPE"}
    assert set(reported["environment"]) <= usual | {"TOKEN", "MODE"}
    assert reported["environment"]["TOKEN"] == "t-(key)"
    assert reported["folder"] == str(tmp_path / "cache/mcp")
    asked = "tides {limit} {papers}"
    assert reported["arguments"] == {
        "q": asked,
        "n": 5,
        "m": "small",
        "deep": [{"q": f"on {asked}"}],
    }


def test_a_server_is_started_once_and_ends_when_it_is_no_longer_needed(asking: Asking) -> None:
    source = asking.stub("echo")
    pids = {json.loads(ask(source).hits[0].title)["pid"] for _ in range(2)}
    assert len(pids) == 1
    source.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pids.pop(), 0)


def test_a_server_that_is_not_asked_for_a_while_ends(asking: Asking) -> None:
    source = asking.stub("echo")
    source.session = McpSession(source.session._way, idle_seconds=0.05)
    pid = json.loads(ask(source).hits[0].title)["pid"]
    for child in [*source.session._all]:
        child._child.waiter.join(60)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert ask(source).status is SourceStatus.OK


def test_a_server_that_died_is_started_again(asking: Asking, tmp_path: Path) -> None:
    source = asking.stub("echo")
    pid = json.loads(ask(source).hits[0].title)["pid"]
    os.kill(pid, signal.SIGKILL)
    again = ask(source)
    assert again.status is SourceStatus.OK
    assert json.loads(again.hits[0].title)["pid"] != pid
    once = asking.stub("die once", str(tmp_path / "mark"))
    answer = ask(once)
    assert (answer.status, answer.hits[0].url) == (SourceStatus.OK, "https://example.com/again")


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("die", "ended without an answer: no more paper"),
        ("garbage", "ended without an answer"),
        ("error", "reports an error: the index is broken"),
    ],
)
def test_what_goes_wrong_in_a_server_is_its_answer(
    asking: Asking, mode: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.adapters.sources.rate_limiter.ATTEMPTS", 1)
    answer = ask(asking.stub(mode))
    assert (answer.status, answer.why, answer.hits) == (SourceStatus.UNAVAILABLE, why, ())


def test_a_server_that_hangs_costs_its_time_and_no_more(asking: Asking) -> None:
    answer = ask(asking.stub("hang", max_latency_ms=1500))
    assert (answer.status, answer.why) == (SourceStatus.UNAVAILABLE, "no answer in time (1.5 s)")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nonesuch-lacuna"], "cannot be started: program not found: nonesuch-lacuna"),
        ([sys.executable, "-Ic", "raise SystemExit('no token')"], "ended without an answer"),
        ([str(FAKES)], "cannot be started: Permission denied"),
    ],
)
def test_a_command_that_cannot_be_started_is_said(
    asking: Asking, words: list[str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.adapters.sources.rate_limiter.ATTEMPTS", 1)
    answer = ask(asking.source(command=words))
    assert answer.status is SourceStatus.UNAVAILABLE
    assert answer.why.startswith(why)


IMAGE = {"type": "image", "data": "", "mimeType": "image/png"}
FOUND = {"url": "https://example.com/a", "title": "A"}


@pytest.mark.parametrize(
    "result",
    [
        {"structuredContent": {"results": [FOUND]}},
        {"structuredContent": {"total": 1, "data": {"page": 1, "items": [FOUND]}}},
        {"structuredContent": {"result": [FOUND]}},
        {"structuredContent": {"result": json.dumps([FOUND])}},
        {"structuredContent": FOUND},
        text([FOUND]),
        text({"hits": [FOUND]}),
        text(FOUND),
        text("Found 1:\n\n1. **Title:** A\n   **URL:** https://example.com/a\n   Text: b\n   c\n"),
        text({"Title": "A", "Html-Url": "https://example.com/a"}),
        {"content": [*text(FOUND)["content"]]},
        {"content": [{"type": "resource_link", "uri": FOUND["url"], "name": "A"}]},
        {"content": [{"type": "resource", "resource": {"uri": FOUND["url"], "text": "A"}}]},
        {
            "content": [
                IMAGE,
                *text(FOUND)["content"],
            ]
        },
    ],
)
def test_records_are_found_wherever_servers_put_them(
    asking: Asking, result: dict[str, Any]
) -> None:
    answer = asking.reply(result)
    assert (answer.status, answer.why) == (SourceStatus.OK, "")
    assert [hit.url for hit in answer.hits] == ["https://example.com/a"]


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"structuredContent": {"results": []}},
        text([]),
        text({"total": 0, "hits": []}),
        text("No papers found for this query."),
        text("nothing found"),
    ],
)
def test_nothing_found_is_empty(asking: Asking, result: dict[str, Any]) -> None:
    answer = asking.reply(result)
    assert (answer.status, answer.why) == (SourceStatus.EMPTY, "")


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (
            {"isError": True, **text("quota\nis <b>used</b> up")},
            "reports an error: quota is used up",
        ),
        ({"isError": True}, "reports an error: no reason given"),
        (text({"error": "no key"}), "reports an error: no key"),
        (text("I am sorry, I cannot do that."), "the answer contains no records"),
        (text("<html><p>Sign in</p></html>"), "the answer contains no records"),
        (text([1, 2]), "the answer contains no records"),
        (text('[{"url": "https://exa'), "the answer contains no records"),
        (text([{"title": "A", "url": "javascript:x"}]), "none of 1 results has an address"),
    ],
)
def test_what_is_no_result_is_unavailable(asking: Asking, result: dict[str, Any], why: str) -> None:
    answer = asking.reply(result)
    assert (answer.status, answer.hits) == (SourceStatus.UNAVAILABLE, ())
    assert answer.why.startswith(why)
    assert "\n" not in answer.why


def test_an_answer_of_another_form_is_reported(asking: Asking) -> None:
    answer = ask(asking.stub("reply", json.dumps({"content": "x"})))
    assert answer.status is SourceStatus.UNAVAILABLE
    assert answer.why == "the answer does not have the expected form"


def test_a_hostile_server_holds_up_nobody_and_takes_no_memory(asking: Asking) -> None:
    command = [sys.executable, str(FAKES / "mcp_hostile.py")]
    dates = {"date": "date", "citations": "citations"}
    source = asking.source(command=command, tool="regex", results=dates)
    assert [hit.url for hit in ask(source).hits] == ["https://example.com/a"]
    source.parts = replace(source.parts, entry=source.parts.entry.model_copy(update=DIGITS))
    (hit,) = ask(source).hits
    assert (hit.published, hit.citations) == ("", None)
    source.parts = replace(source.parts, entry=source.parts.entry.model_copy(update=MISSING))
    tracemalloc.start()
    answer = ask(source)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.status is SourceStatus.UNAVAILABLE
    assert answer.why == "reports an error: there is no such tool"
    assert most < 5_000_000  # it is all in the process that speaks MCP


DIGITS, MISSING = {"tool": "digits"}, {"tool": "missing"}


@pytest.mark.parametrize("kind", ["numbers", "texts"])
def test_numbers_of_thousands_of_digits_are_no_numbers(asking: Asking, kind: str) -> None:
    digits = "9" * (4_000 if kind == "numbers" else 5_000)  # Python reads 4,300 at most
    number = digits if kind == "numbers" else json.dumps(digits)
    record = f'{{"url": "https://example.com/a", "date": {number}, "citations": {number}}}'
    answer = asking.reply(text(f"[{record}]"), results={"date": "date", "citations": "citations"})
    (hit,) = answer.hits
    assert (hit.published, hit.citations) == ("", None)


def test_a_server_whose_answer_never_ends_is_given_up(asking: Asking) -> None:
    answer = ask(asking.stub("flood"))
    assert (answer.status, answer.why) == (
        SourceStatus.UNAVAILABLE,
        "the answer is larger than 5 MB",
    )


def test_a_process_that_is_held_up_by_an_answer_is_ended_at_the_deadline(asking: Asking) -> None:
    source = asking.stub("echo")
    ask(source)
    child = only_child(source)
    os.kill(child.pid, signal.SIGSTOP)  # as a pattern without end would hold it
    source.parts = replace(
        source.parts, entry=source.parts.entry.model_copy(update={"max_latency_ms": 100})
    )
    assert ask(source).why == "no answer in time (0.1 s)"
    child._child.waiter.join(60)
    assert not child._child.is_alive


def test_to_stop_waiting_ends_the_server(asking: Asking) -> None:
    source = asking.stub("echo")
    ask(source)
    child = only_child(source)
    os.kill(child.pid, signal.SIGSTOP)

    async def stop_waiting() -> None:
        waiting = asyncio.create_task(source.session.call("search", {}, patience=600))
        await asyncio.sleep(0)  # it has begun
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(stop_waiting())
    assert not child._child.is_alive


def test_a_process_that_an_answer_crashes_is_a_source_that_fails(
    asking: Asking, tmp_path: Path
) -> None:
    source = asking.stub("kill", str(tmp_path / "pid"))
    asked = threading.Thread(target=lambda: answers.append(ask(source)))
    answers: list[Answer] = []
    os.mkfifo(tmp_path / "pid")
    asked.start()
    (tmp_path / "pid").read_text()  # the tool was called
    os.kill(only_child(source).pid, signal.SIGSEGV)
    asked.join(60)
    assert answers[0].why.startswith("its answer crashed the process that reads it")


def only_child(source: McpSource) -> McpChild:
    (child,) = source.session._all
    return child


def test_records_without_an_address_are_excluded_and_reported(asking: Asking) -> None:
    answer = asking.reply(
        text([FOUND, {"title": "B"}, {"title": "C", "url": "file:///etc/passwd"}])
    )
    assert (answer.status, len(answer.hits)) == (SourceStatus.DEGRADED, 1)
    assert answer.why == "2 of 3 results have no address"


def test_fields_are_where_the_entry_says(asking: Asking) -> None:
    record = {
        "id": {"doi": "10.1000/X"},
        "names": ["n", "Name"],
        "people": "Ada Lovelace, Mary Somerville and Grace Hopper",
        "when": 1714953600,
        "about": ["one", "two"],
        "n": "7",
    }
    answer = asking.reply(
        text({"deep": {"list": [record]}}),
        results={
            "records": "deep.list",
            "title": "names.1",
            "doi": "id.doi",
            "authors": "people",
            "date": "when",
            "text": "about",
            "citations": "n",
        },
        source_type="paper",
    )
    (hit,) = answer.hits
    assert (hit.title, hit.url, hit.doi) == ("Name", "https://doi.org/10.1000/x", "10.1000/x")
    assert hit.authors == ("Ada Lovelace", "Mary Somerville", "Grace Hopper")
    assert (hit.published, hit.snippet, hit.citations) == ("2024-05-06", "one\ntwo", 7)
    assert hit.source_type is SourceType.PAPER
    lost = asking.reply(text([record]), results={"records": "deep.list"})
    assert lost.why == "the answer has nothing at `results.records` (deep.list)"


def test_the_numbers_of_structured_data_are_its_figures(asking: Asking) -> None:
    record = {**FOUND, "total_volume": 1234567.5, "ranks": [1], "open": True, "year": 2024}
    hit = asking.reply(text([record]), content_type="structured_data").hits[0]
    assert hit.figures == (("total volume", "1,234,567.5"), ("year", "2,024"))
    assert asking.reply(text([record])).hits[0].figures == ()


@pytest.mark.parametrize(
    ("written", "day"),
    [
        (2023, "2023"),
        ("2023", "2023"),
        ("2023-05", "2023-05"),
        (1714953600000, "2024-05-06"),
        ("Mon, 06 May 2024 10:00:00 +0000", "2024-05-06"),
        ("last spring", ""),
        (True, ""),
        (None, ""),
        (1e300, ""),
    ],
)
def test_dates_are_read_in_many_forms(asking: Asking, written: object, day: str) -> None:
    from daemon.adapters.sources.mapping import _day

    assert _day(written) == day


def test_arguments_take_the_question_as_it_is() -> None:
    values = {"query": "{limit}", "limit": 3, "model": ""}
    reported = {"q": "{query}", "n": "{limit}", "s": "{limit} of {query}", "fixed": 1, "flag": True}
    assert filled(reported, values) == {
        "q": "{limit}",
        "n": 3,
        "s": "3 of {limit}",
        "fixed": 1,
        "flag": True,
    }


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("m: {type: mcp, tool: x}", "command or base_url is missing in sources.yaml"),
        ("m: {type: mcp, command: x}", "tool is missing in sources.yaml"),
        ("m: {type: mcp, command: x, tool: y, env: {A: '{a}'}}", "no key: lacuna secrets set a"),
        ("m: {type: mcp, url: 'https://x', tool: y, api_key: b}", "no key: lacuna secrets set b"),
    ],
)
def test_an_incomplete_server_entry_is_skipped_and_reported(
    tmp_path: Path, text: str, stated: str
) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(text)
    _, left_out = build_sources(
        load_registry(path),
        fetcher=a_gate(),
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ={}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=tmp_path,
    )
    assert dict(left_out)["m"] == stated


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            "m: {type: mcp, command: x, url: 'https://x', tool: y}",
            "m: command and url are mutually",
        ),
        (
            "m: {type: mcp, command: x, tool: y, arguments: {q: a}}",
            "m: arguments: they do not contain",
        ),
        ("m: {type: mcp, command: x, tool: y, results: {link: a}}", "m: unknown setting results.l"),
        ("m: {type: mcp, command: x, tool: y, api_key: k}", "m: env: must pass the key"),
        ("m: {type: mcp, command: x, tool: y, env: {'A=B': c}}", "m: env: 'A=B' is not a valid"),
        (
            "m: {type: mcp, url: 'https://x', tool: y, headers: {'a b': c}}",
            "m: headers: 'a b' is no",
        ),
        ("m: {type: mcp, url: 'ftp://x', tool: y}", "m: url: must begin with http"),
        ("m: {type: mcp, command: {a: b}, tool: y}", "m: command: "),
        ("m: {type: mcp, command: 'a \"b', tool: y}", "m: command: No closing quotation"),
        ("arxiv: {tool: y}", "arxiv: tool: only valid for sources of type mcp"),
        ("arxiv: {type: mcp, tool: y}", "arxiv: type: must be api"),
        ("'a b': {type: mcp, tool: y}", "a b: a name may contain letters"),
    ],
)
def test_an_error_names_the_entry_and_the_key(tmp_path: Path, text: str, stated: str) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(text)
    with pytest.raises(SourceError) as caught:
        load_registry(path)
    assert str(caught.value).startswith(f"{path}: {stated}")


def test_a_new_server_takes_no_code(tmp_path: Path, asking: Asking) -> None:
    path = tmp_path / "sources.yaml"
    stub = FAKES / "mcp_stub.py"
    reply = json.dumps(text([FOUND]))
    path.write_text(
        "papers:\n"
        "  type: mcp\n"
        f"  command: {json.dumps(sys.executable)}\n"
        f"  args: [-I, {json.dumps(str(stub))}, reply, {json.dumps(reply)}]\n"
        "  tool: search\n"
        "  arguments: {q: '{query}'}\n"
        "  rate: {least_interval_seconds: 0}\n"
    )
    built, _ = build_sources(
        load_registry(path),
        fetcher=a_gate(),
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ={}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=tmp_path / "cache",
    )
    source = built["papers"]
    assert isinstance(source, McpSource)
    asking._opened.append(source)
    assert [hit.url for hit in ask(source).hits] == ["https://example.com/a"]


def test_the_sdk_is_loaded_by_no_process_but_that_of_a_server() -> None:
    reported = (
        "import sys, daemon.composition, daemon.host, daemon.network;"
        "from daemon.adapters.sources import load_registry;"
        "load_registry();"
        "import daemon.adapters.sources.mcp_session;"
        "sys.exit(any(name.partition('.')[0] in ('mcp', 'mcp_types', 'httpx2') "
        "for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", reported], check=False).returncode == 0


def test_quick_settings_are_what_the_entry_says() -> None:
    entry = load_registry()["mcp"]
    assert entry.rate == Rate(least_interval_seconds=1)
    assert entry.timeout_seconds == 60
