"""Planted keys are in nothing that the real program writes, prints, logs or shows of itself."""

import json
import sys
import tarfile
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from daemon.adapters.sources import load_registry
from daemon.store.lock import held_by
from tests.fakes.http_server import Asked, HttpServer, Reply, serving
from tests.fakes.process import WITHOUT_MODEL, Lacuna

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

MARK = "7f3a9c"  # in every planted key, and not changed by any way of writing them
# A key goes in a header, the address, the body, or as a bearer's.
KEYED = {"brave": "brave", "serpapi_scholar": "serpapi", "tavily": "tavily", "core": "core"}
QUESTION = "why does bread go stale in the fridge"
NOTE = (
    "---\ntags: [bread]\n---\n# Sourdough\n\nWhy does bread go stale in the fridge? [[Staling]]\n"
)
REPORTED = """# Why bread goes stale

Staling is not drying. Bread goes stale in the fridge because the starch in its crumb turns back
into crystals, which takes water from the gluten around it. Staling is fastest above freezing.
"""
SPILLS = (
    "import os, sys; print(os.environ['PAPERS_TOKEN'], file=sys.stderr); print(os.environ);"
    "sys.exit(os.environ['PAPERS_TOKEN'])"
)


def key(name: str) -> str:
    """A key with characters that are written in another way wherever it may stand."""
    return f"k/{name}+{MARK}=&"


def echo(asked: Asked) -> Reply:
    """Fail, and send back all that was asked, in a way of the source's own."""
    reported = "\n".join(
        [asked.path, *asked.params.values(), *asked.headers.values(), asked.body.decode()]
    )
    ways = (
        Reply(reported.encode(), 401, "text/plain"),
        Reply(reported.encode(), 500, "text/html"),
        Reply(json.dumps({"error": reported, "message": reported, "results": reported}).encode()),
        Reply(b"", 302, headers={"Location": f"/elsewhere?said={asked.params.get('api_key', '')}"}),
        Reply(f"<html><title>{reported}</title>{reported}".encode()),
        Reply(reported.encode(), 403, "text/plain"),
    )
    return ways[sum(asked.path.split("/")[1].encode()) % len(ways)]


@contextmanager
def watched_processes() -> Iterator[set[str]]:
    """Look again and again at what every process was called with; yields what held a key."""
    found: set[str] = set()
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            for place in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    words = place.read_bytes()
                except OSError:  # it has ended
                    continue
                if MARK.encode() in words:
                    found.add(words.decode(errors="replace"))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()


class Planted(Lacuna):
    """The real program, with keys in the environment and among the credentials of a service."""

    @property
    def environment(self) -> dict[str, str]:
        given = {f"LACUNA_{name.upper()}_API_KEY": key(name) for name in {*KEYED.values(), "team"}}
        return {
            **super().environment,
            **given,
            "CREDENTIALS_DIRECTORY": str(self.home.parent / "credentials"),
            "LACUNA_SECRETS_PASSPHRASE": key("passphrase"),
            "LACUNA_LOG_LEVEL": "debug",
        }


def sources(origin: str) -> str:
    """Every source that has a key, at the server; an MCP server here, and one that is started."""
    off = "enabled: false"
    served = [
        f"{name}: {{enabled: true, opt_in: false, base_url: '{origin}/{name}',"
        " max_latency_ms: 60000, rate: {per_second: 50}}"
        for name in KEYED
    ]
    others = (name for name in load_registry() if name not in {*KEYED, "library"})
    spills = json.dumps([sys.executable, "-c", SPILLS])
    mcp = (
        f"team_search:\n  type: mcp\n  url: {origin}/mcp\n  tool: search\n  api_key: team\n"
        '  max_latency_ms: 60000\n  headers: {X-Team: "{team}"}\n'
        f"papers:\n  type: mcp\n  command: {spills}\n  tool: search\n  max_latency_ms: 60000\n"
        '  env: {PAPERS_TOKEN: "{papers}"}\n'
    )
    return "\n".join([*served, *(f"{name}: {{{off}}}" for name in others), mcp])


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as server:
        server.fallback = echo
        yield server


@pytest.fixture
def lacuna(tmp_path: Path, server: HttpServer) -> Planted:
    vault, library = tmp_path / "vault", tmp_path / "library"
    for folder, name, text in ((vault, "Sourdough.md", NOTE), (library, "staling.md", REPORTED)):
        folder.mkdir()
        (folder / name).write_text(text)
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    (credentials / "papers").write_text(key("papers"))
    settings = {
        "library.folder": str(library),
        "weekly.enabled": False,
        "network.allow_origins": [server.origin],
        "secrets.store": "file",
        "notifications.desktop": False,
        "notifications.ntfy": f"{server.origin}/ntfy/topic",
        "notifications.webhook": f"{server.origin}/webhook",
    }
    made = Planted(vault, tmp_path / "home", settings, sources(server.origin), WITHOUT_MODEL)
    for name in ("ntfy", "webhook"):
        assert made.call("secrets", "set", name, text=key(name)).returncode == 0
    return made


def spelled() -> list[bytes]:
    """Every key as Basic authorisation would hide it, and what all others have in common."""
    names = {*KEYED.values(), "team", "papers", "ntfy", "webhook", "passphrase"}
    hidden = [b64encode(f"{user}{key(name)}".encode()) for name in names for user in ("", ":")]
    return [MARK.encode(), *(text.rstrip(b"=")[:-2] for text in hidden)]


def written(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file below a folder, but for the credentials, which are where keys are to be."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "credentials" not in path.parts:
            yield str(path), path.read_bytes()
            if path.name.endswith(".tar.gz"):
                with tarfile.open(path) as tar:
                    for member in tar:
                        content = tar.extractfile(member)
                        assert content is not None
                        yield f"{path}: {member.name}", content.read()


def asked_at(server: HttpServer, mark: str = "") -> set[str]:
    """Where the server was asked so far, as far as `mark` was in what was asked."""
    return {asked.path.split("/")[1] for asked in list(server.asked) if mark in str(asked)}


@pytest.mark.long(20)
def test_no_key_leaks_through_a_command_run_log_note_or_process(
    lacuna: Planted, server: HttpServer, tmp_path: Path
) -> None:
    asked_by_all = ["--depth", "deep", *(word for name in KEYED for word in ("--source", name))]
    commands = [
        ["doctor"],
        ["sources", "test"],
        ["research", QUESTION, "--json", *asked_by_all, "--source", "library"],
        ["backup", str(tmp_path / "backup.tar.gz")],
    ]
    reported: dict[str, bytes] = {}
    with watched_processes() as shown:
        for words in commands:
            done = lacuna.call(*words)
            reported[" ".join(words)] = f"{done.stdout}{done.stderr}".encode()
        with_daemon = lacuna.start("run")
        with_daemon.wait_until(lambda: held_by(lacuna.state / "daemon.lock"), "the daemon")
        done = lacuna.call("research", f"{QUESTION} again", "--json", *asked_by_all)
        reported["research by the daemon"] = f"{done.stdout}{done.stderr}".encode()
        with_daemon.wait_until(lambda: {"ntfy", "webhook"} <= asked_at(server), "both notices")
        reported["the daemon's end"] = str(with_daemon.stop()).encode()
    sent = {"ntfy", *KEYED, "mcp"}
    assert sent <= asked_at(server, MARK), "a key that was never sent cannot have leaked"
    assert "papers" in reported["sources test"].decode()
    for form in spelled():
        for place, data in [*reported.items(), *written(tmp_path)]:
            assert form not in data, (place, data[max(0, data.find(form) - 200) :][:400])
    assert shown == set()
