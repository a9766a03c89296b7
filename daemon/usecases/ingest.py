"""Taking documents in: what is given, what became of each, and the command."""

import time
from pathlib import Path

from pydantic import Field

from daemon.app import App
from daemon.cycle.ingests import Ingests, Network
from daemon.model.literature import IngestOutcome, IngestStatus, InputType
from daemon.usecases.command import Command, Work
from daemon.usecases.document import Document, Number, Request

STDIN = "-"
MAX_STDIN = 900_000  # characters: a request has a limit


class IngestRequest(Request):
    """What to take in. Files are absolute paths."""

    inputs: tuple[str, ...] = Field(
        description="Addresses and files; `-` stands for the text.",
        min_length=1,
        examples=[["/home/me/Downloads/paper.pdf", "https://example.org/article"]],
    )
    text: str = Field(default="", description="The text for `-`.", max_length=MAX_STDIN)
    title: str = Field(default="", description="Title of the text. Default: its first line.")


class RelevantArea(Document):
    """A cluster or folder of the vault to which a document is relevant."""

    name: str = Field(description="Name of the cluster, or path of the folder.")
    score: Number = Field(description="Similarity of its nearest note, from 0 to 1.")
    note: str = Field(description="Vault-relative path of that note.")


class IngestResult(Document):
    """What became of one input."""

    input: str = Field(description="The address or file as it was given; `-` for stdin.")
    status: IngestStatus = Field(
        description="`written`: a note was written; `known`: the vault has one; `failed`: neither."
    )
    input_type: InputType | None = Field(description="Its kind, by its content; null: unknown.")
    literature_note: str | None = Field(
        description="Vault-relative path of its note, new or not; null: none."
    )
    atomic_notes: tuple[str, ...] = Field(description="Paths of notes on new concepts.")
    action_items: tuple[str, ...] = Field(description="Tasks that the document names.")
    summary: str = Field(description='Sentences of the document; "" without a new note.')
    tags: tuple[str, ...] = Field(description="Tags of the vault that fit, without `#`.")
    relevance: tuple[RelevantArea, ...] = Field(description="Clusters and folders it concerns.")
    source_authority: Number | None = Field(
        description="Credibility from 0 to 0.95; null without a new note."
    )
    why: str = Field(description='Why no note was written; "" if one was.')


class Ingested(Document):
    """What became of all inputs."""

    results: tuple[IngestResult, ...] = Field(description="One for each input, in order.")
    written: int = Field(description="Inputs with a new note.")
    known: int = Field(description="Inputs that the vault has a note of.")
    failed: int = Field(description="Inputs that could not be taken in.")
    remarks: tuple[str, ...] = Field(description="What limited the work, such as a missing model.")
    seconds: Number = Field(description="Duration, in seconds.")


def ingest(work: Work, request: IngestRequest) -> Ingested:
    """Take in one input after the other. Raises StoreError, VaultError, StoppedError."""
    began = time.monotonic()
    ingests = _ingests(work.app)
    outcomes: list[IngestOutcome] = []
    total = len(request.inputs)
    with work.report.step("ingest", counts={"inputs": total}) as progress:
        for number, each in enumerate(request.inputs):
            progress(number, total, each)
            work.stop.check()
            outcomes.append(_one(ingests, each, request, work))
        progress(total, total, "")
    return _document(outcomes, ingests.trouble, time.monotonic() - began)


def _ingests(app: App) -> Ingests:
    def network() -> Network:
        parts = app.research.network()
        return Network(parts.get_document, parts.table)

    return Ingests(
        app.adapter.root,
        app.index.knowledge,
        app.stores.findings,
        app.review.inbox,
        app.children.extractor,
        app.children.embedder,
        network,
    )


def _one(ingests: Ingests, given: str, request: IngestRequest, work: Work) -> IngestOutcome:
    if given == STDIN:
        return ingests.text(request.text, request.title, work.now)
    if given.startswith(("http://", "https://")):
        return ingests.url(given, work.now)
    return ingests.file(Path(given), work.now)


def _document(outcomes: list[IngestOutcome], trouble: str, seconds: float) -> Ingested:
    remark = f"compared by words only: {trouble}" if trouble else ""
    count = [each.status for each in outcomes].count
    return Ingested(
        results=tuple(map(_result, outcomes)),
        written=count(IngestStatus.WRITTEN),
        known=count(IngestStatus.KNOWN),
        failed=count(IngestStatus.FAILED),
        remarks=(remark,) if remark else (),
        seconds=round(seconds, 2),
    )


def _result(outcome: IngestOutcome) -> IngestResult:
    note = outcome.note
    summary = " ".join(" ".join(each.text.split()) for each in note.summary) if note else ""
    areas = note.areas if note else ()
    return IngestResult(
        input=outcome.input,
        status=outcome.status,
        input_type=outcome.input_type,
        literature_note=outcome.path or None,
        atomic_notes=(),
        action_items=(),
        summary=summary,
        tags=note.tags if note else (),
        relevance=tuple(
            RelevantArea(name=each.name, score=each.relevance, note=each.note) for each in areas
        ),
        source_authority=note.credibility.score if note else None,
        why=outcome.why,
    )


INGEST = Command(
    name="ingest",
    request=IngestRequest,
    document=Ingested,
    carry_out=ingest,
    is_slow=True,
    makes_notes=True,
    needs_embeddings=True,
)
