"""Measure how well questions with known answers are answered."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from daemon.cli.options import Options
from daemon.cli.output import emit, say
from daemon.cli.progress import progress
from daemon.cli.session import stoppable
from daemon.composition import open_models
from daemon.config import load_settings
from daemon.model.errors import ModelError
from daemon.ports import Embedder, Reranker, Stop
from daemon.research.answer_data import AnswerData, load_answers
from daemon.research.answer_figures import Bench, Figures
from daemon.research.recall import Recall
from daemon.research.scores import Scores
from daemon.store.run_files import RunDirectory
from daemon.store.run_memory import RunMemory

_SHOWN = {
    "with_reranker": "ours, with the cross-encoder",
    "without_reranker": "ours, without a cross-encoder",
    "without_models": "ours, by words alone",
    "bm25": "BM25",
    "embedding": "embedding model",
}
_COLUMNS = {
    "answer_in_quotes": "answer",
    "whole_answer_in_a_quote": "whole",
    "recall@1": "recall@1",
    "recall@5": "recall@5",
    "others_passed": "others",
    "right_refused": "refused",
}
_Progress = Callable[[int, int, str], None]


def evaluate_answers(options: Options, path: Path, limit: int | None) -> None:
    """Answer the questions of a file by several methods, and print how well."""
    data = load_answers(path)
    data = replace(data, questions=data.questions[:limit])
    settings = load_settings(options.config, must_exist=False, needs_vault=False)
    with (
        open_models(settings) as (embedder, reranker),
        TemporaryDirectory(prefix="lacuna-eval-") as folder,
        stoppable() as stop,
        progress() as bars,
    ):
        figures, models = _measure(data, embedder, reranker, Path(folder), stop, _timed(bars))
    if options.json:
        emit(
            {
                "file": str(path),
                "documents": figures.documents,
                "questions": len(data.questions),
                "models": models,
                "results": figures.table(),
            }
        )
        return
    say(f"{figures.documents} documents, {len(data.questions)} questions")
    say(", ".join(f"{what}: {name or 'none'}" for what, name in models.items()))
    say()
    say(f"{'':31}" + "".join(f"{name:>10}" for name in _COLUMNS.values()))
    for way, row in figures.table().items():
        cells = ["–" if row[key] is None else f"{row[key]:.3f}" for key in _COLUMNS]
        say(f"{_SHOWN[way]:31}" + "".join(f"{cell:>10}" for cell in cells))
    say()
    say("answer: the quotes overlap it; whole: one quote holds it; others: documents that answer")
    say("other questions, but would be used; refused: right documents that would not be used")


def _measure(
    data: AnswerData,
    embedder: Embedder,
    reranker: Reranker | None,
    folder: Path,
    stop: Stop,
    tell: _Progress,
) -> tuple[Figures, dict[str, str]]:
    recall = Recall(RunMemory(RunDirectory(folder)), embedder=embedder)
    has_meaning = _works(embedder)
    bench = Bench(data, recall, has_meaning=has_meaning, stop=stop, progress=tell)
    ways = {
        "without_reranker" if has_meaning else "without_models": Scores(
            RunMemory(RunDirectory(folder))
        )
    }
    model = ""
    if reranker is not None:
        scores = Scores(RunMemory(RunDirectory(folder / "scores")), reranker, is_live=True)
        if scores.of("a gap", ["A lacuna is a gap in a manuscript."]) is not None:
            ways = {"with_reranker": scores, **ways}
            model = reranker.model
    figures = bench.measure(ways, stop, tell)
    return figures, {"embedding": embedder.model if has_meaning else "", "reranker": model}


def _works(embedder: Embedder) -> bool:
    try:
        embedder.embed(["a gap in a manuscript"])
    except ModelError as error:
        click.echo(f"Measured without an embedding model: {error}", err=True)
        return False
    return True


def _timed(bars: _Progress) -> _Progress:
    """Add to the progress how long the rest will take."""
    started = time.monotonic()

    def tell(done: int, total: int, what: str) -> None:
        nonlocal started
        if done == 0:
            started = time.monotonic()
        left = (time.monotonic() - started) / done * (total - done) if done else 0.0
        bars(done, total, f"{what}, about {left / 60:.0f} min left" if left >= 60 else what)

    return tell
