"""`lacuna status`: what is being done now, and `--follow`, which goes on with it."""

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rich.console import Console

from daemon.app import App
from daemon.cli import status
from daemon.cli.follow import FollowTable, follow_table, table_of
from daemon.cli.options import Options
from daemon.composition import open_app
from daemon.config import load_settings
from daemon.host.socket_server import Server
from daemon.host.streams import Stream, Streams
from daemon.model.clock import now
from daemon.model.event import StepComplete, StepProgress, StepStart, StreamToken
from daemon.model.request import MAX_ATTEMPTS
from daemon.usecases import activities
from tests.fakes.cli import Cli

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@contextmanager
def running(ready: Cli) -> Iterator[App]:
    """Be the daemon of the vault."""
    with served(ready, is_locked=True) as app:
        yield app


@contextmanager
def served(ready: Cli, *, is_locked: bool = False) -> Iterator[App]:
    """Answer on the socket of the vault."""
    app = open_app(load_settings(ready.config, flags={}), config=ready.config)
    with closing(app), app.lock("lacuna run") if is_locked else nullcontext():
        server = Server(app)
        server.start()
        try:
            yield app
        finally:
            server.stop()


def test_status_shows_active_steps_with_progress_and_time_left(ready: Cli) -> None:
    with running(ready) as app:
        report = app.report
        report.progress(0, 4000, "embedding")
        report.progress(1000, 4000, "embedding")
        with report.of_run("r-1").step("research", "Bread"):
            found = ready("status", "--json").json["activities"]
            out = ready("status").out
        assert [(each["step"], each["done"], each["total"]) for each in found] == [
            ("embedding", 0, 4000),
            ("research", None, None),
        ]
        assert found[1]["run"] == "r-1"
        assert "doing    embedding 0 of 4000\n         research: Bread\n" in out
        report.end_counted()
        assert ready("status", "--json").json["activities"] == []
    assert ready("status", "--json").json["activities"] == []


def test_status_shows_waiting_and_abandoned_commands(ready: Cli) -> None:
    with running(ready) as app:
        requests = app.stores.requests
        requests.ask("index", {}, now=now() - timedelta(hours=1))
        for _ in range(MAX_ATTEMPTS):
            requests.take(now=now())
            app.db.execute("UPDATE requests SET owner = 'one that was killed'")
            requests.requeue(now=now())
        requests.ask("research", {}, now=now())
        out = ready("status").out
        states = [each["state"] for each in ready("status", "--json").json["commands"]]
    assert states == ["failed", "new"]
    assert "was given up after 5 attempts" in out
    assert ": waits\n" in out


def test_follow_shows_each_event_across_a_reload_until_the_daemon_stops(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed, of_vault = [threading.Event(), threading.Event()], Streams.of_vault
    afters: list[int] = []

    def of_vault_seen(streams: Streams, after: int) -> Stream:
        followed[len(afters)].set()
        afters.append(after)
        return of_vault(streams, after)

    def work() -> None:
        with running(ready) as app:
            is_running.set()
            assert followed[0].wait(60)
            app.report.of_run("r-1").source_answered(
                source="arxiv", status="ok", results=3, asked="q"
            )
            app.events.close()  # as a reload does; another App continues
            with served(ready) as reloaded:
                assert followed[1].wait(60)
                with reloaded.report.of_run("r-1").step("research", "Bread"):
                    reloaded.report.handoff("reader", "writer", "1 of 1")
                reloaded.events.close()

    monkeypatch.setattr(Streams, "of_vault", of_vault_seen)
    monkeypatch.setattr(activities, "_RESTARTING", 0.0)
    is_running = threading.Event()
    worker = threading.Thread(target=work)
    worker.start()
    assert is_running.wait(60)
    done = ready("status", "--follow")
    worker.join()
    lines = done.err.splitlines()
    assert lines[:3] == [
        "arxiv: ok, 3 results for q",
        "research: Bread",
        "reader → writer: 1 of 1",
    ]
    assert lines[3].startswith("research: done in ")
    assert lines[-1] == "lacuna: the daemon has stopped"
    assert afters[1] == afters[0] + 1
    assert "no daemon runs for this vault" in ready("status", "--follow").err
    assert "leave out --all" in ready("status", "--follow", "--all").err


def test_the_table_shows_steps_text_and_time_left_and_is_redrawn_in_place() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100, color_system=None)
    with follow_table(console) as table:
        for event in (
            StepStart(at=NOW, pid=1, step="gather", plan=("arxiv: bread",)),
            StepProgress(at=NOW, pid=1, step="gather", done=3, total=9, what="A page\x1b[31m"),
            StreamToken(at=NOW, pid=1, answer="f-1", text="Bread goes stale"),
        ):
            table.show(event)
        shown = text_of(table_of(table._board))
        table.show(StepComplete(at=NOW, pid=1, step="gather", seconds=2))
        assert "nothing to do" in text_of(table_of(table._board))
    assert "3 of 9" in shown
    assert "A page[31m" in shown
    assert "…Bread goes stale" in shown
    assert "gather: done in 2.0 s" in out.getvalue()
    assert "\x1b[2J" not in out.getvalue()  # never cleared as a whole


def text_of(table: Any) -> str:
    out = io.StringIO()
    Console(file=out, width=100).print(table)
    return out.getvalue()


@pytest.mark.parametrize("has_rich", [True, False])
def test_a_terminal_shows_a_table_or_without_rich_lines_with_bars(
    monkeypatch: pytest.MonkeyPatch, *, has_rich: bool
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(status, "find_spec", lambda _: NOW if has_rich else None)
    with status._shown_by(Options()) as show:
        assert (type(getattr(show, "__self__", None)) is FollowTable) == has_rich
        show(StepStart(at=NOW, pid=1, step="index", what="the vault"))
    assert "index" in terminal.getvalue()
