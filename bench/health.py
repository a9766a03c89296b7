"""A look at the whole vault: after a change, and again when nothing changed."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.indexed import open_index
from bench.measure import alone, clock, peak_mb
from bench.places import Places
from bench.table import Row
from daemon.cycle.knowledge import Knowledge
from daemon.store.triggers import TriggerStore

WARM_SECONDS = 2.0


def rows(places: Places) -> Iterator[Row]:
    vault, state = places.made(places.large), places.state(places.large)
    cold = alone("health", vault, state, "anew")
    warm = alone("health", vault, state)
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
        f"{name}, after a change",
        f"{cold['wall']:.1f} s (CPU {cold['cpu']:.1f} s, {cold['mb']:.0f} MB)",
    )


def measure(vault: str, state: str, anew: str = "") -> dict[str, Any]:
    """Look at a vault whose index is up to date; `anew` forgets what was kept."""
    indexed = open_index(Path(vault), Path(state))
    indexed.sync()
    if anew:
        indexed.db.execute("DELETE FROM healths")
    knowledge = Knowledge(
        indexed.notes,
        indexed.syncer,
        indexed.search,
        TriggerStore(indexed.db),
        model=indexed.embedder.model,
        meaning_similarity=0.80,
        stale_days=365,
    )
    with clock() as took:
        found = knowledge.health(datetime.now(UTC))
    indexed.db.close()
    return {"notes": found.notes, "wall": took.wall, "cpu": took.cpu, "mb": peak_mb()}
