"""A cold index: scan, parse, resolve, store and full-text index, without embeddings."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from bench.indexed import open_index
from bench.measure import alone, clock, peak_mb
from bench.peer import connect, peer_python
from bench.places import Places
from bench.table import Row

NOTES_A_SECOND = 1_200
TIMES_THE_PEER = 15.0
_RUNS = 3


def rows(places: Places) -> Iterator[Row]:
    real = places.real("oldwinter")
    vaults = [("oldwinter", real)] if real is not None else []
    vaults.append((f"{places.large:,} generated notes", places.made(places.large)))
    python = peer_python(places.cache)
    for name, vault in vaults:
        runs = [alone("cold", vault) for _ in range(_RUNS)]
        yield _rate(name, runs)
        if python is not None:
            yield _beside_peer(name, runs, connect(python, vault))


def _rate(name: str, runs: list[dict[str, Any]]) -> Row:
    notes, best = runs[0]["notes"], min(run["wall"] for run in runs)
    cpu = median(run["cpu"] for run in runs)
    return Row(
        f"cold index, {name}",
        f"{notes / best:,.0f} notes/s ({notes:,} in {best:.2f} s; CPU {cpu:.2f} s,"
        f" {runs[0]['mb']:.0f} MB)",
        f"limit {NOTES_A_SECOND:,} notes/s",
        f"{notes / best / NOTES_A_SECOND:.2f}",
        "≥ 1",
        notes / best >= NOTES_A_SECOND,
    )


def _beside_peer(name: str, runs: list[dict[str, Any]], peer: dict[str, Any]) -> Row:
    best = min(run["wall"] for run in runs)
    return Row(
        f"cold index, {name}, beside obsidiantools",
        f"{best:.2f} s",
        f"{peer['wall']:.2f} s (CPU {peer['cpu']:.2f} s)",
        f"{peer['wall'] / best:.1f}",
        f"≥ {TIMES_THE_PEER:.0f}",
        peer["wall"] / best >= TIMES_THE_PEER,
    )


def measure(vault: str) -> dict[str, Any]:
    """Index a vault from nothing, in this process."""
    with tempfile.TemporaryDirectory(prefix="lacuna-bench-") as folder:
        with clock() as took:
            indexed = open_index(Path(vault), Path(folder))
            report = indexed.sync(embed=False)
        indexed.db.close()
    return {
        "notes": report.notes,
        "chunks": report.chunks,
        "links": report.links,
        "wall": took.wall,
        "cpu": took.cpu,
        "mb": peak_mb(),
    }
