"""The guard, in processes of its own: it forks, and ends as its child does."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from daemon.confinement import guard as guard_module
from tests.fakes.process import PATIENCE, Running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock's guard is Linux's")

BEGIN = """
import os, signal, sys, time
from pathlib import Path
from daemon.confinement.guard import RENEW, guard
here = Path(sys.argv[1])
guard()
with (here / "begun").open("a") as file:
    file.write(f"{os.getpid()}\\n")
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Running]]:
    running = []

    def start(then: str) -> Running:
        log = tmp_path / "log"
        with log.open("wb") as file:
            command = [sys.executable, "-c", BEGIN + then, str(tmp_path)]
            process = subprocess.Popen(command, stderr=file, start_new_session=True)
        running.append(Running(process, log, 0))
        return running[-1]

    yield start
    for each in running:
        each.kill()


def begun(tmp_path: Path) -> list[int]:
    file = tmp_path / "begun"
    return [int(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_a_child_that_asks_for_it_is_restarted_and_its_end_is_the_guard_s(
    start: Callable[[str], Running], tmp_path: Path
) -> None:
    guard = start("sys.exit(7 if (here / 'begun').read_text().count('\\n') == 2 else RENEW)")
    assert guard.process.wait(PATIENCE) == 7
    first, second = begun(tmp_path)
    assert len({first, second, guard.process.pid}) == 3


def test_a_signal_to_the_guard_is_its_child_s(
    start: Callable[[str], Running], tmp_path: Path
) -> None:
    guard = start(
        "got = []\n"
        "for number in (signal.SIGHUP, signal.SIGTERM):\n"
        "    signal.signal(number, lambda number, _: got.append(number))\n"
        "(here / 'listens').touch()\n"
        "while signal.SIGTERM not in got:\n"
        "    time.sleep(0.01)\n"
        "sys.exit(10 + len(got))"
    )
    guard.wait_until((tmp_path / "listens").exists, "a child that listens")
    guard.process.send_signal(signal.SIGHUP)
    guard.process.send_signal(signal.SIGTERM)
    assert guard.process.wait(PATIENCE) in (11, 12)  # in either order, and the first may be alone


def test_what_kills_the_child_is_seen_of_the_guard(start: Callable[[str], Running]) -> None:
    guard = start("os.kill(os.getpid(), signal.SIGKILL)")
    assert guard.process.wait(PATIENCE) == -signal.SIGKILL


def test_no_child_outlives_a_guard_that_was_killed(
    start: Callable[[str], Running], tmp_path: Path
) -> None:
    guard = start("signal.pause()")
    (child,) = guard.wait_until(lambda: begun(tmp_path), "the child")
    guard.process.kill()
    assert guard.process.wait(PATIENCE) == -signal.SIGKILL
    watched = Running(subprocess.Popen(["sleep", str(PATIENCE)]), guard.log, 0)
    try:
        watched.wait_until(lambda: is_gone(child), "the child's end")
    finally:
        watched.process.kill()
        watched.process.wait()


def is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


def test_a_guard_leaves_no_zombie_behind(start: Callable[[str], Running], tmp_path: Path) -> None:
    guard = start("sys.exit(0)")
    assert guard.process.wait(PATIENCE) == 0
    (child,) = begun(tmp_path)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_process_that_keeps_ending_at_once_is_started_again_ever_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rests: list[float] = []
    ends = iter([guard_module.RENEW << 8] * 9 + [0])

    def rest(_signals: object, seconds: float) -> None:
        rests.append(seconds)

    monkeypatch.setattr("os.fork", lambda: 12345)
    monkeypatch.setattr("time.monotonic", lambda: 0.0)
    monkeypatch.setattr("signal.sigtimedwait", rest)
    monkeypatch.setattr("signal.pthread_sigmask", lambda *_: set())
    monkeypatch.setattr(guard_module, "_supervise", lambda _child: next(ends))
    with pytest.raises(SystemExit):
        guard_module.guard()
    assert rests == [0, 1, 2, 4, 8, 16, 32, 60, 60]
