"""Embedding through the child process into the store, beside the bare library, turn by turn.

Once with torch, once with the copy of the model for onnxruntime, which is made where there is none.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.indexed import Indexed, open_index
from bench.measure import Took, alone, clock, load
from bench.places import Places
from bench.process import cpu_seconds, is_reported
from bench.table import Row
from daemon.adapters.embedder import ChildEmbedder
from daemon.config import Settings
from daemon.index.chunk import embedded_text
from daemon.model_files import find_model
from daemon.prepared_model import can_make

SHARE = 0.95
FASTER = 1.8  # times the bare library, with the copy
_NOTES = 60  # of a real vault have some 400 chunks
_ROUNDS = 4
# With more, a thread that waits for another on a busy machine counts as work.
_THREADS = 1
_PATIENCE = 3600.0  # seconds for which the child waits while it is the other's turn


@dataclass(slots=True)
class Ours:
    """An index and what embeds into it, and what that took."""

    backend: str
    indexed: Indexed
    embedder: ChildEmbedder
    took: Took = field(default_factory=Took)
    chunks: int = 0


def rows(places: Places) -> Iterator[Row]:
    model = find_model(Settings().embedding.model, None)
    if model is None or not is_reported():
        return
    vault = places.real("jackyzha0") or places.made(2_000)
    found = alone("embedding", vault, model.path, 2 if places.quick else _ROUNDS)
    bare = found["bare"]
    for backend, least in (("torch", SHARE), ("onnx", FASTER)):
        ours = found["ours"].get(backend)
        if ours is None:
            continue
        ratio = bare["cpu"] / ours["cpu"]
        yield Row(
            f"embedding {found['chunks']} chunks of {vault.name} ({backend}),"
            f" {found['rounds']} times",
            _row(found, ours),
            f"bare encode, in turn: {_row(found, bare)}; {load()}",
            f"{ratio:.3f} (wall {bare['wall'] / ours['wall']:.3f})",
            f"≥ {least}",
            ratio >= least,
        )


def _row(found: Mapping[str, Any], took: Mapping[str, float]) -> str:
    chunks = found["chunks"] * found["rounds"]
    return f"{chunks / took['cpu']:.1f} chunks per s of CPU ({chunks / took['wall']:.1f} of clock)"


def measure(vault: str, model: str, rounds: str) -> dict[str, Any]:
    """Embed some notes' chunks in turn: the child and the store, then the bare library."""
    with tempfile.TemporaryDirectory(prefix="lacuna-bench-") as folder, ExitStack() as stack:
        _some(Path(vault), Path(folder) / "vault")
        ours = [
            Ours(backend, *_opened(backend, Path(folder), stack))
            for backend in (("torch", "onnx") if can_make() else ("torch",))
        ]
        texts = [embedded_text(each.heading, each.text) for each in ours[0].indexed.notes.chunks()]
        for each in ours:
            if each.backend == "onnx":
                each.embedder.make_copy(texts)
            each.embedder.embed(["The first text waits for the model to load."])
        bare = Took()
        with _bare(model, texts) as process:
            for _ in range(int(rounds)):
                for each in ours:
                    each.chunks = _ours(each)
                _theirs(process, bare)
        return {
            "chunks": ours[0].chunks,
            "rounds": int(rounds),
            "ours": {each.backend: {"wall": each.took.wall, "cpu": each.took.cpu} for each in ours},
            "bare": {"wall": bare.wall, "cpu": bare.cpu},
        }


def _opened(backend: str, folder: Path, stack: ExitStack) -> tuple[Indexed, ChildEmbedder]:
    """Index the notes in a state of their own, without embeddings."""
    embedder = ChildEmbedder(
        Settings().embedding.model, threads=_THREADS, idle_seconds=_PATIENCE, backend=backend
    )
    stack.callback(embedder.close)
    indexed = open_index(folder / "vault", folder / backend, embedder)
    stack.callback(indexed.db.close)
    indexed.sync(embed=False)
    return indexed, embedder


def _some(vault: Path, into: Path) -> None:
    """Copy some of a vault's notes, evenly taken from all of it."""
    notes = sorted(vault.rglob("*.md"))
    into.mkdir()
    for number, note in enumerate(notes[:: max(len(notes) // _NOTES, 1)]):
        (into / f"{number} {note.name}").write_bytes(note.read_bytes())


def _ours(ours: Ours) -> int:
    """Forget the embeddings and make them again; return how many there were to make."""
    indexed, embedder, took = ours.indexed, ours.embedder, ours.took
    indexed.db.execute("DELETE FROM embeddings")
    indexed.notes.embeddings.begin_at(1)
    child = embedder.pid
    if child is None:
        raise RuntimeError("the embedding process has ended")
    before = cpu_seconds(child)
    with clock() as one:
        embedded = indexed.sync().embedded
    took.wall += one.wall
    took.cpu += one.cpu + cpu_seconds(child) - before
    return embedded


@contextmanager
def _bare(model: str, texts: Sequence[str]) -> Iterator["subprocess.Popen[str]"]:
    asked = {"model": model, "threads": _THREADS, "texts": list(dict.fromkeys(texts))}
    with subprocess.Popen(
        [sys.executable, "-m", "bench.bare"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        _say(process, json.dumps(asked))
        yield process
        if process.stdin is not None:
            process.stdin.close()


def _theirs(process: "subprocess.Popen[str]", took: Took) -> None:
    _say(process, "")
    answer = json.loads(process.stdout.readline() if process.stdout is not None else "")
    took.wall += answer["wall"]
    took.cpu += answer["cpu"]


def _say(process: "subprocess.Popen[str]", line: str) -> None:
    if process.stdin is not None:
        process.stdin.write(line + "\n")
        process.stdin.flush()
