"""A start with nothing changed since the last one: no file is read and nothing embedded."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.embedder import CheapEmbedder
from bench.indexed import open_index
from bench.measure import alone, peak_mb
from bench.places import Places
from bench.process import cpu_seconds, is_reported
from bench.table import Row

CPU_SECONDS = 1.0
_RUNS = 3


def rows(places: Places) -> Iterator[Row]:
    vault, state = places.made(places.large), places.state(places.large)
    alone("start", vault, state, "embed")  # brings the index up to date, or makes it
    runs = [alone("start", vault, state, "embed") for _ in range(_RUNS)]
    name = f"start, {runs[0]['notes']:,} notes, nothing changed"
    yield _row(f"{name}, until synced", min(run["cpu"] for run in runs))
    yield Row(
        f"{name}, files read and chunks embedded",
        f"{max(run['read'] for run in runs)} and {max(run['embedded'] for run in runs)}",
        "limit 0",
        "",
        "0",
        not any(run["read"] or run["embedded"] for run in runs),
    )
    if is_reported():
        from bench.running import running  # the whole daemon, which the others do without

        def started() -> float:
            with running(places, {}) as daemon:
                return sum(map(cpu_seconds, {daemon.pid, daemon.guard}))

        cpu = min(started() for _ in range(_RUNS))
        yield _row(f"{name}, `lacuna run` until it watches", cpu)


def _row(what: str, cpu: float) -> Row:
    return Row(
        what,
        f"CPU {cpu:.2f} s, imports too",
        f"limit {CPU_SECONDS:.0f} s",
        f"{cpu / CPU_SECONDS:.2f}",
        "≤ 1",
        cpu <= CPU_SECONDS,
    )


def measure(vault: str, state: str, embed: str = "") -> dict[str, Any]:
    """Open an index and sync it: all CPU of this process since it was started."""
    embedder = CheapEmbedder()
    with _opened_below(vault) as opened:
        indexed = open_index(Path(vault), Path(state), embedder)
        report = indexed.sync(embed=bool(embed))
        cpu = time.process_time()
    indexed.db.close()
    return {
        "notes": report.notes,
        "cpu": cpu,
        "mb": peak_mb(),
        "read": len(opened),
        "embedded": embedder.embedded,
    }


@contextmanager
def _opened_below(folder: str) -> Iterator[list[str]]:
    """Tell what below a folder is opened inside, but for the settings of the vault's tool."""
    opened: list[str] = []
    is_on = True

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if is_on and event == "open" and str(arguments[0]).startswith(f"{folder}/"):
            opened.extend([str(arguments[0])] if "/.obsidian/" not in str(arguments[0]) else [])

    sys.addaudithook(hear)  # which cannot be taken away again
    try:
        yield opened
    finally:
        is_on = False
