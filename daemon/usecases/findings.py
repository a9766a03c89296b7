"""Findings: listed, shown, and decided."""

from typing import Annotated

from pydantic import Field

from daemon.app import App
from daemon.model.errors import NotFoundError
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.usecases.command import Command, Work
from daemon.usecases.document import Document, ListDocument, Moment, Request, absent
from daemon.usecases.query import Query
from vault_adapters.base import NoteError

FindingId = Annotated[
    str,
    Field(
        description="A finding's id, the beginning of it, its path or its file name.",
        examples=["4f1c22a09b3d"],
    ),
]


class FindingsRequest(Request):
    """Which findings to list."""

    status: FindingStatus | None = Field(
        default=None, description="Only findings with this status. Default: all."
    )
    agenda: str | None = Field(
        default=None,
        description="Only findings of this agenda, by (the beginning of) its id. Default: all.",
    )


class FindingRequest(Request):
    """Which finding to show."""

    id: FindingId


class DecideRequest(Request):
    """A decision about findings. If one of them is unknown, none is decided."""

    ids: tuple[FindingId, ...] = Field(description="Ids of the findings.", min_length=1)
    status: FindingStatus = Field(description="The decision.")
    never: bool = Field(default=False, description="Never suggest their topics again.")


class Finding(Document):
    """A finding in the inbox."""

    id: str = Field(description="Id of the finding.", examples=["4f1c22a09b3d"])
    path: str = Field(
        description="Vault-relative path of its note.",
        examples=["Inbox/Research/2026-11-21 Why does bread go stale.md"],
    )
    status: FindingStatus = Field(description="What you decided.")
    title: str = Field(description="Title of the finding.")
    source: str = Field(description="URL of its best source.")
    created: Moment = Field(description="When it was written.")
    unclear: str | None = absent(
        description="Why your decision was not understood; absent if it was."
    )
    dismissed_at: Moment | None = absent(
        description="When it counts as dismissed as its note is gone; absent: the note is there."
    )

    @classmethod
    def of(cls, record: FindingRecord) -> "Finding":
        return cls.model_validate(_fields(record))


class Findings(ListDocument[Finding]):
    """Findings, the newest first."""


class FindingNote(Finding):
    """A finding with the text of its note."""

    text: str = Field(description="The note, in Markdown.")
    retracted: str = Field(description='Who reports that its source was retracted, or "".')


class Decided(Document):
    """Findings after a decision."""

    findings: tuple[Finding, ...] = Field(description="The findings, with their new status.")


def findings(app: App, request: FindingsRequest) -> Findings:
    """List findings, the newest first."""
    of = app.research.agendas.find(request.agenda).id if request.agenda is not None else None
    unclear, gone = app.review.reviews.unclear(), app.review.reviews.missing()
    return Findings(
        tuple(
            Finding.model_validate(
                _fields(record)
                | {"unclear": unclear.get(record.id), "dismissed_at": gone.get(record.id)}
            )
            for record in app.stores.findings.all(request.status, of)
        )
    )


def finding(app: App, request: FindingRequest) -> FindingNote:
    """Return one finding with its note. Raises LacunaError when it is unknown or gone."""
    record = app.review.reviews.find(request.id)
    # One that was just written may not be in the index yet.
    path = app.index.knowledge.own_paths().get(record.id, record.path)
    try:
        text = app.adapter.load(path).decode("utf-8", "replace")
    except NoteError:
        raise NotFoundError(f"{record.path} is no longer in the vault") from None
    retracted = app.research.retractions.of(record)
    return FindingNote.model_validate(_fields(record) | {"text": text, "retracted": retracted})


def decide(work: Work, request: DecideRequest) -> Decided:
    """Accept or dismiss findings. Raises LacunaError when one of them is unknown."""
    reviews = work.app.review.reviews
    for id_ in request.ids:
        reviews.find(id_)
    records = [
        reviews.command(id_, request.status, work.now, never=request.never) for id_ in request.ids
    ]
    return Decided(findings=tuple(map(Finding.of, records)))


def _fields(record: FindingRecord) -> dict[str, object]:
    return {
        "id": record.id,
        "path": record.path,
        "status": record.status,
        "title": record.title,
        "source": record.source,
        "created": record.created_at,
    }


FINDING = Query("finding", FindingRequest, FindingNote, finding)
FINDINGS = Query("findings", FindingsRequest, Findings, findings)
DECIDE = Command(name="review", request=DecideRequest, document=Decided, carry_out=decide)
