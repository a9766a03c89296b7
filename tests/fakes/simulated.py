"""The real App and run loop under a clock, a zone and surroundings that are given to them.

A session is a process of its own, forked as in `killable`, and may be killed at any of its points.
"""

import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_FSIZE, setrlimit
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import daemon.store.db
import daemon.store.migrations
from daemon.config import Settings, settings_from
from daemon.host.loop import Host
from scheduler.conditions import Network, Surroundings
from tests.fakes.conditions import with_conditions
from tests.fakes.killable import FORKS, Place, Points, opened

TURNS = 6  # after which nothing is left to do at a moment
_PATIENCE = 300.0
_POINTS = "points"  # the file that says how many a session had
_NEW_TABLE = "CREATE TABLE of_a_later_version (id INTEGER PRIMARY KEY);"

Act = Callable[[Path, datetime], None]


@dataclass(frozen=True)
class Step:
    """A moment that the machine is awake at, and how it is there."""

    at: datetime
    zone: str
    act: Act | None = None  # what the user does in the vault just before
    network: Network = Network.FREE
    has_room: bool = True


@dataclass(frozen=True)
class Machine(Place):
    """A place with the schedules of a year; `is_upgraded` when its Lacuna is a later one."""

    schedules: dict[str, Any] = field(default_factory=dict)
    is_upgraded: bool = False

    @property
    def settings(self) -> Settings:
        return settings_from(
            {
                "vault": self.vault,
                "library.folder": self.library,
                "machines.allow_others": False,
                **self.schedules,
            }
        )


@dataclass
class _Seen:
    """Answers what surrounds the machine."""

    surroundings: Surroundings = field(default_factory=Surroundings)

    def read(self) -> Surroundings:
        return self.surroundings


def points_of(machine: Machine, steps: Iterable[Step]) -> int:
    """Count the points of a session on a copy of the machine, which itself stays as it is."""
    with TemporaryDirectory() as folder:
        vault, home = Path(folder, "vault"), Path(folder, "home")
        shutil.copytree(machine.vault, vault)
        shutil.copytree(machine.home, home)
        copy = replace(machine, vault=vault, home=home)
        session(copy, steps, at=sys.maxsize)
        return int((copy.home / _POINTS).read_text())


def session(machine: Machine, steps: Iterable[Step], *, at: int = 0) -> bool:
    """Let the daemon run for a while; return whether it was killed before its point `at`."""
    process = FORKS.Process(target=_live, args=(machine, tuple(steps), at))
    process.start()
    process.join(_PATIENCE)
    if process.exitcode is None:
        process.kill()
        raise AssertionError("a session never came to its end")
    assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
    return process.exitcode != 0


def _live(machine: Machine, steps: tuple[Step, ...], at: int) -> None:
    os.environ["TZ"] = "UTC"
    if machine.is_upgraded:
        for room in (daemon.store.db, daemon.store.migrations):
            store: Any = room
            store.MIGRATIONS = (*store.MIGRATIONS, _NEW_TABLE)
    points = Points(at)
    if at:
        points.arm()
    try:
        _run(machine, steps)
    except Exception:
        traceback.print_exc()
        raise
    if at:
        points.at = 0
        (machine.home / _POINTS).write_text(str(points.passed))


def _run(machine: Machine, steps: tuple[Step, ...]) -> None:
    """Do what the run loop does, once for each step."""
    now, seen = [steps[0]], _Seen()
    with closing(with_conditions(opened(machine), seen)) as app, app.lock("lacuna run"):
        host = Host(app, lambda: now[0].at, zone=lambda: ZoneInfo(now[0].zone))
        # A source that a test serves is on this machine, and stands for one that is not.
        app.scheduling.schedules._is_local = lambda name: name == "library"
        app.stores.requests.requeue(now=now[0].at)
        engine = host._jobs.engine(host._jobs.take)
        for step in steps:
            now[0], seen.surroundings = step, Surroundings(step.network)
            if step.act is not None:
                step.act(machine.vault, step.at)
            setrlimit(RLIMIT_FSIZE, (RLIM_INFINITY if step.has_room else 0, RLIM_INFINITY))
            engine.check()
            host._due.sync = host._due.whole = True
            for number in range(TURNS):
                host._turn()
                due = host._due
                is_busy = due.sync or due.review or due.library or host._jobs.ready()
                if number and not is_busy:  # what waited for the library has its turn after it
                    break
