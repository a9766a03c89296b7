"""`lacuna status`: what is being done now, and `--follow`, which goes on with it."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest

from daemon.app import App
from daemon.composition import open_app
from daemon.config import load_settings
from daemon.host.socket_server import Server
from daemon.host.streams import Stream, Streams
from daemon.model.clock import now
from daemon.model.request import MAX_ATTEMPTS
from tests.fakes.cli import Cli


@contextmanager
def running(ready: Cli) -> Iterator[App]:
    """Be the daemon of the vault."""
    app = open_app(load_settings(ready.config, flags={}), config=ready.config)
    with closing(app), app.lock("lacuna run"):
        server = Server(app)
        server.start()
        try:
            yield app
        finally:
            server.stop()


def test_status_shows_what_is_done_how_far_and_how_long_still(ready: Cli) -> None:
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


def test_status_shows_commands_that_wait_and_those_that_were_given_up(ready: Cli) -> None:
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


def test_follow_shows_each_event_until_the_daemon_ends(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_followed, of_vault = threading.Event(), Streams.of_vault

    def followed(streams: Streams, after: int) -> Stream:
        is_followed.set()
        return of_vault(streams, after)

    def work(app: App) -> None:
        assert is_followed.wait(60)
        with app.report.of_run("r-1").step("research", "Bread"):
            app.report.source_answered(source="arxiv", status="ok", results=3, asked="q")
        app.events.close()

    monkeypatch.setattr(Streams, "of_vault", followed)
    with running(ready) as app:
        worker = threading.Thread(target=work, args=(app,))
        worker.start()
        done = ready("status", "--follow")
        worker.join()
    lines = done.err.splitlines()
    assert lines[:2] == ["research: Bread", "arxiv: ok, 3 results for q"]
    assert lines[2].startswith("research: done in ")
    assert lines[-1].startswith("lacuna: the daemon has ended")
    assert "no daemon runs for this vault" in ready("status", "--follow").err
    assert "leave out --all" in ready("status", "--follow", "--all").err
