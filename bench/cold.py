"""A cold index: scan, parse, resolve, store and full-text index, without embeddings."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.indexed import open_index
from bench.measure import alone, clock, peak_mb
from bench.peer import connect, peer_python
from bench.places import Places
from bench.table import Row

NOTES_A_SECOND = 1_200
TIMES_THE_PEER = 15.0
_TURNS = 2


def rows(places: Places) -> Iterator[Row]:
    real = places.real("oldwinter")
    vaults = [("oldwinter", real)] if real is not None else []
    vaults.append((f"{places.large:,} generated notes", places.made(places.large)))
    python = peer_python(places.cache)
    for name, vault in vaults:
        # In turns with the peer, so that what else the machine does meets both.
        runs, peers = [alone("cold", vault)], []
        for _ in range(_TURNS):
            if python is not None:
                peers.append(connect(python, vault))
            runs.append(alone("cold", vault))
        yield _rate(name, runs)
        if peers:
            yield _beside_peer(name, runs, peers)


def _rate(name: str, runs: list[dict[str, Any]]) -> Row:
    notes, best = runs[0]["notes"], min(run["wall"] for run in runs)
    here, children = (min(run[where] for run in runs) for where in ("here", "children"))
    return Row(
        f"cold index, {name}",
        f"{notes / best:,.0f} notes/s ({notes:,} in {best:.2f} s; CPU {here:.2f} s and"
        f" {children:.2f} s in children; {max(run['mb'] for run in runs):.0f} MB)",
        f"limit {NOTES_A_SECOND:,} notes/s",
        f"{notes / best / NOTES_A_SECOND:.2f}",
        "≥ 1",
        notes / best >= NOTES_A_SECOND,
    )


def _beside_peer(name: str, runs: list[dict[str, Any]], peers: list[dict[str, Any]]) -> Row:
    """The clock is what counts; CPU tells more where others use the cores, too."""
    wall, cpu = (min(run[what] for run in runs) for what in ("wall", "cpu"))
    peer_wall, peer_cpu = (min(run[what] for run in peers) for what in ("wall", "cpu"))
    return Row(
        f"cold index, {name}, beside obsidiantools",
        f"{wall:.2f} s (CPU {cpu:.2f} s)",
        f"{peer_wall:.2f} s (CPU {peer_cpu:.2f} s)",
        f"{peer_wall / wall:.1f} (CPU {peer_cpu / cpu:.1f})",
        f"≥ {TIMES_THE_PEER:.0f}",
        peer_wall / wall >= TIMES_THE_PEER,
    )


def measure(vault: str, state: str = "") -> dict[str, Any]:
    """Index a vault from nothing, in this process and those that it starts."""
    with tempfile.TemporaryDirectory(prefix="lacuna-bench-") as folder:
        begun = time.process_time()
        with clock() as took:
            indexed = open_index(Path(vault), Path(state or folder))
            report = indexed.sync(embed=False)
        here = time.process_time() - begun
        indexed.db.close()
    return {
        "notes": report.notes,
        "chunks": report.chunks,
        "links": report.links,
        "wall": took.wall,
        "cpu": took.cpu,
        "here": here,
        "children": took.cpu - here,
        "mb": peak_mb(),
    }
