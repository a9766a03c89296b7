"""Choose which library embeds: sentence-transformers, or onnxruntime with a copy of the same
model.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from daemon.adapters.embed_protocol import Start
from daemon.model.errors import ModelError
from daemon.model.late import LateModule
from daemon.model_files import is_reference
from daemon.ports import Vectors
from daemon.prepared_model import (
    CHUNKS,
    Places,
    Report,
    can_make,
    has_torch,
    may_have_accelerator,
)

if TYPE_CHECKING:
    from daemon.adapters import onnx_copy, onnx_encoder
else:  # what a copy is made and embedded with need not be installed
    onnx_copy = LateModule("daemon.adapters.onnx_copy")
    onnx_encoder = LateModule("daemon.adapters.onnx_encoder")

# Texts to their vectors.
Embed: TypeAlias = Callable[[Any], Vectors]

_log = logging.getLogger(__name__)

_ENOUGH = 2 * CHUNKS  # texts embedded by one process from which a copy pays off
_WARM_UP = 8  # texts
_REFERENCE = "pip install 'lacuna-daemon[offline]'"


class Backend:
    """Embeds with the copy if there is a good one, otherwise with the original.

    Without a copy, makes one as soon as there are enough texts to compare it on. `load_torch`
    returns the original and its device; `note` is called with messages for the user. Raises
    ModelError.
    """

    def __init__(
        self,
        start: Start,
        source: Path,
        load_torch: Callable[[], tuple[Embed, str]],
        note: Callable[[str], None],
    ) -> None:
        self._start = start
        self._source = source
        self._note = note
        places = Places(
            start.model,
            Path(start.model_path) if start.model_path else None,
            Path(start.state) if start.state else None,
        )
        self._places = places.of(source)
        found = places.find(source)
        self._place = found[0] if found is not None else self._places[0]
        self.report = found[1] if found is not None else None
        self._has_torch = has_torch() and is_reference(source)
        self._sample = _Sample()
        may_make = start.backend != "torch" and can_make()
        self._is_sampling = may_make and (self.report is None or not self.report.is_checked)
        if self._prefers_copy(is_accelerated=may_have_accelerator()):
            self._embed: Embed = self._copy().embed
            return
        self._embed, device = load_torch()
        is_accelerated = device != "cpu"
        if self._prefers_copy(is_accelerated=is_accelerated):
            self._embed = self._copy().embed
        self._is_sampling &= start.backend == "onnx" or not is_accelerated

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, d)` float32 vectors of unit length."""
        began = time.process_time()
        vectors = self._embed(texts)
        if self._is_sampling:
            self._sample.add(texts, vectors, time.process_time() - began)
            if len(self._sample.texts) >= _ENOUGH:
                self._make(self._sample)
        return vectors

    def make(self, texts: Sequence[str]) -> Vectors:
        """Make a copy now and compare it on `texts`; return `(1, 1)` 1.0 if it is good."""
        sample = _Sample()
        for some in (texts[:_WARM_UP], texts[_WARM_UP:]):
            began = time.process_time()
            sample.add(some, self._embed(some), time.process_time() - began)
        self._make(sample)
        is_good = self.report is not None and bool(self.report.precision)
        return np.full((1, 1), is_good, dtype="<f4")

    def _prefers_copy(self, *, is_accelerated: bool) -> bool:
        if not self._has_torch:
            return True
        report, backend = self.report, self._start.backend
        if report is None or not report.precision or backend == "torch":
            return False
        return backend == "onnx" or (report.is_faster and not is_accelerated)

    def _make(self, sample: _Sample) -> None:
        """Make a copy, and embed with it from now on if it is good."""
        self._sample, self._is_sampling = _Sample(), False
        self._note("making a faster copy of the embedding model, only once")
        try:
            compared = sample.compared("torch" if self._has_torch else onnx_copy.FLOAT)
            report = self._written(
                lambda place: onnx_copy.make_checked(self._source, place, compared)
            )
        except ModelError as error:
            why = str(error)
            report = self._written(lambda place: onnx_copy.keep_refusal(place, why))
        except OSError as error:
            self._note(f"could not make a copy of the embedding model: {error}")
            return
        self._note(report.summary)
        if report.precision and self._prefers_copy(is_accelerated=False):
            self._embed = self._copy().embed

    def _written(self, write: Callable[[Path], Report]) -> Report:
        """Write to the first writable place. Raises OSError if there is none."""
        for place in self._places[:-1]:
            try:
                self._place, self.report = place, write(place)
            except OSError as error:
                _log.info("%s: %s", place, error)
            else:
                return self.report
        self._place, self.report = self._places[-1], write(self._places[-1])
        return self.report

    def _copy(self) -> onnx_encoder.OnnxEncoder:
        """Load the copy; with neither a copy nor torch, make the exact copy first."""
        report: Report | None = self.report
        if report is None or not report.precision:
            if not can_make():
                raise ModelError(f"no embedding library is installed: {_REFERENCE}")
            try:
                report = self._written(lambda place: onnx_copy.make_float(self._source, place))
            except ModelError as error:
                raise ModelError(f"{error}: {_REFERENCE}") from error
        return onnx_encoder.OnnxEncoder(self._place, report.longest, self._start.threads)


class _Sample:
    """Texts that the original has embedded, with their vectors and the CPU time taken."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._vectors: list[Vectors] = []
        self._measured = 0  # texts, except for the first ones, which warm up
        self._seconds = 0.0

    def add(self, texts: Sequence[str], vectors: Vectors, seconds: float) -> None:
        if self.texts:
            self._measured += len(texts)
            self._seconds += seconds
        self.texts.extend(texts)
        self._vectors.append(vectors)

    def compared(self, original: str) -> onnx_copy.Compared:
        """Return some of them, evenly spread."""
        step = max(len(self.texts) // CHUNKS, 1)
        speed = self._measured / max(self._seconds, 1e-3)
        vectors = np.concatenate(self._vectors)
        return onnx_copy.Compared(original, self.texts[::step], vectors[::step], speed)
