"""How things are measured: CPU and wall time, medians, and parts in processes of their own."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MB = 1 << 20


@dataclass(slots=True)
class Took:
    """Seconds of wall clock and of CPU, that of ended child processes too."""

    wall: float = 0.0
    cpu: float = 0.0


@contextmanager
def clock() -> Iterator[Took]:
    """Time what is done inside."""
    took = Took()
    wall, cpu = time.perf_counter(), _cpu()
    try:
        yield took
    finally:
        took.wall, took.cpu = time.perf_counter() - wall, _cpu() - cpu


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest of `values` that at least `share` of them do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def load() -> str:
    """The machine's load in the last minute, beside its cores."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def peak_mb() -> float:
    """The most memory that this process has held so far, and the largest of its ended children."""
    peak = sum(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return peak / _MB if sys.platform == "darwin" else peak / 1024


def alone(part: str, *arguments: object, python: Path | None = None) -> dict[str, Any]:
    """Run a part of the measuring in a process of its own, and return what it printed as JSON."""
    command = [str(python or sys.executable), "-m", "bench.alone", part, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _cpu() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
