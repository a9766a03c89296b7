"""Hidden links that are found again, with torch and with the int8 copy of the model."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.indexed import open_index
from bench.measure import alone, load
from bench.places import Places
from bench.process import cpu_seconds, is_reported
from bench.table import Row
from daemon.adapters.embedder import ChildEmbedder
from daemon.analysis.evaluate import Evaluation, Sample, Vault, evaluate
from daemon.analysis.suggest import Signal
from daemon.config import Settings
from daemon.index.chunk import embedded_text
from daemon.index.sync import Syncer
from daemon.model_files import find_model
from daemon.ports import Stop
from daemon.prepared_model import Places as CopyPlaces
from daemon.prepared_model import can_make
from vault_adapters import open_vault

MAX_LOSS = 0.01  # of recall@10, the mean of the seeds
MIN_SPEEDUP = 1.8
_VAULTS = ("dendron_site", "til")  # not used when the copy was designed
_CHARACTERS = 2_000  # of each note: one or two chunks
_SEEDS = (0, 1, 2)
_SIGNALS = (Signal.MEANING, Signal.TEXT, Signal.BOTH)
_PATIENCE = 3600.0  # seconds for which a child waits


def rows(places: Places) -> Iterator[Row]:
    if find_model(Settings().embedding.model, None) is None or not can_make() or not is_reported():
        return
    for name in _VAULTS:
        vault = places.real(name)
        if vault is not None:
            yield from _rows(name, alone("recall", vault))


def _rows(name: str, found: Mapping[str, Any]) -> Iterator[Row]:
    for signal in _SIGNALS:
        torch, onnx = (found[backend]["recall"][signal] for backend in ("torch", "onnx"))
        loss = sum(torch) / len(torch) - sum(onnx) / len(onnx)
        yield Row(
            f"recall@10 by {signal} of the int8 copy, {name}, {found['hidden']} hidden links",
            ", ".join(f"{each:.3f}" for each in onnx),
            f"torch: {', '.join(f'{each:.3f}' for each in torch)}",
            f"{loss:+.4f}",
            f"≤ {MAX_LOSS}",
            loss <= MAX_LOSS,
        )
    speedup = found["torch"]["cpu"] / found["onnx"]["cpu"]
    yield Row(
        f"embedding {found['chunks']} chunks of {name} with the int8 copy",
        f"{found['chunks'] / found['onnx']['cpu']:.1f} chunks per s of CPU",
        f"torch: {found['chunks'] / found['torch']['cpu']:.1f}; {load()}",
        f"{speedup:.2f}",
        f"≥ {MIN_SPEEDUP}",
        speedup >= MIN_SPEEDUP,
    )


def measure(vault: str) -> dict[str, Any]:
    """Index the beginnings of a vault's notes with both, and search for hidden links."""
    with tempfile.TemporaryDirectory(prefix="lacuna-bench-") as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"  # for a copy that nobody else removes
        notes = Path(folder) / "vault"
        for note in sorted(Path(vault).rglob("*.md")):
            copy = notes / note.relative_to(vault)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(note.read_text("utf-8", "replace")[:_CHARACTERS], "utf-8")
        return {
            key: value
            for backend in ("torch", "onnx")
            for key, value in _with(backend, notes, Path(folder) / backend).items()
        }


def _with(backend: str, vault: Path, state: Path) -> dict[str, Any]:
    """Return the CPU of embedding, and recall by signal, one for each seed."""
    name = Settings().embedding.model
    embedder = ChildEmbedder(name, threads=1, idle_seconds=_PATIENCE, backend=backend)
    with closing(embedder):
        indexed = open_index(vault, state, embedder)
        indexed.sync(embed=False)
        texts = [embedded_text(each.heading, each.text) for each in indexed.notes.chunks()]
        if backend == "onnx":
            embedder.make_copy(texts)
            _check_copy(name)
        embedder.embed(["The first text waits for the model to load."])
        child = embedder.pid
        if child is None:
            raise RuntimeError("the embedding process has ended")
        before = cpu_seconds(child)
        chunks = indexed.sync().embedded
        cpu = cpu_seconds(child) - before
        measured = Vault(
            open_vault(vault),
            indexed.notes,
            embedder.model,
            lambda adapter, notes: Syncer(adapter, notes, None, embedder),
        )
        found = [_evaluated(measured, state / f"seed {seed}", seed) for seed in _SEEDS]
        recall = {signal: [each.found(signal).recall for each in found] for signal in _SIGNALS}
        indexed.db.close()
    hidden = len(found[0].hidden)
    return {backend: {"cpu": cpu, "recall": recall}, "chunks": chunks, "hidden": hidden}


def _check_copy(name: str) -> None:
    """Raise RuntimeError if there is no copy with int8 weights: torch would be measured twice."""
    model = find_model(name, None)
    found = CopyPlaces(name, None, None).find(model.path) if model is not None else None
    if found is None or not found[1].precision.startswith("int8"):
        raise RuntimeError(found[1].summary if found is not None else "no copy was made")


def _evaluated(vault: Vault, folder: Path, seed: int) -> Evaluation:
    folder.mkdir()
    sample, now = Sample(seed=seed), datetime.now(UTC)
    return evaluate(vault, sample, folder, now=now, progress=lambda *_: None, stop=Stop())
