"""Measure on the user's own vault how many hidden links search finds."""

from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

from daemon.analysis.evaluate import NEAREST, Evaluation, Sample, Vault, evaluate
from daemon.analysis.suggest import Signal
from daemon.app import App
from daemon.index.sync import Syncer
from daemon.model.progress import Progress
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

    source: str = Field(description="Vault-relative path of the note with the link.")
    target: str = Field(description="Vault-relative path of the linked note.")
    ranks: dict[str, int] = Field(description="Method: rank of the linked note, from 1.")


class EvaluationDocument(Document):
    """How many hidden links are found, by several methods."""

    notes: int = Field(description="Number of notes.")
    links: int = Field(description="Pairs of notes that are linked.")
    share: float = Field(description="Share of the links that were hidden, from 0 to 1.")
    seed: int = Field(description="Seed that chose the hidden links.")
    nearest: int = Field(description="Number of nearest notes that `recall@10` counts.")
    embedded: int = Field(description="Chunks that had to be embedded again.")
    results: dict[str, Score] = Field(description="Method: how well it found the hidden links.")
    weights: dict[str, float] = Field(description="Signal: its weight in the combined method.")
    hidden: tuple[HiddenLink, ...] = Field(
        description="The hidden links, with the ranks of their notes."
    )


def evaluation(
    app: App, request: EvaluationRequest, *, now: datetime, stop: Stop, progress: Progress
) -> EvaluationDocument:
    """Hide links in a copy of the index, and measure how many are found."""
    vault = Vault(
        app.adapter,
        app.index.knowledge.notes,
        app.children.embedder.model,
        lambda adapter, notes: Syncer(
            adapter,
            notes,
            None,
            app.children.embedder,
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
