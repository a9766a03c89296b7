"""Check the daemon, what keeps it running and confined, and the clock."""

import getpass
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from daemon.confinement import landlock
from daemon.doctor.check import Check, Scene, passed
from daemon.doctor.faults import fault_of
from daemon.model.errors import LacunaError
from daemon.service import ServiceError, service_of
from daemon.store.heartbeat import last_beat

_EARLIEST_YEAR = 2026  # a clock that shows a time before this program was written is wrong
_SILENCE = timedelta(minutes=15)  # as long as systemd's watchdog waits
_CLOCK_DRIFT = timedelta(minutes=5)
_LINGERING = Path("/var/lib/systemd/linger")
_SECONDS = 10.0  # that a system tool may take to answer


def daemon(scene: Scene) -> Iterator[Check]:
    holder = scene.app.writer()
    if holder is None:
        yield fault_of("daemon-off")
        return
    sign = last_beat(scene.app.state)
    if sign is not None and scene.now - sign.beat_at > _SILENCE:
        yield fault_of("daemon-silent", holder=holder, at=_local(sign.beat_at))
    else:
        yield passed("daemon", holder)


def confined(scene: Scene) -> Iterator[Check]:
    """Report what confines writing by the running daemon, or by one started now."""
    version = landlock.version()
    sign = last_beat(scene.app.state) if scene.app.writer() else None
    if not scene.app.settings.confinement.enabled:
        why, hint = "turned off in the settings", "lacuna config set confinement.enabled --default"
    elif version < landlock.MIN_VERSION:
        why, hint = "this kernel has no Landlock, or an old one", "uname -r"
    elif sign is not None and sign.unconfined:
        why, hint = (
            f"the running daemon is not confined: {sign.unconfined}",
            "lacuna service install",
        )
    else:
        yield passed("confined", f"to the inbox and the state, by Landlock (version {version})")
        return
    yield fault_of("confined-not", why=why, hint=hint)


def readers(scene: Scene) -> Iterator[Check]:
    """Report what confines the processes that read documents, as one of them reports it."""
    try:
        missing = scene.app.children.extractor.unconfined()
    except LacunaError as error:
        yield fault_of("readers-none", error=error)
        return
    if missing:
        yield fault_of("readers-free", why="; ".join(missing))
    else:
        yield passed("readers", "no network, no other program, no file but the libraries")


def service(scene: Scene) -> Iterator[Check]:
    keeper = service_of(scene.app.state.name)
    try:
        found = keeper.state()
    except ServiceError as error:
        yield fault_of("service-none", error=error)
        return
    if not found.installed:
        yield fault_of("service-off")
        return
    if found.status not in ("active", "running", "activating", "reloading"):
        yield fault_of("service-failed", status=found.status)
    else:
        yield passed("service", found.status)
    inbox = scene.app.adapter.root / scene.app.settings.inbox.folder
    if not keeper.names(scene.app.adapter.root, inbox, scene.app.state):
        yield fault_of("service-old")
    if sys.platform == "linux" and _LINGERING.is_dir():
        if not (_LINGERING / getpass.getuser()).exists():
            yield fault_of("service-ends")


def clock(scene: Scene) -> Iterator[Check]:
    at, last = _local(scene.now), _last_work(scene)
    if scene.now.year < _EARLIEST_YEAR:
        yield fault_of("clock-wrong", at=at)
    elif last is not None and last - scene.now > _CLOCK_DRIFT:
        yield fault_of("clock-back", at=at, last=_local(last))
    elif _is_synchronised() is False:
        yield fault_of("clock-alone", at=at)
    else:
        yield passed("clock", at)


def _last_work(scene: Scene) -> datetime | None:
    """Return when the daemon last worked, according to its heartbeat."""
    sign = last_beat(scene.app.state)
    runs = scene.app.stores.runs.all(1)
    known = [sign.beat_at if sign else None, runs[0].started_at if runs else None]
    return max(filter(None, known), default=None)


def _is_synchronised() -> bool | None:
    """Return whether the system synchronises its clock; None if unknown."""
    tool = shutil.which("timedatectl")
    if tool is None:
        return None
    try:
        answer = subprocess.run(
            [tool, "show", "--property=NTPSynchronized", "--value"],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        ).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return None
    return {"yes": True, "no": False}.get(answer)


def _local(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M %Z}"
