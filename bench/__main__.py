"""Measure, and print the table: `python -m bench [NAME…] [--quick | --full]`."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from bench.measure import load
from bench.places import Places, usual_cache
from bench.table import Row, markdown

NAMES = (
    *("cold", "start", "growth", "search", "search_command", "health", "embedding", "edit", "idle"),
    *("extraction", "recall", "models", "reports", "checker", "attacks", "support", "asking"),
    *("ingest", "audio", "hub", "hub_faults", "hub_workers", "hub_vaults", "page"),
)


def main() -> int:
    """Return 0 when everything that was measured reached what it should."""
    asked = _arguments()
    places = Places(asked.cache, quick=asked.quick, full=asked.full)
    places.cache.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for name in asked.names or NAMES:
        before = load()
        for row in import_module(f"bench.{name}").rows(places):
            print(f"{row.what}: {row.measured}", file=sys.stderr)
            rows.append(row)
        print(f"  {name}: {before}, then {load()}", file=sys.stderr)
    print(markdown(rows))
    return 0 if all(row.reached is not False for row in rows) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="on a tenth of the notes")
    parser.add_argument("--full", action="store_true", help="also what takes many minutes")
    parser.add_argument("--cache", type=Path, default=usual_cache(), help="where vaults are kept")
    asked = parser.parse_args()
    for name in asked.names:
        if name not in NAMES:
            parser.error(f"{name} is none of {', '.join(NAMES)}")
    return asked


if __name__ == "__main__":
    sys.exit(main())
