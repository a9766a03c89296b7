"""`lacuna search` beside the daemon, whose embedding process is running: the answer on the socket,
and the whole command with the start of its process.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.measure import clock, load, percentile
from bench.places import Places
from bench.process import is_reported
from bench.queries import queries
from bench.running import Running, running
from bench.table import Row
from daemon.config import Settings
from daemon.model_files import find_model
from daemon.usecases.client import query

P95_MS = 150.0
_ANSWERS, _COMMANDS = 100, 50


@dataclass(frozen=True, slots=True)
class _Ended:
    """A process that has ended: seconds of wall clock and of CPU."""

    wall: float
    cpu: float


def rows(places: Places) -> Iterator[Row]:
    if not is_reported() or find_model(Settings().embedding.model, None) is None:
        return
    with running(places, {"embedding.idle_seconds": 600}) as daemon:
        asked = queries(daemon.notes.chunks()[::50], _ANSWERS)
        for text in asked[:5]:  # loads model and vectors
            _answer(daemon, text)
        name = f"beside the daemon, {places.large:,} notes, child warm"
        took = [_answer(daemon, text) for text in asked]
        yield _row(f"search {name}, answer on the socket", took)
        ended = [_command(daemon, text) for text in asked[:_COMMANDS]]
        cpu = percentile([each.cpu for each in ended], 0.5)
        detail = f"CPU {cpu * 1e3:.0f} ms, {_bare_start() * 1e3:.0f} ms of it Python's own start"
        yield _row(f"`lacuna search` {name}", [each.wall for each in ended], detail)


def _row(what: str, took: list[float], detail: str = "") -> Row:
    p95, median = (percentile(took, share) * 1e3 for share in (0.95, 0.5))
    return Row(
        what,
        f"p95 {p95:.0f} ms, median {median:.0f} ms ({'; '.join(filter(None, (detail, load())))})",
        f"limit {P95_MS:.0f} ms",
        f"{p95 / P95_MS:.2f}",
        "≤ 1",
        p95 <= P95_MS,
    )


def _answer(daemon: Running, text: str) -> float:
    """Return the seconds in which the daemon answers a search."""
    with clock() as took:
        found = query(daemon.state, "search", {"query": text, "like": None, "limit": 10})
    if found is None:
        raise RuntimeError("the daemon did not answer a search")
    return took.wall


def _command(daemon: Running, text: str) -> _Ended:
    """Run the command in a process of its own, as a shell does."""
    program = Path(sys.executable).with_name("lacuna")
    return _run([str(program), "search", "--config", str(daemon.config), "--", text])


def _bare_start() -> float:
    """Return the CPU of a Python process that does nothing, in seconds."""
    return min(_run([sys.executable, "-c", "pass"]).cpu for _ in range(10))


def _run(command: list[str]) -> _Ended:
    with clock() as took:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"exited with {process.returncode}: {' '.join(command)}")
    return _Ended(took.wall, usage.ru_utime + usage.ru_stime)
