"""Find regular expressions that take more than linear time: part of `make lint`.

Every module of the project is imported, and what it compiles is recorded. regexploit reads each
pattern and writes texts that would make it backtrack; a pattern is reported when such a text, made
ten times longer, takes Python far more than ten times as long. Possessive repeats and atomic groups
are read as plain ones, and shown to be harmless by the measurement. As regexploit overlooks repeats
that overlap within a group, such as `(_?[_\\w]+)*`, short texts of repeated parts are tried, too.
"""

import importlib
import pkgutil
import re
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from tests.regex_texts import texts

with warnings.catch_warnings():  # it reads patterns by modules that Python would rename
    warnings.simplefilter("ignore", DeprecationWarning)
    from regexploit.ast.sre import SreOpParser
    from regexploit.redos import Redos, find

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("daemon", "vault_adapters", "scheduler")
SHORT, LONG = 400, 4_000  # repeats of what a pattern may backtrack over
SLOW = 0.05  # seconds; a pattern that takes no longer for the long text is taken to be linear
STEEP = 30.0  # times as long as for the short text; 10 is linear, 100 quadratic
# Patterns whose search is slow but that are only matched at one place, which is linear.
MATCHED = frozenset({"vault_adapters/edn.py"})
DEADLINE = 10.0  # seconds of processor time for one pattern
MOST = 20  # ways of backtracking that are tried of one pattern


class Parser(SreOpParser):  # type: ignore[misc]
    """Reads what Python 3.11 added, too."""

    from_POSSESSIVE_REPEAT = SreOpParser.from_MAX_REPEAT  # noqa: N815 named after the operation

    def from_ATOMIC_GROUP(self, data: Any) -> Any:  # noqa: N802 named after the operation
        return self.sequence_or_singleton(data)


def compiled() -> dict[tuple[str, int], str]:
    """Import everything; return each pattern and its flags, and where it was first compiled."""
    found: dict[tuple[str, int], str] = {}
    compile_ = re.compile

    def record(pattern: Any, flags: Any = 0) -> Any:
        made = compile_(pattern, flags)
        place = sys._getframe(1)
        file = Path(place.f_code.co_filename)
        if file.is_relative_to(ROOT) and ".venv" not in file.parts:
            where = f"{file.relative_to(ROOT)}:{place.f_lineno}"
            found.setdefault(_as_text(made), where)
        return made

    re.compile = record
    try:
        for package in PACKAGES:
            for module in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
                # Each engine of speech imports a library that is never installed here.
                if not module.name.endswith("_engine"):
                    importlib.import_module(module.name)
    finally:
        re.compile = compile_
    return found


def _as_text(made: re.Pattern[Any]) -> tuple[str, int]:
    """Return a pattern and its flags; one of bytes as that of text with the same characters."""
    if isinstance(made.pattern, str):
        return made.pattern, made.flags
    return made.pattern.decode("latin-1"), made.flags | re.ASCII


def attacks(pattern: str, flags: int) -> Iterator[tuple[str, str]]:
    """Yield a short and a long text for each way in which a pattern may backtrack."""
    parsed = Parser().parse_sre(pattern, flags & ~re.UNICODE)
    if parsed is None:
        return
    for way in find(parsed, flags):
        if way.starriness > 1:
            yield _text(way, SHORT), _text(way, LONG)


def _text(way: Redos, times: int) -> str:
    killer = way.killer.example() if way.killer else "\x00"
    return str(way.example_prefix + way.repeated_character.example() * times + killer)


def steepness(pattern: str, flags: int, short: str, long: str) -> float:
    """Return how many times as long the long text takes; 0 when it takes no time."""
    made = re.compile(pattern, flags)
    began = time.perf_counter()
    made.search(short)
    middle = time.perf_counter()
    made.search(long)
    end = time.perf_counter()
    return 0.0 if end - middle < SLOW else (end - middle) / max(middle - began, 1e-6)


def check(pattern: str, flags: int) -> str:
    """Return what is wrong with a pattern, or nothing."""
    try:
        with deadline(DEADLINE):
            for short, long in islice(attacks(pattern, flags), MOST):
                steep = steepness(pattern, flags, short, long)
                if steep > STEEP:
                    return f"{steep:.0f} times as long for 10 times the text: {long[:40]!r}…"
            made = re.compile(pattern, flags)
            for text in texts(pattern, flags):
                made.search(text)
                made.fullmatch(text)
    except TimeoutError:
        return f"takes longer than {DEADLINE:g} s"
    return ""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise TimeoutError when the block computes longer; Python looks for signals as it matches."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def main() -> int:
    items = sorted(compiled().items(), key=lambda item: item[1])
    items = [item for item in items if item[1].partition(":")[0] not in MATCHED]
    checked = [(where, check(pattern, flags)) for (pattern, flags), where in items]
    slow = [f"{where}: {why}" for where, why in checked if why]
    sys.stdout.write("".join(f"{line}\n" for line in slow))
    sys.stdout.write(f"{len(items)} regular expressions, {len(slow)} slow\n")
    return bool(slow)


if __name__ == "__main__":
    sys.exit(main())
