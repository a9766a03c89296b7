"""A copy of an embedding model in ONNX format, made on this machine, and its comparison.

The copy is in a folder of the user's cache, with its tokenizer and a report. The report says how
close its vectors are to the original's, and how fast both are.
"""

import hashlib
import importlib.util
import json
import os
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path

from daemon.model_files import model_name

MODEL, TOKENIZER, REPORT = "model.onnx", "tokenizer.json", "report.json"
CHUNKS = 200  # on which a copy is compared
# Cosines between the vectors of the copy and the original, over the compared chunks. Within these
# bounds the vectors of both may share one index.
LOWEST, MEAN = 0.97, 0.985
_FASTER = 1.2  # speed-up from which the copy is worth using
_FOLDER = "models"
_VERSION = 2  # of how copies are made and checked


@dataclass(frozen=True, slots=True)
class Report:
    """How a copy was made and how it compares with `original` (`torch` or `float32`).

    `precision` is `int8` or `float32`, or empty if no copy is close enough; `why` has the reason.
    `chunks` were compared, none of them for a float32 copy that is itself the original. Speeds are
    chunks per second of CPU time.
    """

    precision: str
    sha256: str
    longest: int
    original: str
    chunks: int = 0
    lowest: float = 0.0
    mean: float = 0.0
    speed: float = 0.0
    original_speed: float = 0.0
    why: str = ""
    processor: str = ""
    tokenizer_sha256: str = ""
    made_by: int = _VERSION

    @property
    def is_checked(self) -> bool:
        """Return whether there is nothing left to find out."""
        return not self.precision or self.chunks > 0

    @property
    def is_faster(self) -> bool:
        """Return whether the copy is good and worth using instead of the original."""
        return bool(self.precision) and self.speed >= _FASTER * self.original_speed

    @property
    def summary(self) -> str:
        """Describe the comparison in one line."""
        if not self.precision:
            return f"{self.original} embeds: {self.why}"
        if not self.chunks:
            return f"onnxruntime embeds ({self.precision})"
        return (
            f"onnxruntime with {self.precision} weights embeds {self.speed:.0f} chunks per second"
            f" of CPU, {self.original} {self.original_speed:.0f}; cosine of their vectors at least"
            f" {self.lowest:.3f}, mean {self.mean:.3f} ({self.chunks} chunks)"
        )


@dataclass(frozen=True, slots=True)
class Places:
    """Where copies of a model are stored: in the user's cache or, if that is not writable, in the
    state of the vault. `state` is None without a vault.
    """

    model: str
    model_path: Path | None
    state: Path | None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def of(self, source: Path) -> tuple[Path, ...]:
        """Return the folders for the copy of the model in the folder `source`, best first."""
        digest = model_name("", source).rpartition("#")[2]
        return tuple(root / f"{self._name}#{digest}" for root in self._roots)

    def find(self, source: Path) -> tuple[Path, "Report"] | None:
        """Return the copy of the model in the folder `source`, with its report."""
        for place in self.of(source):
            report = read_copy(place)
            if report is not None:
                return place, report
        return None

    def to_make_in(self, backend: str) -> Path | None:
        """Return the folder of the cache in which a copy would be made, or None if none is due."""
        if backend == "torch" or not can_make():
            return None
        folders = (folder for root in self._roots for folder in root.glob(f"{self._name}#*"))
        reports = map(read_report, folders)
        is_there = any(report is not None and report.is_checked for report in reports)
        return None if is_there else self._roots[0]

    @property
    def _roots(self) -> tuple[Path, ...]:
        cache_home = self.environ.get("XDG_CACHE_HOME") or "~/.cache"
        root = Path(cache_home).expanduser() / "lacuna" / _FOLDER
        return (root,) if self.state is None else (root, self.state / _FOLDER)

    @property
    def _name(self) -> str:
        """Return the name of a copy's folder, without a digest."""
        path = self.model_path
        return re.sub(r"[^\w.-]+", "-", path.name if path else self.model.rpartition("/")[2])


def read_report(folder: Path) -> Report | None:
    """Return the report on a copy; None if there is none, or it is of another processor."""
    try:
        report = Report(**json.loads((folder / REPORT).read_text("utf-8")))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    numbers = (report.longest, report.chunks, report.speed, report.original_speed)
    if not all(isinstance(each, int | float) for each in numbers):
        return None
    is_current = (report.made_by, report.processor) == (_VERSION, processor())
    return report if is_current else None


def write_report(folder: Path, report: Report) -> None:
    """Write the report on a copy atomically. Raises OSError."""
    new = folder / f"{REPORT}.{os.getpid()}"
    new.write_text(json.dumps(asdict(report), indent=2), "utf-8")
    new.replace(folder / REPORT)


def read_copy(folder: Path) -> Report | None:
    """Return the report like `read_report`, None also if a file of the copy was changed."""
    report = read_report(folder) if can_run() else None
    if report is None or not report.precision:
        return report
    try:
        digests = sha256_of(folder / MODEL), sha256_of(folder / TOKENIZER)
    except OSError:
        return None
    return report if digests == (report.sha256, report.tokenizer_sha256) else None


def sha256_of(file: Path) -> str:
    """Return the sha256 of a file in hexadecimal. Raises OSError."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def can_run() -> bool:
    """Return whether the libraries that run a copy are installed."""
    return all(map(importlib.util.find_spec, ("onnxruntime", "tokenizers")))


def can_make() -> bool:
    """Return whether the libraries that make a copy are installed, too."""
    return can_run() and importlib.util.find_spec("safetensors") is not None


def has_torch() -> bool:
    """Return whether the reference library is installed."""
    return importlib.util.find_spec("sentence_transformers") is not None


def accelerators(devices: Path = Path("/dev")) -> tuple[Path, ...]:
    """Return the graphics devices on which the installed torch could compute.

    Torch writes to them. Determined without loading torch, on Linux only.
    """
    if not has_torch() or "+cpu" in version("torch"):
        return ()
    patterns = ["nvidia*", *(["kfd", "dri/renderD*"] if (devices / "kfd").exists() else [])]
    found = (path for pattern in patterns for path in devices.glob(pattern))
    return tuple(sorted(path for path in found if not path.is_dir()))


def may_have_accelerator() -> bool:
    """Return whether there could be a graphics card for torch; determined without loading it."""
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    return bool(accelerators())


@cache
def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Name the processor, on which the precision of int8 arithmetic depends."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", cpuinfo.read_text("utf-8"), re.MULTILINE)
    except (OSError, UnicodeDecodeError):
        found = None
    return f"{platform.machine()} {found[1].strip() if found else platform.processor()}".strip()
