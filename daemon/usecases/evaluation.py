"""Measure on the user's own vault how many hidden links search finds."""

from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

from daemon.analysis.evaluate import NEAREST, Evaluation, Sample, Vault, evaluate
from daemon.analysis.suggest import Signal
from daemon.app import App
from daemon.cycle.knowledge import Progress
from daemon.index.sync import Syncer
from daemon.ports import Stop
from daemon.usecases.document import Document, Request

RECALL = f"recall@{NEAREST}"


class EvaluationRequest(Request):
    """Which links to hide."""

    share: float = Field(default=0.2, gt=0, le=1, description="Share of all links.")
    seed: int = Field(default=0, description="Another seed hides other links.")
    limit: int | None = Field(default=None, ge=1, description="Maximum number of links.")


class Score(Document):
    """How well the hidden notes are found by one method."""

    recall: float = Field(alias="recall@10", description=f"Share among the nearest {NEAREST}.")
    mrr: float = Field(description="Mean of one over the rank.")


class HiddenLink(Document):
    """A hidden link, and the rank of its note by each method, from 1."""

    source: str
    target: str
    ranks: dict[str, int]


class EvaluationDocument(Document):
    """How many hidden links are found, by several methods."""

    notes: int
    links: int = Field(description="Pairs of notes that are linked.")
    share: float
    seed: int
    nearest: int
    embedded: int = Field(description="Chunks that had to be embedded again.")
    results: dict[str, Score]
    weights: dict[str, float]
    hidden: tuple[HiddenLink, ...]


def evaluation(
    app: App, request: EvaluationRequest, *, now: datetime, stop: Stop, progress: Progress
) -> EvaluationDocument:
    """Hide links in a copy of the index, and measure how many are found."""
    vault = Vault(
        app.adapter,
        app.knowledge.notes,
        app.embedder.model,
        lambda adapter, notes: Syncer(
            adapter,
            notes,
            None,
            app.embedder,
            inbox=app.settings.inbox.folder,
            standings=app.stores.findings.standings,
        ),
    )
    sample = Sample(request.share, request.seed, request.limit)
    with TemporaryDirectory(prefix="lacuna-eval-") as folder:
        found = evaluate(vault, sample, Path(folder), now=now, progress=progress, stop=stop)
    return _document(found, request)


def _document(found: Evaluation, request: EvaluationRequest) -> EvaluationDocument:
    return EvaluationDocument(
        notes=found.notes,
        links=found.links,
        share=request.share,
        seed=request.seed,
        nearest=NEAREST,
        embedded=found.embedded,
        results={by.value: _score(found, by) for by in Signal},
        weights={name: round(weight, 4) for name, weight in found.weights.items()},
        hidden=tuple(
            HiddenLink(
                source=link.source,
                target=link.target,
                ranks={by.value: found.ranks[by][place] for by in Signal},
            )
            for place, link in enumerate(found.hidden)
        ),
    )


def _score(found: Evaluation, by: Signal) -> Score:
    reached = found.found(by)
    return Score.model_validate({RECALL: round(reached.recall, 4), "mrr": round(reached.mrr, 4)})
