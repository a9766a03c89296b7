"""The daemon while nothing happens: its memory, and the share of a core that it takes."""

import time
from collections.abc import Iterator

from bench.places import Places
from bench.process import children, cpu_seconds, is_reported, resident_mb
from bench.running import Running, running, wait_until
from bench.table import Row
from daemon.config import packaged

MAX_MB = 150.0
MAX_SAMPLE_MB = 110.0
MAX_CPU = 0.002  # of one core
_SETTINGS = {"index.debounce_seconds": 0.3, "embedding.idle_seconds": 2.0}
_REST_SECONDS = 3.0  # for what an edit leaves behind to be given back
_IDLE_SECONDS = 180.0


def rows(places: Places) -> Iterator[Row]:
    if not is_reported():
        return
    with running(places, _SETTINGS, packaged("sample_vault")) as daemon:
        _edit_and_rest(daemon)
        yield _memory("idle daemon, sample vault", daemon, MAX_SAMPLE_MB)
    seconds = _IDLE_SECONDS / 6 if places.quick else _IDLE_SECONDS
    name = f"idle daemon, {places.large:,} notes indexed"
    with running(places, _SETTINGS) as daemon:
        _edit_and_rest(daemon)
        before = cpu_seconds(daemon.pid)
        time.sleep(seconds)
        share = (cpu_seconds(daemon.pid) - before) / seconds
        yield _memory(name, daemon, MAX_MB)
    yield Row(
        f"{name}, CPU over {seconds:.0f} s",
        f"{share:.2%} of a core",
        f"limit {MAX_CPU:.1%}",
        f"{share / MAX_CPU:.2f}",
        "≤ 1",
        share <= MAX_CPU,
    )


def _edit_and_rest(daemon: Running) -> None:
    """Have an edited note indexed, and wait for the end of all that this started."""
    path = max(path for path in daemon.notes.all_paths() if path.endswith(".md"))
    daemon.edit(path, "A sentence about idleness0, so that there was some work.")
    wait_until(lambda: daemon.is_searchable("idleness0"), "the edit")
    wait_until(lambda: not children(daemon.pid), "the end of the embedding process")
    time.sleep(_REST_SECONDS)


def _memory(name: str, daemon: Running, limit: float) -> Row:
    memory = resident_mb(daemon.pid)
    return Row(
        f"{name}, memory",
        f"{memory:.0f} MB",
        f"limit {limit:.0f} MB",
        f"{memory / limit:.2f}",
        "≤ 1",
        memory <= limit,
    )
