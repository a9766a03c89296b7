"""Make a copy of an embedding model in ONNX format, and compare it with the original."""

import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from daemon.adapters.onnx_encoder import OnnxEncoder, make_uncased_tokenizer
from daemon.adapters.onnx_export import write_onnx
from daemon.adapters.onnx_weights import Bert, read_bert, read_packaged
from daemon.model.errors import ModelError
from daemon.model_files import is_reference
from daemon.ports import Vectors
from daemon.prepared_model import (
    LOWEST,
    MEAN,
    MODEL,
    TOKENIZER,
    Report,
    processor,
    sha256_of,
    write_report,
)
from daemon.store.private import make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

FLOAT = "float32"
# The copies to try, in order: the largest number of a weight; 0 is the exact copy.
_TRIED = {"int8": 127, "int8, 7 bits": 63, FLOAT: 0}
_WARM_UP = 4  # texts


@dataclass(frozen=True, slots=True)
class Compared:
    """Texts with the vectors that the original computed, and its speed in texts per second."""

    original: str
    texts: Sequence[str]
    vectors: Vectors
    speed: float


def make_float(source: Path, into: Path) -> Report:
    """Write the copy in single precision; without torch, this is the original.

    Raises ModelError for a model that cannot be copied, OSError.
    """
    with _made(source, into) as (model, folder):
        write_onnx(model, folder / MODEL)
        report = _report(folder, model, FLOAT, original=FLOAT)
        _keep(folder, into, report)
    return report


def make_checked(source: Path, into: Path, compared: Compared) -> Report:
    """Make the fastest copy that is close enough to the original, and keep it with its report.

    If there is none, keeps only the report. Raises ModelError, OSError.
    """
    with _made(source, into) as (model, folder):
        for precision, largest in _TRIED.items():
            write_onnx(model, folder / MODEL, largest=largest)
            found = _compare(folder, _report(folder, model, precision, compared.original), compared)
            if _is_similar(found):
                break
        if not _is_similar(found):
            why = f"its vectors differ (lowest cosine {found.lowest:.3f}, mean {found.mean:.3f})"
            found = replace(found, precision="", why=why)
        _keep(folder, into, found)
    return found


def keep_refusal(into: Path, why: str) -> Report:
    """Record that a model cannot be copied. Raises OSError."""
    report = Report("", "", 0, "torch", why=why, processor=processor())
    make_folder(into)
    write_report(into, report)
    return report


@contextmanager
def _made(source: Path, into: Path) -> "Iterator[tuple[Bert, Path]]":
    """Return the model and a folder next to `into` with its tokenizer; the folder is removed
    afterwards.
    """
    make_folder(into.parent)
    model = read_bert(source) if is_reference(source) else read_packaged(source / MODEL)
    with tempfile.TemporaryDirectory(dir=into.parent, prefix=".new-") as name:
        folder = Path(name)
        _put_tokenizer(source, folder / TOKENIZER)
        yield model, folder


def _put_tokenizer(source: Path, file: Path) -> None:
    """Write the tokenizer of a model; that of the packaged weights is built from its vocabulary."""
    if (source / TOKENIZER).is_file():
        shutil.copyfile(source / TOKENIZER, file)  # a sandbox forbids changing modes
    elif is_reference(source):
        raise ModelError(f"cannot copy the model to ONNX format: {source} has no {TOKENIZER}")
    else:
        make_uncased_tokenizer(file)


def _report(folder: Path, model: Bert, precision: str, original: str) -> Report:
    return Report(
        precision=precision,
        sha256=sha256_of(folder / MODEL),
        tokenizer_sha256=sha256_of(folder / TOKENIZER),
        longest=model.longest,
        original=original,
        processor=processor(),
    )


def _compare(folder: Path, report: Report, compared: Compared) -> Report:
    """Embed the same texts with the copy, on one thread."""
    encoder = OnnxEncoder(folder, report.longest, threads=1)
    encoder.embed(compared.texts[:_WARM_UP])
    began = time.process_time()
    vectors = encoder.embed(compared.texts)
    seconds = time.process_time() - began
    cosines = np.sum(vectors * compared.vectors, axis=1)
    return replace(
        report,
        chunks=len(compared.texts),
        lowest=round(float(cosines.min()), 5),
        mean=round(float(cosines.mean()), 5),
        speed=round(len(compared.texts) / max(seconds, 1e-3), 1),
        original_speed=round(compared.speed, 1),
    )


def _is_similar(report: Report) -> bool:
    return report.lowest >= LOWEST and report.mean >= MEAN


def _keep(folder: Path, into: Path, report: Report) -> None:
    """Move a copy into its place; the report, which contains its digest, comes last."""
    make_folder(into)
    for name in (MODEL, TOKENIZER) if report.precision else ():
        (folder / name).replace(into / name)
    write_report(into, report)
