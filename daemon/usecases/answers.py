"""Measure how well questions with known answers are answered."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

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
from daemon.usecases.document import Document, Request
from daemon.usecases.setup import ConfigPlace

_Progress = Callable[[int, int, str], None]


class AnswersRequest(Request):
    """Which questions to measure."""

    file: Path = Field(description="A SQuAD or PubMedQA file.")
    limit: int | None = Field(default=None, ge=1, description="Maximum number of questions.")


class AnswersDocument(Document):
    """How well the questions of a file are answered by several methods."""

    file: str = Field(description="Path of the file.")
    documents: int = Field(description="Number of documents in the file.")
    questions: int = Field(description="Number of questions that were measured.")
    models: dict[str, str] = Field(description='Names of the models; "" for one that is missing.')
    results: dict[str, dict[str, float | None]] = Field(
        description="Figures by method; null where one does not apply."
    )


def measure_answers(
    place: ConfigPlace,
    request: AnswersRequest,
    *,
    stop: Stop,
    progress: _Progress,
    warn: Callable[[str], None],
) -> AnswersDocument:
    """Answer the questions of a file by several methods, and measure how well.

    Needs no vault. `warn` gets a line when there is no embedding model. Raises LacunaError.
    """
    data = load_answers(request.file)
    data = replace(data, questions=data.questions[: request.limit])
    settings = load_settings(place.config, must_exist=False, needs_vault=False)
    with (
        open_models(settings) as (embedder, reranker),
        TemporaryDirectory(prefix="lacuna-eval-") as folder,
    ):
        has_meaning = _works(embedder, warn)
        figures, model = _measure(
            data, embedder, reranker, Path(folder), stop, progress, has_meaning=has_meaning
        )
    return AnswersDocument(
        file=str(request.file),
        documents=figures.documents,
        questions=len(data.questions),
        models={"embedding": embedder.model if has_meaning else "", "reranker": model},
        results=dict(figures.table()),
    )


def _measure(
    data: AnswerData,
    embedder: Embedder,
    reranker: Reranker | None,
    folder: Path,
    stop: Stop,
    progress: _Progress,
    *,
    has_meaning: bool,
) -> tuple[Figures, str]:
    """Return the figures, and the name of the cross-encoder or ""."""
    recall = Recall(RunMemory(RunDirectory(folder)), embedder=embedder)
    bench = Bench(data, recall, has_meaning=has_meaning, stop=stop, progress=progress)
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
    return bench.measure(ways, stop, progress), model


def _works(embedder: Embedder, warn: Callable[[str], None]) -> bool:
    try:
        embedder.embed(["a gap in a manuscript"])
    except ModelError as error:
        warn(f"measured without an embedding model: {error}")
        return False
    return True
