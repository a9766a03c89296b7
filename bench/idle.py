"""The daemon while nothing happens: its memory, and the share of a core that it takes."""

import time
from collections.abc import Iterator

from bench.places import Places
from bench.process import children, cpu_seconds, is_reported, resident_mb
from bench.running import running, wait_until
from bench.table import Row

MAX_MB = 150.0
MAX_CPU = 0.002  # of one core
_REST_SECONDS = 3.0  # for what an edit leaves behind to be given back
_IDLE_SECONDS = 180.0


def rows(places: Places) -> Iterator[Row]:
    if not is_reported():
        return
    seconds = _IDLE_SECONDS / 6 if places.quick else _IDLE_SECONDS
    with running(places, {"index.debounce_seconds": 0.3, "embedding.idle_seconds": 2.0}) as daemon:
        path = next(path for path in daemon.notes.all_paths() if path.endswith(".md"))
        daemon.edit(path, "A sentence about idleness0, so that there was some work.")
        wait_until(lambda: daemon.is_searchable("idleness0"), "the edit")
        wait_until(lambda: not children(daemon.pid), "the end of the embedding process")
        time.sleep(_REST_SECONDS)
        before = cpu_seconds(daemon.pid)
        time.sleep(seconds)
        share = (cpu_seconds(daemon.pid) - before) / seconds
        memory = resident_mb(daemon.pid)
    name = f"idle daemon, {places.large:,} notes indexed"
    yield Row(
        f"{name}, memory",
        f"{memory:.0f} MB",
        f"limit {MAX_MB:.0f} MB",
        f"{memory / MAX_MB:.2f}",
        "≤ 1",
        memory <= MAX_MB,
    )
    yield Row(
        f"{name}, CPU over {seconds:.0f} s",
        f"{share:.2%} of a core",
        f"limit {MAX_CPU:.1%}",
        f"{share / MAX_CPU:.2f}",
        "≤ 1",
        share <= MAX_CPU,
    )
