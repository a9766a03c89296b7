"""How time and memory grow with the vault: a cold index, and a start with nothing changed."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measure import alone
from bench.places import Places
from bench.table import Row

MAX_RATIO = (
    1.1  # times what a note costs in the smallest vault: linear, but for what runs beside it
)
_SIZES = (1_000, 5_000, 20_000)
_QUICK = (500, 2_000)
_FULL = (*_SIZES, 100_000)
_RUNS = 2

Costs = dict[str, float]


def rows(places: Places) -> Iterator[Row]:
    sizes = _QUICK if places.quick else _FULL if places.full else _SIZES
    vaults = {size: places.made(size) for size in sizes}
    # In turns, so that what else the machine does meets every size; the least was disturbed least.
    runs = [{size: _run(vault) for size, vault in vaults.items()} for _ in range(_RUNS)]
    least = {size: _least([run[size] for run in runs]) for size in sizes}
    for size in sizes:
        yield from _rows(size, least[size], least[sizes[0]])


def _run(vault: Path) -> Costs:
    with tempfile.TemporaryDirectory(prefix="lacuna-bench-") as folder:
        cold = alone("cold", vault, folder)
        start = alone("start", vault, folder)
    return {
        "notes": cold["notes"],
        "seconds": cold["wall"],
        "cold": cold["cpu"],
        "cold MB": cold["mb"],
        "start": start["cpu"],
        "start MB": start["mb"],
    }


def _least(runs: list[Costs]) -> Costs:
    return {key: min(run[key] for run in runs) for key in runs[0]}


def _rows(size: int, costs: Costs, smallest: Costs) -> Iterator[Row]:
    times = costs["notes"] / smallest["notes"]
    for what, name in (("cold", "cold index"), ("start", "start with nothing changed")):
        cpu, memory = costs[what], costs[f"{what} MB"]
        linear, most = smallest[what] * times, smallest[f"{what} MB"] * times
        rate = f", {costs['notes'] / costs['seconds']:,.0f} notes/s" if what == "cold" else ""
        yield Row(
            f"growth, {name}, {size:,} notes",
            f"CPU {cpu:.2f} s, {memory:.0f} MB{rate}",
            f"linear: {linear:.2f} s, {most:,.0f} MB" if times > 1 else "",
            f"{cpu / linear:.2f}, {memory / most:.2f}" if times > 1 else "",
            f"≤ {MAX_RATIO:g}" if times > 1 else "",
            cpu <= linear * MAX_RATIO and memory <= most * MAX_RATIO if times > 1 else None,
        )
