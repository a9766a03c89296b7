"""The size check of `make lint`: files under 400 lines, functions under 50, a median of 8.

It also checks names: no two modules share one, except in rooms with a module for each noun.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("daemon", "vault_adapters", "scheduler", "bench", "docs", "locks")
FILE, FUNCTION, MEDIAN = 400, 50, 8
PRODUCT = ("daemon", "vault_adapters", "scheduler")
# One module per noun: each may share its name with the module that the noun is about.
NOUNS = ("daemon/cli", "daemon/usecases", "daemon/store", "daemon/model", "daemon/adapters/sources")


def main() -> int:
    """Print what is too long; return 1 if anything is."""
    faults = [*too_long(), *ambiguous()]
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return 1 if faults else 0


def too_long() -> Iterator[str]:
    """Yield a line for each file and function over its limit, and one for the median."""
    lengths: list[int] = []
    for path in sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        place = path.relative_to(ROOT).as_posix()
        if (lines := source.count("\n")) >= FILE:
            yield f"{place}: {lines} lines, {FILE - 1} at most"
        for name, line, length in functions(source):
            lengths.append(length)
            if length >= FUNCTION:
                yield f"{place}:{line}: {name} has {length} lines, {FUNCTION - 1} at most"
    if median(lengths) > MEDIAN:
        yield f"the median function has more than {MEDIAN} lines"


def ambiguous() -> Iterator[str]:
    """Yield a line for each module outside of NOUNS that has the name of another one."""
    seen: dict[str, str] = {}
    for path in sorted(path for room in PRODUCT for path in (ROOT / room).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        if path.name == "__init__.py" or place.rpartition("/")[0] in NOUNS:
            continue
        if path.name in seen:
            yield f"{place}: {seen[path.name]} has the same name: say which in one of them"
        seen[path.name] = place


def functions(source: str) -> Iterator[tuple[str, int, int]]:
    """Yield (name, first line, number of lines) of every function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1


if __name__ == "__main__":
    sys.exit(main())
