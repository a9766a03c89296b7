"""What the system reports about a running process, where there is a /proc."""

import os
from pathlib import Path

_PROC = Path("/proc")
_MB = 1e6


def is_reported() -> bool:
    """Return whether this system reports on processes in /proc."""
    return (_PROC / "self/statm").exists()


def cpu_seconds(pid: int) -> float:
    """Seconds of CPU that a process has used, in steps of a hundredth."""
    fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Return how much memory a process holds now."""
    pages = int((_PROC / str(pid) / "statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MB


def children(pid: int) -> list[int]:
    """The processes that a process has started and that run still."""
    tasks = (_PROC / str(pid) / "task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]
