"""What the real daemon tells systemd, and how it reloads its settings."""

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.fakes.cli import NOTES, lay_out
from tests.fakes.named import named
from tests.fakes.process import PATIENCE, ROOT, Lacuna, Running

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]
PING_SECONDS = 0.2


@dataclass
class Systemd:
    """The socket on which a service manager listens, and all that it received."""

    socket: socket.socket
    reported: list[str] = field(default_factory=list)

    def receives(self, beginning: str) -> str:
        """Wait for a new message that begins so."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self.reported.append(self.socket.recv(4096).decode())
            if self.reported[-1].startswith(beginning):
                return self.reported[-1]
        raise AssertionError(f"{beginning} was never sent: {self.reported}")

    def stays_silent_for(self, seconds: float) -> bool:
        """Discard earlier messages; return whether no other comes."""
        self.socket.settimeout(seconds)
        deadline = time.monotonic() + PATIENCE
        try:
            while time.monotonic() < deadline:
                self.socket.recv(4096)
        except TimeoutError:
            return True
        return False


@pytest.fixture
def lacuna(tmp_path: Path) -> Lacuna:
    vault = lay_out(tmp_path / "vault", NOTES)
    program = (sys.executable, "-m", "tests.fakes.without_model")
    settings = {"weekly.enabled": False, "index.debounce_seconds": 0.1}
    return Lacuna(vault, tmp_path / "home", settings, program=program)


@pytest.fixture
def systemd(lacuna: Lacuna) -> Iterator[Systemd]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(lacuna.home / "notify"))
        listening.settimeout(PATIENCE)
        yield Systemd(listening)


@pytest.fixture
def daemon(lacuna: Lacuna, systemd: Systemd) -> Iterator[Running]:
    running = start(lacuna)
    systemd.receives("READY=1")
    yield running
    running.kill()


def start(lacuna: Lacuna) -> Running:
    """As systemd starts it: with a socket to tell it, and a watchdog."""
    log = lacuna.home / "run.log"
    with log.open("ab") as file:
        process = subprocess.Popen(
            lacuna.arguments("run"),
            env={
                **lacuna.environment,
                "NOTIFY_SOCKET": str(lacuna.home / "notify"),
                "WATCHDOG_USEC": str(int(PING_SECONDS * 2_000_000)),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
            start_new_session=True,
        )
    return Running(process, log, 0)


def test_the_watchdog_is_notified_while_the_loop_makes_progress(
    systemd: Systemd, daemon: Running
) -> None:
    for _ in range(3):
        systemd.receives("WATCHDOG=1")
    assert "STATUS=indexing" in systemd.reported
    assert daemon.stop() == 0
    systemd.receives("STOPPING=1")


def test_a_stuck_loop_stops_notifying_the_watchdog(lacuna: Lacuna, systemd: Systemd) -> None:
    """With threads of its own that go on: it is the loop that has to."""
    lacuna.program = (sys.executable, "-m", "tests.fakes.stuck")
    daemon = start(lacuna)
    try:
        systemd.receives("WATCHDOG=1")
        daemon.wait_until((lacuna.state / "stuck").exists, "a loop that is stuck")
        assert systemd.stays_silent_for(PING_SECONDS * 10)
        assert daemon.process.poll() is None
    finally:
        daemon.kill()


def test_a_changed_setting_takes_effect_at_once_and_is_logged_by_its_key(
    lacuna: Lacuna, systemd: Systemd, daemon: Running
) -> None:
    change(lacuna, research__max_findings=2)
    daemon.process.send_signal(signal.SIGHUP)
    reported = systemd.receives("RELOADING=1")
    (microseconds,) = [line for line in reported.splitlines() if line.startswith("MONOTONIC_USEC=")]
    assert int(microseconds.partition("=")[2]) <= time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1000
    systemd.receives("READY=1")
    assert "settings reloaded: research.max_findings: 5 → 2" in daemon.logged()
    assert daemon.stop() == 0
    assert sum(line == "STOPPING=1" for line in systemd.reported) == 0  # not for another loop


def test_a_setting_that_needs_a_restart_is_reported_and_kept(
    lacuna: Lacuna, systemd: Systemd, daemon: Running
) -> None:
    change(lacuna, inbox__folder="Elsewhere")
    daemon.process.send_signal(signal.SIGHUP)
    systemd.receives("RELOADING=1")
    systemd.receives("READY=1")
    assert "inbox.folder: Inbox/Research → Elsewhere: applies when the daemon is restarted" in (
        daemon.logged()
    )
    assert daemon.stop() == 0


def test_an_invalid_settings_file_changes_nothing_and_status_reports_it_until_fixed(
    lacuna: Lacuna, systemd: Systemd, daemon: Running
) -> None:
    good = lacuna.config.read_text()
    lacuna.config.write_text("research.max_findings = many\n")
    daemon.process.send_signal(signal.SIGHUP)
    systemd.receives("RELOADING=1")
    systemd.receives("READY=1")
    assert "reload failed; keeping the current settings" in daemon.logged()
    daemon.wait_until(lambda: "not valid TOML" in heartbeat(lacuna), "the heartbeat")
    lacuna.config.write_text(good)
    assert "reload failed; keeping the current settings" in lacuna.call("status").stdout
    daemon.process.send_signal(signal.SIGHUP)
    systemd.receives("RELOADING=1")
    systemd.receives("READY=1")
    daemon.wait_until(lambda: not heartbeat(lacuna), "all well again")
    assert daemon.stop() == 0


def test_a_source_disabled_on_reload_is_named(
    lacuna: Lacuna, systemd: Systemd, daemon: Running
) -> None:
    sources = lacuna.config.with_name("sources.yaml")
    sources.write_text(sources.read_text().replace("arxiv: {enabled: false}", ""))
    daemon.process.send_signal(signal.SIGHUP)
    systemd.receives("RELOADING=1")
    systemd.receives("READY=1")
    assert "settings reloaded: source arxiv: changed enabled" in daemon.logged()
    assert "settings reloaded: source arxiv: on now" in daemon.logged()
    assert daemon.stop() == 0


def test_in_the_foreground_the_guard_forwards_the_signal(lacuna: Lacuna) -> None:
    daemon = lacuna.start("run")
    try:
        daemon.wait_until((lacuna.state / "daemon.json").exists, "its first rest")
        change(lacuna, research__max_findings=2)
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_until(
            lambda: "research.max_findings: 5 → 2" in daemon.logged(), "the new settings"
        )
        assert daemon.stop() == 0
    finally:
        daemon.kill()


IN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_closing_the_terminal_stops_the_daemon(lacuna: Lacuna) -> None:
    log = lacuna.home / "run.log"
    terminal, inside = pty.openpty()
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-c", IN_TERMINAL, *lacuna.arguments("run")],
            env=lacuna.environment,
            cwd=ROOT,
            stdin=inside,
            stdout=inside,
            stderr=file,
            start_new_session=True,
        )
    os.close(inside)
    daemon = Running(process, log, 0)
    try:
        daemon.wait_until((lacuna.state / "daemon.json").exists, "its first rest")
        os.close(terminal)
        assert process.wait(PATIENCE) == 0
        assert "stopped" in daemon.logged()
    finally:
        daemon.kill()


def change(lacuna: Lacuna, **settings: object) -> None:
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in named(settings).items())
    lacuna.config.write_text(f"{lacuna.config.read_text()}\n{lines}")


def heartbeat(lacuna: Lacuna) -> str:
    """What the daemon said last of reading its settings; `?` before it said anything."""
    file = lacuna.state / "daemon.json"
    return str(json.loads(file.read_text())["not_reloaded"]) if file.exists() else "?"
