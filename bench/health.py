"""A look at the whole vault: the first, after a change, and again when nothing changed."""

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.indexed import Indexed, open_index
from bench.measure import alone, clock
from bench.places import Places
from bench.table import Row
from daemon.adapters.analysis_child import AnalysisChild
from daemon.cycle.analysing import DERIVED
from daemon.cycle.vault_analysis import VaultAnalysis
from daemon.store.findings import FindingStore
from daemon.store.healths import HealthStore

WARM_SECONDS, CHANGED_SECONDS, MAX_MB = 2.0, 3.0, 300
_ADDED = "\n\nA paragraph that was added lately, on what nobody here has written of before.\n"


def rows(places: Places) -> Iterator[Row]:
    vault, state = places.made(places.large), places.state(places.large)
    first = alone("health", vault, state, "first")
    warm = alone("health", vault, state)
    changed = alone("health", vault, state, "changed")
    name = f"health on {warm['notes']:,} notes"
    yield Row(
        f"{name}, nothing changed since the last look",
        f"{warm['wall']:.2f} s (CPU {warm['cpu']:.2f} s)",
        f"limit {WARM_SECONDS:.0f} s",
        f"{warm['wall'] / WARM_SECONDS:.2f}",
        "≤ 1",
        warm["wall"] <= WARM_SECONDS,
    )
    yield Row(
        f"{name}, CPU after a change of one note",
        f"{changed['cpu']:.1f} s",
        f"limit {CHANGED_SECONDS:.0f} s; the first look {first['cpu']:.1f} s",
        f"{changed['cpu'] / CHANGED_SECONDS:.2f}",
        "≤ 1",
        changed["cpu"] <= CHANGED_SECONDS,
    )
    most = max(first["mb"], changed["mb"])
    yield Row(
        f"{name}, memory of a look, the first and after a change",
        f"{first['mb']:.0f} and {changed['mb']:.0f} MB",
        f"limit {MAX_MB} MB",
        f"{most / MAX_MB:.2f}",
        "≤ 1",
        most <= MAX_MB,
    )


def measure(vault: str, state: str, what: str = "") -> dict[str, Any]:
    """Look at a vault as the daemon does, in a process of its own, and report its memory."""
    indexed = open_index(Path(vault), Path(state))
    indexed.sync()
    analysis = VaultAnalysis(
        indexed.notes,
        FindingStore(indexed.db),
        HealthStore(indexed.db),
        model=indexed.embedder.model,
        meaning_similarity=0.80,
        stale_days=365,
        analyse=AnalysisChild(),
    )
    if what == "first":
        for file in Path(state).glob(f"{DERIVED}*"):
            file.unlink()
        indexed.db.execute("DELETE FROM healths")
    with _changed(indexed, Path(vault), is_changed=what == "changed"):
        with clock() as took:
            found = analysis.health(datetime.now(UTC))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    indexed.db.close()
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return {"notes": found.notes, "wall": took.wall, "cpu": took.cpu, "mb": peak / unit}


@contextmanager
def _changed(indexed: Indexed, vault: Path, *, is_changed: bool) -> Iterator[None]:
    """Add a paragraph to a note, and take it out again."""
    if not is_changed:
        yield
        return
    paths = indexed.notes.titles()
    note = vault / sorted(path for path in paths if path.endswith(".md"))[len(paths) // 2]
    text, times = note.read_bytes(), note.stat()
    try:
        note.write_bytes(text + _ADDED.encode())
        indexed.sync()
        yield
    finally:
        note.write_bytes(text)
        os.utime(note, ns=(times.st_atime_ns, times.st_mtime_ns))
        indexed.sync()
