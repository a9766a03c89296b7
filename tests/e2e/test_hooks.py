"""Hooks and notices beside a daemon that runs: confined like it, fed by it, ended with it."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.confinement import landlock
from tests.fakes.http_server import HttpServer, Reply, serving
from tests.fakes.process import WITHOUT_MODEL, Lacuna

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

QUESTION = "why does bread go stale in the fridge"
STALING = (
    "# Why bread goes stale\n\nStaling is not drying. Bread goes stale because starch in its crumb"
    " turns back into crystals. Staling is fastest a little above freezing, so that bread in the"
    " fridge goes stale sooner than bread on the counter.\n"
)


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as found:
        found.fallback = Reply(b"{}", 200, "application/json")
        yield found


@pytest.fixture
def lacuna(tmp_path: Path, server: HttpServer) -> Lacuna:
    for name, text in (
        ("vault/Bread.md", "# Bread\n\nCrumb and crust.\n"),
        ("to read/a.md", STALING),
    ):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    settings = {
        "library.folder": str(tmp_path / "to read"),
        "index.debounce_seconds": 0.2,
        "agenda.tagged_veto_seconds": 0.1,
        "weekly.enabled": False,
        "hooks.timeout_seconds": 600,
        "notifications.ntfy": f"{server.origin}/topic",
    }
    return Lacuna(tmp_path / "vault", tmp_path / "home", settings, program=WITHOUT_MODEL)


def hook(lacuna: Lacuna, event: str, script: str) -> None:
    path = lacuna.home / "hook.py"
    path.write_text(f"import json, os, pathlib, sys, time\n{script}")
    command = json.dumps([sys.executable, str(path)])
    lacuna.config.write_text(f"{lacuna.config.read_text()}\nhooks.{event} = {command}\n")


def tag(lacuna: Lacuna) -> None:
    (lacuna.vault / "Bread.md").write_text(f"---\nresearch: {QUESTION}\n---\n# Bread\n\nCrumb.\n")


@pytest.mark.skipif(landlock.version() < landlock.MIN_VERSION, reason="the kernel has no Landlock")
def test_a_hook_can_write_only_where_the_daemon_can_and_receives_the_run(
    lacuna: Lacuna, server: HttpServer
) -> None:
    places = [str(lacuna.vault / "hooked.md"), str(lacuna.home / "hooked"), "hooked"]
    script = (
        "def tried(place):\n"
        "    try: pathlib.Path(place).write_text('x')\n"
        "    except OSError as error: return type(error).__name__\n"
        "    return 'written'\n"
        f"print(json.dumps({{'note': ' '.join(map(tried, {places!r}))}}))\n"
    )
    hook(lacuna, "post_extract", script)
    daemon = lacuna.start("run")
    try:
        daemon.wait_until(lambda: "watching" in daemon.logged(), "the daemon")
        tag(lacuna)
        daemon.wait_until(lambda: server.asked, "the notice of the run's end")
        notes = list((lacuna.vault / "Inbox" / "Research").glob("*.md"))
        findings = [text for note in notes if "type: finding" in (text := note.read_text())]
        reported = "your hook hook.py says: PermissionError PermissionError written"
        assert findings
        assert all(reported in finding for finding in findings)
        assert (lacuna.state / "hooked").is_file()
        [asked] = server.asked
        assert json.loads(asked.body)["title"].endswith(" to review")
        assert QUESTION not in asked.body.decode()
        assert lacuna.json("status")["heartbeat"]["memory"] > 1_000_000
    finally:
        daemon.kill()


def test_a_daemon_that_is_stopped_ends_the_hook_it_waits_for(lacuna: Lacuna) -> None:
    pid = lacuna.state / "pid"
    script = (
        "pathlib.Path('new').write_text(str(os.getpid()))\n"
        "pathlib.Path('new').rename('pid')\n"
        "time.sleep(600)\n"
    )
    hook(lacuna, "post_discover", script)
    daemon = lacuna.start("run")
    try:
        daemon.wait_until(lambda: "watching" in daemon.logged(), "the daemon")
        tag(lacuna)
        daemon.wait_until(pid.exists, "the hook")
        assert daemon.stop() == 0
    finally:
        daemon.kill()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
