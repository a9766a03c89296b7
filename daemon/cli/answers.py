"""Measure how well questions with known answers are answered."""

import time
from collections.abc import Callable
from pathlib import Path

from daemon.cli.options import Options
from daemon.cli.output import emit, say, warn
from daemon.cli.progress import progress
from daemon.cli.session import stoppable
from daemon.model.wording import counted
from daemon.usecases.answers import AnswersRequest, measure_answers

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
    request = AnswersRequest(file=path, limit=limit)
    with stoppable() as stop, progress() as bars:
        found = measure_answers(options, request, stop=stop, progress=_timed(bars), warn=warn)
    if options.json:
        emit(found.as_json())
        return
    say(f"{counted(found.documents, 'document')}, {counted(found.questions, 'question')}")
    say(", ".join(f"{what}: {name or 'none'}" for what, name in found.models.items()))
    say()
    say(f"{'':31}" + "".join(f"{name:>10}" for name in _COLUMNS.values()))
    for way, row in found.results.items():
        cells = [_cell(row[key]) for key in _COLUMNS]
        say(f"{_SHOWN[way]:31}" + "".join(f"{cell:>10}" for cell in cells))
    say()
    say("answer   the quotes overlap the reference answer")
    say("whole    one quote contains it")
    say("others   irrelevant documents used")
    say("refused  relevant documents not used")


def _cell(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:.3f}"


def _timed(bars: _Progress) -> _Progress:
    """Add to the progress how long the rest will take."""
    started = time.monotonic()

    def show(done: int, total: int, what: str) -> None:
        nonlocal started
        if done == 0:
            started = time.monotonic()
        left = (time.monotonic() - started) / done * (total - done) if done else 0.0
        bars(done, total, f"{what}, about {left / 60:.0f} min left" if left >= 60 else what)

    return show
