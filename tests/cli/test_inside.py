"""What `lacuna status` shows of the inside of a daemon that runs."""

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from daemon.store.db import Database
from daemon.store.heartbeat import Heartbeat, beat
from daemon.store.lock import WriterLock
from daemon.store.requests import RequestStore
from daemon.store.troubles import TroubleStore
from tests.fakes.cli import Cli

AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def state_of(ready: Cli) -> Path:
    return Path(ready("status", "--json").json["state"])


def test_status_shows_the_memory_of_the_daemon_and_the_last_reload(ready: Cli) -> None:
    state = state_of(ready)
    sign = Heartbeat(
        AT,
        watching=True,
        polling="",
        doing="researching Bread",
        memory=71_400_000,
        children=2,
        children_memory=412_000_000,
        reloaded_at=AT,
    )
    beat(state, sign)
    assert ready("status", "--json").json["heartbeat"] is None
    with WriterLock(state / "daemon.lock", holder="lacuna run"):
        found, reported = ready("status", "--json").json, ready("status").out
    heartbeat = found["heartbeat"]
    assert heartbeat["beat_at"] == heartbeat["reloaded_at"] == "2026-11-21T09:30:00+00:00"
    assert (heartbeat["memory"], heartbeat["children_memory"]) == (71_400_000, 412_000_000)
    assert "researching Bread; last heartbeat" in reported
    assert "71 MB of memory, and 412 MB in 2 child processes" in reported
    assert "settings were reloaded" in reported


def test_status_lists_problems_with_their_count_and_whether_they_are_over(ready: Cli) -> None:
    state = state_of(ready)
    database = Database(state / "lacuna.db")
    troubles = TroubleStore(database)
    for minutes in range(3):
        troubles.add("sync", "the vault is gone", AT + timedelta(minutes=minutes))
    troubles.over("sync", AT + timedelta(hours=1))
    troubles.add("run a-1", "no model", AT + timedelta(hours=2))
    database.close()
    newest, older = ready("status", "--json").json["troubles"]
    assert (newest["part"], newest["times"], newest["over_at"]) == ("run a-1", 1, None)
    assert (older["times"], older["over_at"]) == (3, "2026-11-21T10:30:00+00:00")
    lines = [line for line in ready("status").out.splitlines() if "the vault is gone" in line]
    assert lines[0].endswith("(3 times), over since: sync: the vault is gone")


def test_every_command_reports_a_suspended_daemon_at_once(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready("index")
    state = Path(ready("status", "--json").json["state"])
    script = "import os, signal, sys; os.kill(os.getpid(), signal.SIGSTOP)"
    with subprocess.Popen([sys.executable, "-c", script]) as stopped:
        os.waitid(os.P_PID, stopped.pid, os.WSTOPPED | os.WNOWAIT)
        try:
            with WriterLock(state / "daemon.lock", holder="lacuna run") as lock:
                assert lock._file is not None
                os.ftruncate(lock._file, 0)
                os.pwrite(lock._file, f"lacuna run {stopped.pid}".encode(), 0)
                reported = f"the daemon (pid {stopped.pid}) is stopped"
                for command in (("index",), ("topics", "never", "Bees")):
                    assert ready(*command).complaint.startswith(reported), command
                assert reported in ready("health").err
                assert reported in ready("status").out
                monkeypatch.setattr("daemon.cli._invoke", lambda: None)  # before it is loaded
                assert ready("graph", "--json").err.startswith(f"lacuna: {reported}")
        finally:
            stopped.kill()


def test_a_daemon_without_a_heartbeat_is_named_and_the_request_is_withdrawn(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.usecases.writer.PATIENCE", 0.1)
    ready("index")
    state = Path(ready("status", "--json").json["state"])
    with WriterLock(state / "daemon.lock", holder="lacuna run"):
        beat(state, Heartbeat(datetime.now(UTC) - timedelta(hours=1), True, "", "watching"))
        reported = ready("topics", "never", "Bees").complaint
        assert "has given no heartbeat since" in reported
        db = Database(state / "lacuna.db")
        assert RequestStore(db).unanswered() == []
        db.close()


def test_a_full_disk_is_reported_at_once(ready: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    ready("index")
    full = SimpleNamespace(total=10**9, used=10**9, free=3_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: full)
    assert "disk     full: only 3 MB free in" in ready("status").out
    assert ready("status", "--json").json["disk_free_mb"] == 3
