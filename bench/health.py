"""A look at the whole vault: the first, after a change, and again when nothing changed."""

import os
import resource
import sys
from collections.abc import Callable, Iterator
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


def _edit(note: Path) -> None:
    note.write_bytes(note.read_bytes() + _ADDED.encode())


def _link(note: Path) -> None:
    other = sorted(note.parent.glob("*.md"))[-1]
    note.write_bytes(note.read_bytes() + f"\n\nSee [[{other.stem}]].\n".encode())


def _rename(note: Path) -> None:
    note.rename(_beside(note))


def _add(note: Path) -> None:
    _beside(note).write_bytes(b"# A note of today\n" + _ADDED.encode() + note.read_bytes()[-400:])


def _beside(note: Path) -> Path:
    return note.with_name(f"{note.stem} of today.md")


_CHANGES: dict[str, Callable[[Path], None]] = {
    "edited": _edit,
    "linked": _link,
    "renamed": _rename,
    "deleted": Path.unlink,
    "added": _add,
}


def rows(places: Places) -> Iterator[Row]:
    vault, state = places.made(places.large), places.state(places.large)
    first = alone("health", vault, state, "first")
    warm = alone("health", vault, state)
    changed = {}
    for change in _CHANGES:
        changed[change] = alone("health", vault, state, change)
        alone("health", vault, state)  # after the change was undone
    name = f"health on {warm['notes']:,} notes"
    yield Row(
        f"{name}, nothing changed since the last look",
        f"{warm['wall']:.2f} s (CPU {warm['cpu']:.2f} s)",
        f"limit {WARM_SECONDS:.0f} s",
        f"{warm['wall'] / WARM_SECONDS:.2f}",
        "≤ 1",
        warm["wall"] <= WARM_SECONDS,
    )
    for change, found in changed.items():
        yield Row(
            f"{name}, CPU after one note was {change}",
            f"{found['cpu']:.1f} s",
            f"limit {CHANGED_SECONDS:.0f} s; the first look {first['cpu']:.1f} s",
            f"{found['cpu'] / CHANGED_SECONDS:.2f}",
            "≤ 1",
            found["cpu"] <= CHANGED_SECONDS,
        )
    after = max(found["mb"] for found in changed.values())
    most = max(first["mb"], after)
    yield Row(
        f"{name}, memory of a look, the first and the most after a change",
        f"{first['mb']:.0f} and {after:.0f} MB",
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
    with _changed(indexed, Path(vault), _CHANGES.get(what)):
        with clock() as took:
            found = analysis.health(datetime.now(UTC))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    indexed.db.close()
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return {"notes": found.notes, "wall": took.wall, "cpu": took.cpu, "mb": peak / unit}


@contextmanager
def _changed(
    indexed: Indexed, vault: Path, change: Callable[[Path], None] | None
) -> Iterator[None]:
    """Change a note, and undo it."""
    if change is None:
        yield
        return
    paths = indexed.notes.titles()
    note = vault / sorted(path for path in paths if path.endswith(".md"))[len(paths) // 2]
    text, times = note.read_bytes(), note.stat()
    try:
        change(note)
        indexed.sync()
        yield
    finally:
        note.write_bytes(text)
        os.utime(note, ns=(times.st_atime_ns, times.st_mtime_ns))
        _beside(note).unlink(missing_ok=True)
        indexed.sync()
