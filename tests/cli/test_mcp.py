"""`lacuna mcp` as assistants meet it: the official SDK's client on the command's own tools."""

import json
import re
import shlex
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import httpx2
import pytest
from mcp import types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from daemon.cli import _Commands as LazyCommands
from daemon.composition import open_app
from daemon.config import load_settings
from daemon.faces.mcp import server
from daemon.faces.mcp.server import FROM_SOURCES, Answer, Record, server_for
from daemon.faces.mcp.tools import tools as reading_tools
from daemon.model.event import StepStart
from daemon.ports import Stop
from daemon.usecases.assistants import AssistantLog
from daemon.usecases.invoke import invoke
from tests.fakes.cli import Cli
from tests.fakes.process import WITH_WORDS_CHILD, Lacuna
from tests.fakes.web_site import JSON, TOKEN, Site, serving_vault

NOW = datetime(2026, 11, 23, tzinfo=UTC)
Use = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def served(ready: Cli) -> Iterator[Answer]:
    with closing(open_app(load_settings(ready.config), config=ready.config)) as app:
        yield partial(invoke, app, print)


def _unrecorded(*_: object, refused: str = "") -> None: ...


def _with_client(
    served: Answer, use: Use, *, allow_actions: bool = False, record: Record = _unrecorded
) -> Any:
    async def run() -> Any:
        async with Client(server_for(served, record, allow_actions=allow_actions)) as client:
            return await use(client)

    return anyio.run(run)


def _call(served: Answer, name: str, *, allow_actions: bool = False, **arguments: Any) -> Any:
    async def use(client: Client) -> types.CallToolResult:
        return await client.call_tool(name, arguments)

    return _with_client(served, use, allow_actions=allow_actions)


def test_a_client_sees_only_read_only_tools_unless_actions_are_allowed(served: Answer) -> None:
    async def use(client: Client) -> list[types.Tool]:
        return (await client.list_tools()).tools

    reading = _with_client(served, use)
    acting = _with_client(served, use, allow_actions=True)
    assert {tool.annotations.read_only_hint for tool in reading} == {True}
    added = {tool.name for tool in acting} - {tool.name for tool in reading}
    assert {tool.name for tool in acting if not tool.annotations.read_only_hint} == added | {"ask"}
    assert added == {"propose_research", "approve_agenda", "decide_finding", "ingest"}


def test_an_action_that_is_not_allowed_does_not_exist(served: Answer) -> None:
    async def use(client: Client) -> str:
        with pytest.raises(MCPError) as error:
            await client.call_tool("decide_finding", {"ids": ["0" * 12], "status": "accepted"})
        return str(error.value)

    assert _with_client(served, use) == "decide_finding: there is no such tool"


def test_a_question_is_kept_in_a_thread_only_when_actions_are_allowed(
    served: Answer, ready: Cli
) -> None:
    asked: dict[str, Any] = {"question": "How long does sourdough rest?", "thread": "bread"}
    assert _call(served, "ask", **asked).is_error
    assert not _call(served, "ask", question=asked["question"]).is_error
    assert ready("threads", "--json").json == []
    assert not _call(served, "ask", allow_actions=True, **asked).is_error
    assert [each["name"] for each in ready("threads", "--json").json] == ["bread"]


def test_notes_are_found_and_read_with_their_links(served: Answer) -> None:
    found = _call(served, "search_notes", query="stale crumb", limit=1)
    (hit,) = found.structured_content["result"]
    note = _call(served, "get_note", note=hit["path"]).structured_content
    assert note["path"] == hit["path"]
    assert note["length"] == len(note["text"])
    part = _call(served, "get_note", note=hit["path"], start=2, length=5).structured_content
    assert part["text"] == note["text"][2:7]
    for other in note["backlinks"]:
        links = _call(served, "get_note", note=other["path"]).structured_content["links"]
        assert hit["path"] in {link["path"] for link in links}


def test_a_text_is_ingested_and_no_file_can_be_named(served: Answer, ready: Cli) -> None:
    for path in (str(ready.config), "file:///etc/passwd", "notes.md"):
        assert _call(served, "ingest", allow_actions=True, inputs=[path]).is_error
    text = "Rye keeps longer than wheat, because its pentosans bind water for days.\n" * 3
    given = {"inputs": ["-"], "text": text, "title": "Rye keeps"}
    found = _call(served, "ingest", allow_actions=True, **given).structured_content
    assert [each["status"] for each in found["results"]] == ["written"]


def test_unknown_notes_and_invalid_arguments_are_explained_errors(
    served: Answer,
) -> None:
    unknown = _call(served, "get_note", note="Sourdoug")
    assert unknown.is_error
    assert "did you mean Sourdough" in unknown.content[0].text
    assert unknown.meta["lacuna/error"] == "not_found"
    wrong = _call(served, "search_notes", query="bread", limit="many")
    assert wrong.is_error
    assert wrong.content[0].text.startswith("limit: ")


def test_a_path_outside_the_vault_is_not_a_note(served: Answer, ready: Cli) -> None:
    for path in ("../../config.toml", str(ready.config), "/etc/passwd"):
        assert _call(served, "get_note", note=path).is_error


def test_a_client_that_asks_for_progress_gets_the_events_of_the_work(served: Answer) -> None:
    seen: list[tuple[float, str | None]] = []

    async def note_progress(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        seen.append((progress, message))

    async def use(client: Client) -> types.CallToolResult:
        return await client.call_tool("propose_research", progress_callback=note_progress)

    assert not _with_client(served, use, allow_actions=True).is_error
    assert [number for number, _ in seen] == list(range(1, len(seen) + 1))
    messages = [message for _, message in seen]
    assert "what to research in the whole vault" in messages
    assert "planning 0 of 6: reading notes" in messages


def test_a_client_gets_the_stages_of_an_analysis_by_the_daemon(
    beside_daemon: Cli, served: Answer
) -> None:
    messages: list[str] = []

    async def note_progress(progress: float, total: float | None, message: str | None) -> None:
        messages.append(message or "")

    async def use(client: Client) -> types.CallToolResult:
        return await client.call_tool("vault_health", progress_callback=note_progress)

    assert not _with_client(served, use).is_error
    assert messages[0] == "health"
    assert messages[1].startswith("health 0 of ")


def test_a_client_that_is_slow_to_take_progress_does_not_hold_the_work_up(served: Answer) -> None:
    is_done, seen = anyio.Event(), list[str | None]()

    async def wait_for_the_end(progress: float, total: float | None, message: str | None) -> None:
        await is_done.wait()
        seen.append(f"{progress:g} {total} {message}")

    def work(use: Any, request: Any, /, show: Any, *, stop: Stop) -> Any:
        for number in range(1000):
            show(StepStart(at=NOW, pid=1, step=f"step {number}"))
        anyio.from_thread.run_sync(is_done.set)
        return served(use, request, show, stop=stop)

    async def use(client: Client) -> types.CallToolResult:
        return await client.call_tool("list_gaps", progress_callback=wait_for_the_end)

    assert not _with_client(work, use).is_error
    assert seen[0] == "1 None step 0"
    assert len(seen) < 1000


def test_text_quoted_from_sources_is_marked_as_data(served: Answer, ready: Cli) -> None:
    assert ready("research", "why does bread go stale in the fridge").code == 0
    (finding,) = _call(served, "list_findings").structured_content["result"]
    shown = _call(served, "get_finding", id=finding["id"])
    assert shown.content[0].text == FROM_SOURCES
    assert "starch" in shown.structured_content["text"]
    assert shown.structured_content["notice"] == FROM_SOURCES

    async def use(client: Client) -> str:
        (resource,) = (await client.list_resources()).resources
        assert resource.name == f"finding-{finding['id']}"
        marked, _, title = (resource.description or "").partition("Its title: ")
        assert (FROM_SOURCES in marked, title) == (True, finding["title"])
        (contents,) = (await client.read_resource(str(resource.uri))).contents
        assert isinstance(contents, types.TextResourceContents)
        return contents.text

    text = _with_client(served, use)
    assert text == f"{FROM_SOURCES}\n\n{shown.structured_content['text']}"


def test_a_note_that_lacuna_wrote_is_marked_as_data(served: Answer, ready: Cli) -> None:
    assert ready("research", "why does bread go stale in the fridge").code == 0
    [finding] = ready("findings", "--json").json
    assert ready("findings", "accept", finding["id"]).code == 0
    assert ready("index").code == 0
    found = _call(served, "search_notes", query="starch")
    assert found.content[0].text == FROM_SOURCES
    assert found.structured_content["notice"] == FROM_SOURCES
    written = _call(served, "get_note", note=finding["path"])
    assert written.content[0].text == FROM_SOURCES
    assert written.structured_content["quotes_sources"]
    assert _call(served, "get_note", note="Sourdough").content[0].text != FROM_SOURCES

    async def use(client: Client) -> str:
        (contents,) = (
            await client.read_resource(f"lacuna://note/{quote(finding['path'])}")
        ).contents
        assert isinstance(contents, types.TextResourceContents)
        return contents.text

    assert _with_client(served, use).startswith(f"{FROM_SOURCES}\n\n---\n")


def test_what_an_assistant_asked_for_is_shown_by_privacy(ready: Cli) -> None:
    with closing(open_app(load_settings(ready.config), config=ready.config)) as app:

        async def use(client: Client) -> None:
            await client.call_tool("search_notes", {"query": "my diagnosis"})
            await client.call_tool("get_note", {"note": "x" * 3000})
            await client.read_resource("lacuna://note/Sourdough.md")

        _with_client(partial(invoke, app, print), use, record=AssistantLog(app))
    kept = ready("privacy", "--json").json["assistants"]
    assert [(each["client"], each["tool"]) for each in kept] == [
        ("mcp", "search_notes"),
        ("mcp", "get_note"),
        ("mcp", "get_note"),
    ]
    assert kept[1]["arguments"].endswith("xxx… (1012 more characters)")
    assert json.loads(kept[0]["arguments"]) == {"query": "my diagnosis"}
    shown = ready("privacy").out
    assert "Assistants (mcp) called tools 3 times" in shown
    assert "my diagnosis" in shown


def test_a_query_that_would_take_long_is_refused(served: Answer) -> None:
    found = _call(served, "search_notes", query="bread " * 1000)
    assert found.is_error
    assert found.content[0].text == "query: String should have at most 4000 characters"


def test_too_many_calls_within_a_minute_are_refused(
    served: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_PER_MINUTE", 2)

    kept = []

    def record(_client: str, tool: str, _arguments: object, /, refused: str = "") -> None:
        kept.append((tool, refused))

    async def use(client: Client) -> list[types.CallToolResult]:
        return [await client.call_tool("list_gaps") for _ in range(4)]

    found = _with_client(served, use, record=record)
    assert [each.is_error for each in found] == [False, False, True, True]
    carried_out, refused = ("list_gaps", ""), ("list_gaps", "too many calls within a minute")
    assert kept == [carried_out, carried_out, refused]
    assert re.match(r"too many calls within a minute: wait \d+ seconds", found[2].content[0].text)


def test_a_call_that_is_cancelled_stops_its_work(served: Answer) -> None:
    begun, stopped = anyio.Event(), threading.Event()

    def work(use: Any, request: Any, /, show: Any, *, stop: Stop) -> Any:
        anyio.from_thread.run_sync(begun.set)
        while not stop.is_requested:
            threading.Event().wait(0.01)
        stopped.set()
        stop.check()

    async def use(client: Client) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "list_gaps")
            await begun.wait()
            group.cancel_scope.cancel()

    _with_client(work, use)
    assert stopped.wait(30)


def test_a_finding_is_decided_when_actions_are_allowed(served: Answer, ready: Cli) -> None:
    assert ready("research", "why does bread go stale in the fridge").code == 0
    (finding,) = _call(served, "list_findings").structured_content["result"]
    arguments = {"ids": [finding["id"]], "status": "accepted"}
    decided = _call(served, "decide_finding", allow_actions=True, **arguments)
    assert decided.structured_content["findings"][0]["status"] == "accepted"
    assert ready("findings", "--json").json[0]["status"] == "accepted"


def test_gaps_and_health_match_the_command_line(served: Answer, ready: Cli) -> None:
    health = ready("health", "--json").json
    assert _call(served, "vault_health").structured_content == health
    gaps = _call(served, "list_gaps", limit=2).structured_content["result"]
    assert gaps == health["gaps"][:2]


def test_each_answer_matches_the_output_schema_of_its_tool(served: Answer) -> None:
    # The client checks structured content against the tool's output schema.
    assert not _call(served, "vault_health").is_error
    assert not _call(served, "similar_notes", note="Sourdough").is_error
    assert not _call(served, "get_note", note="Broken").is_error


def test_a_client_starts_the_command(vault: Path, tmp_path: Path) -> None:
    real = Lacuna(vault, tmp_path / "real", program=WITH_WORDS_CHILD)
    arguments = [*real.program[1:], "mcp", "--config", str(real.config)]
    parameters = StdioServerParameters(
        command=real.program[0], args=arguments, env=real.environment
    )

    async def run() -> str:
        async with Client(parameters) as client:
            (prompt,) = (await client.list_prompts()).prompts
            return prompt.name

    assert anyio.run(run) == "weekly_review"


def test_each_configuration_in_the_documentation_starts_this_command() -> None:
    """Claude Desktop and Cursor read `mcpServers`, VS Code reads `servers` with a type."""
    text = (Path(__file__).resolve().parents[2] / "docs/mcp.md").read_text("utf-8")
    found = {
        name: json.loads(block)
        for name, block in re.findall(
            r"\*\*([\w ]+)\*\*: [^`]*`[^*]*?```json\n(.*?)```", text, re.S
        )
    }
    blocks = re.findall(r"```json\n(.*?)```", text, re.S)
    assert len(blocks) == len(found) + 1
    started = {"command": "/home/you/.local/bin/lacuna", "args": ["mcp"]}
    assert found == {
        "Claude Desktop": {"mcpServers": {"lacuna": started}},
        "Cursor": {"mcpServers": {"lacuna": {"type": "stdio", **started}}},
        "VS Code": {"servers": {"lacuna": {"type": "stdio", **started}}},
    }
    [added] = re.findall(r"claude mcp add --scope user (.*)", text)
    assert shlex.split(added) == ["lacuna", "--", started["command"], "mcp"]
    assert "mcp" in LazyCommands.places
    [http] = [json.loads(block) for block in blocks if '"http"' in block]
    assert http["mcpServers"]["lacuna"]["headers"] == {"Authorization": "Bearer ${LACUNA_TOKEN}"}


def test_over_http_a_client_needs_the_token_and_gets_the_same_tools(ready: Cli) -> None:
    async def use(site: Site) -> tuple[set[str], Any]:
        sent = {"authorization": f"Bearer {TOKEN}"}
        address = f"http://127.0.0.1:{site.port}/mcp"
        async with httpx2.AsyncClient(headers=sent) as http:
            transport = streamable_http_client(address, http_client=http)
            async with Client(transport) as client:
                tools = {tool.name for tool in (await client.list_tools()).tools}
                return tools, await client.call_tool("search_notes", {"query": "sourdough"})

    with serving_vault(ready, mcp=True) as site:
        tools, found = anyio.run(use, site)
        assert tools == set(reading_tools(allow_actions=False))
        assert found.structured_content["result"]
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        accepted = {"accept": "application/json, text/event-stream"}
        assert site("POST", "/mcp", body, **JSON, **accepted).status == 401
        evil = {"host": "evil.example", "authorization": f"Bearer {TOKEN}"}
        assert site("POST", "/mcp", body, **JSON, **accepted, **evil).status == 421
        sent = {"name": "list_gaps", "arguments": {}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": sent})
        older = {**accepted, "mcp_protocol_version": "2025-06-18", "user_agent": "Some client/1"}
        called = site("POST", "/mcp", body, authorization=f"Bearer {TOKEN}", **JSON, **older)
        assert called.status == 200, called.text
    asked = ready("privacy", "--json").json["assistants"]
    assert [each["client"] for each in asked] == ["mcp", "Some client/1"]
