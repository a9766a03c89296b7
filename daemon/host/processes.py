"""The memory of this process and its children, as the system reports it."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
# the positions of ppid and rss in /proc/PID/stat, after the name; see proc(5)
_PARENT, _PAGES = (1, 21)
_PS_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Process:
    """One process of the system; `held` is its resident memory in bytes."""

    pid: int
    parent: int
    held: int


@dataclass(frozen=True, slots=True)
class Held:
    """Return the resident bytes of a process and all its descendants."""

    own: int
    children: int
    children_count: int


def memory_held(pid: int | None = None) -> Held | None:
    """Measure a process, or this one; None if the system does not report it."""
    known = {each.pid: each for each in _processes()}
    root = known.get(os.getpid() if pid is None else pid)
    if root is None:
        return None
    below = _descendants(root.pid, known)
    return Held(root.held, sum(each.held for each in below), len(below))


def descendants(pid: int) -> list[int]:
    """Return the ids of all descendants of a process."""
    return [each.pid for each in _descendants(pid, {each.pid: each for each in _processes()})]


def _descendants(pid: int, known: Mapping[int, Process]) -> list[Process]:
    found: list[Process] = []
    parents = {pid}
    while parents:
        children = [each for each in known.values() if each.parent in parents]
        found += children
        parents = {each.pid for each in children} - {pid}
    return found


def _processes() -> Iterable[Process]:
    return _from_proc() if (_PROC / "self" / "stat").exists() else _from_ps()


def _from_proc() -> list[Process]:
    page = os.sysconf("SC_PAGE_SIZE")
    found = []
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError, ValueError, IndexError):  # it has exited in between
                # The name, in brackets, may contain anything, brackets too.
                rest = (folder / "stat").read_text().rpartition(")")[2].split()
                held = int(rest[_PAGES]) * page
                found.append(Process(int(folder.name), int(rest[_PARENT]), held))
    return found


def _from_ps() -> list[Process]:
    """Ask ps(1), as on macOS, without counting its own process."""
    try:
        with subprocess.Popen(
            ["ps", "-axo", "pid=,ppid=,rss="],  # noqa: S607  wherever the system keeps it
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as ps:
            lines, _ = ps.communicate(timeout=_PS_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [line.split() for line in lines.splitlines()]
    parsed = [Process(int(pid), int(parent), int(kb) * 1024) for pid, parent, kb in rows]
    return [each for each in parsed if each.pid != ps.pid]
