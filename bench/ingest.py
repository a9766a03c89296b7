"""`lacuna ingest` of a folder of real documents of several kinds: what the process and its children
hold at the beginning and at the end.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from bench.model_work import DATA
from bench.places import Places
from bench.process import children, is_reported, resident_mb
from bench.table import Row

_DOCUMENTS, _QUICK = 500, 50
_SHARED = DATA.parent
# The kinds in turn, each with its own converter, and notes for the rest.
_KINDS = ("pdf/**/*.pdf", "html/**/*.html", "html/**/*.docx", "pdf/**/*.docx", "vaults/til/**/*.md")
_EVERY = 0.5  # seconds
_MOST_FILES, _MOST_CHILDREN, _MOST_GROWTH = 4, 0, 1.25  # more than at the beginning
_LIMIT = 3600.0  # seconds


@dataclass(frozen=True, slots=True)
class _Held:
    """What a process and its children hold at one moment."""

    files: int
    processes: int
    mb: float


def rows(places: Places) -> Iterator[Row]:
    if not (is_reported() and (_SHARED / "html").is_dir()):
        return
    with tempfile.TemporaryDirectory(prefix="lacuna-bench-") as name:
        folder = Path(name)
        kinds = _collect(folder / "documents", _QUICK if places.quick else _DOCUMENTS)
        held = _watched(folder)
        written = sum(1 for _ in (folder / "vault").rglob("Ingest/*.md"))
    yield from _rows(held, f"{kinds}, {written} notes written")


def _collect(folder: Path, most: int) -> str:
    """Copy documents of all kinds; return how many there are of each."""
    folder.mkdir()
    found = [sorted(_SHARED.glob(kind)) for kind in _KINDS]
    count: dict[str, int] = {}
    for number, path in enumerate(list(chain.from_iterable(_in_turns(found)))[:most]):
        shutil.copy(path, folder / f"{number:03}{path.suffix}")
        count[path.suffix] = count.get(path.suffix, 0) + 1
    return ", ".join(f"{number} {suffix}" for suffix, number in count.items())


def _in_turns(kinds: Sequence[Sequence[Path]]) -> Iterator[list[Path]]:
    for at in range(max(map(len, kinds))):
        yield [kind[at] for kind in kinds if at < len(kind)]


def _watched(folder: Path) -> list[_Held]:
    """Ingest the documents, and return what was held from time to time."""
    vault, home = folder / "vault", folder / "home"
    vault.mkdir()
    home.mkdir()
    (vault / "Mill.md").write_text("# Mill\n\nWhere flour comes from.\n", encoding="utf-8")
    config = folder / "config.toml"
    config.write_text(f'vault = "{vault}"\nstate = "{home}"\n', encoding="utf-8")
    command = [sys.executable, "-c", "from lacuna import main; main()", "--config", str(config)]
    root = Path(__file__).resolve().parents[1]
    with subprocess.Popen(
        [*command, "ingest", str(folder / "documents")],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        held, until = [], time.monotonic() + _LIMIT
        while process.poll() is None and time.monotonic() < until:
            if (now := _held(process.pid)) is not None:
                held.append(now)
            time.sleep(_EVERY)
        process.kill()
    return held


def _held(pid: int) -> _Held | None:
    """Return what is held now; None if a process ended meanwhile."""
    try:
        every = [pid, *children(pid)]
        files = len(list((Path("/proc") / str(pid) / "fd").iterdir()))
        return _Held(files, len(every), sum(map(resident_mb, every)))
    except OSError:
        return None


def _rows(held: Sequence[_Held], what: str) -> Iterator[Row]:
    """Compare the second tenth of the time with the last one."""
    tenth = max(len(held) // 10, 1)
    first, last = held[tenth : 2 * tenth] or held, held[-tenth:]
    files, files_after = (max(each.files for each in part) for part in (first, last))
    processes, processes_after = (max(each.processes for each in part) for part in (first, last))
    mb, mb_after = (max(each.mb for each in part) for part in (first, last))
    name = f"ingest of {what}"
    yield Row(
        f"open files, {name}",
        f"{files} at the beginning, {files_after} at the end",
        f"{_MOST_FILES} more",
        f"{files_after - files}",
        f"≤ {_MOST_FILES}",
        files_after - files <= _MOST_FILES,
    )
    yield Row(
        f"processes, {name}",
        f"{processes} at the beginning, {processes_after} at the end",
        "none more",
        f"{processes_after - processes}",
        f"≤ {_MOST_CHILDREN}",
        processes_after - processes <= _MOST_CHILDREN,
    )
    yield Row(
        f"memory with all processes, {name}",
        f"{mb:.0f} MB at the beginning, {mb_after:.0f} MB at the end",
        f"{_MOST_GROWTH:g} times",
        f"{mb_after / mb:.2f}",
        f"≤ {_MOST_GROWTH:g}",
        mb_after <= mb * _MOST_GROWTH,
    )
