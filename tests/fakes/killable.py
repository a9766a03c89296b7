"""The whole path without a model, in a process that can be killed at any point that leaves a trace.

Each start is a process of its own, forked from one that has everything imported and has played a
scene (see `played_once`), so that hundreds of them take little time. What is faked is the embedding
model, the extractor and the clock.
"""

import json
import logging
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import daemon.app
import daemon.composition
import daemon.index.embedding
import daemon.index.sync
import vault_adapters.writer
from daemon.app import App
from daemon.cli import session
from daemon.cli.options import Options
from daemon.composition import open_app
from daemon.config import Settings, settings_from
from daemon.host.loop import Host
from daemon.model.errors import CorruptStoreError
from daemon.usecases import opening, writer
from daemon.usecases.commands import COMMANDS
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.extractor import FakeExtractor
from tests.fakes.only_library import ONLY_LIBRARY

BEGINNING = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
TURNS = 4
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.fakes.played_once"])
_PATIENCE = 600.0


@dataclass(frozen=True)
class Place:
    """A vault with its state; `starts` is how often it was started, which moves the clock on.

    What is started is the daemon, or a command: the kind of a request and its body. To the daemon
    `events` happen one after the other, each a program with its arguments; minutes pass after each.
    """

    vault: Path
    home: Path
    library: Path
    starts: int = 0
    command: tuple[str, dict[str, Any]] | None = None
    events: tuple[tuple[str, ...], ...] = ()
    model: str = "fake"
    sources: str = ONLY_LIBRARY
    is_corrupt: bool = False  # it is said aloud that the database was mended

    @property
    def state(self) -> Path:
        return self.home / "state"

    @property
    def now(self) -> datetime:
        return BEGINNING + timedelta(minutes=self.starts)

    @property
    def settings(self) -> Settings:
        return settings_from(
            {
                "vault": self.vault,
                "library.folder": self.library,
                "weekly.enabled": False,
                "agenda.tagged_veto_seconds": 0,
                "inbox.delete_grace_hours": 0,
                # The note of a machine counts heartbeats, which differ with each kill.
                "machines.allow_others": False,
            }
        )


@dataclass(frozen=True)
class Ended:
    """How one start ended: the points it passed, its errors in the log, and its wall time."""

    killed: bool
    points: int = 0
    errors: tuple[str, ...] = ()
    seconds: float = 0.0


def start(
    place: Place, *, at: int = 0, after: float = 0.0, mend: bool = False
) -> tuple[Place, Ended]:
    """Start on `place`, to be killed before its point number `at`, or `after` seconds, or not.

    With `mend` a database that proves corrupt at work is opened once more, as `lacuna` does it.
    Returns the place as the next start finds it.
    """
    reported = place.home / "told.json"
    reported.unlink(missing_ok=True)
    process = FORKS.Process(target=_work, args=(place, at, reported, mend))
    began = time.monotonic()
    process.start()
    if after:
        time.sleep(after)  # the very thing that is tested: a kill at a random time
        process.kill()
    process.join(_PATIENCE)
    if process.exitcode is None:
        process.kill()
        raise AssertionError("a start never came to its end")
    next_place = replace(place, starts=place.starts + 1 + 2 * len(place.events), events=())
    if process.exitcode == -signal.SIGKILL:
        return next_place, Ended(killed=True)
    assert process.exitcode == 0, f"exit {process.exitcode}"
    body: dict[str, Any] = json.loads(reported.read_text())
    seconds = time.monotonic() - began
    return next_place, Ended(False, body["points"], tuple(body["errors"]), seconds)


def opened(place: Place) -> App:
    """Open the real App with what is faked in its place."""
    app: Any = daemon.composition
    app.ChildEmbedder = lambda *_, **__: FakeEmbedder(place.model)
    app._reranker = lambda *_: None
    app.ChildExtractor = FakeExtractor
    config = place.home / "config.toml"
    config.with_name("sources.yaml").write_text(place.sources)
    return open_app(place.settings, state=place.state, config=config)


def _work(place: Place, at: int, reported: Path, mend: bool) -> None:
    os.environ["TZ"] = "UTC"
    daemon.index.sync._NOTES_A_BATCH = 3
    daemon.index.embedding._TEXTS_A_BATCH = 4
    errors = _Errors()
    logging.getLogger().addHandler(errors)
    points = Points(at)
    points.arm()
    try:
        play(place)
    except CorruptStoreError:
        if not mend:
            raise
        play(place)
    points.at = 0
    reported.write_text(json.dumps({"points": points.passed, "errors": errors.lines}))


def play(place: Place) -> None:
    """Do in this process what is started on `place`: the daemon, or a command."""
    if place.command is None:
        _run(place)
    else:
        _call(place, *place.command)


def _run(place: Place) -> None:
    """Do what `lacuna run` does, for as many turns as there can be something to do."""
    app = opened(place)
    clock = [place.now]
    with closing(app), app.lock("lacuna run"):
        host = Host(app, lambda: clock[0])
        app.stores.requests.requeue(now=clock[0])
        _turn(host)
        for event in place.events:
            subprocess.run(event, check=True)
            clock[0] += timedelta(minutes=2)
            _turn(host)


def _turn(host: Host) -> None:
    for _ in range(TURNS):
        host._due.sync = True  # as if something in the vault had changed
        host._turn()


def _call(place: Place, kind: str, body: dict[str, Any]) -> None:
    """Do what a command does that writes while no daemon runs."""
    app: Any = daemon.app
    writing: Any = writer
    opens: Any = opening
    composition: Any = daemon.composition
    app.now = composition.now = writing.now = lambda: place.now
    opens.open_app = lambda *_, **__: opened(place)
    command = COMMANDS[kind]
    request = command.request.model_validate(body)
    session.ask(Options(vault=place.vault, state=place.state, json=True), command, request)


class _Errors(logging.Handler):
    """Keeps what is logged as an error or worse."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


class Points:
    """Counts whatever leaves a trace on the disk, and kills before number `at`."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.passed = 0

    def arm(self) -> None:
        sys.addaudithook(self._on_event)
        os.fsync = self._counted(os.fsync)
        sqlite3.connect = self._traced(sqlite3.connect)
        writer: Any = vault_adapters.writer
        writer._rename_exclusive = self._counted(writer._rename_exclusive)

    def _pass(self) -> None:
        self.passed += 1
        if self.passed == self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any) -> Any:
            self._pass()
            return function(*args)

        return counted

    def _traced(self, connect: Callable[..., sqlite3.Connection]) -> Callable[..., Any]:
        def traced(*args: Any, **kwargs: Any) -> sqlite3.Connection:
            connection = connect(*args, **kwargs)
            connection.set_trace_callback(lambda sql: self._on_sql(connection, sql))
            return connection

        return traced

    def _on_event(self, event: str, args: tuple[Any, ...]) -> None:
        if event in ("os.rename", "os.link", "os.remove", "os.mkdir", "os.truncate") or (
            event == "open" and (args[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        ):
            self._pass()

    def _on_sql(self, connection: Any, sql: str) -> None:
        word = sql.lstrip().partition(" ")[0].upper()
        is_write = word in ("INSERT", "UPDATE", "DELETE", "REPLACE")
        if word == "COMMIT" or (is_write and not connection.in_transaction):
            self._pass()
