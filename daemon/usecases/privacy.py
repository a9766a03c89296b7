"""What left this machine, or may have: sent requests, and what assistants asked for."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, time

from pydantic import Field

from daemon.app import App
from daemon.model.language_models import THIS_MACHINE, is_local
from daemon.model.spending import LedgerEntry
from daemon.usecases.assistants import AssistantCall, calls_since
from daemon.usecases.document import Day, Document, Moment, Request
from daemon.usecases.models import roles
from daemon.usecases.query import Query

REMARKS = (
    "Queries are built from your note titles and topics. Each one is listed exactly as it was sent,"
    " with keys by their names. Not in this list: the look-up of each host's address by your"
    " system, what an MCP server, a hook or a collector of telemetry that you set up sends"
    " on its own, and what a browser does with an address that you open."
)


class PrivacyRequest(Request):
    """Which requests to list."""

    since: Day = Field(
        description="The first day, in local time; 0001-01-01 is everything.",
        examples=["2026-11-01"],
    )
    host: str | None = Field(default=None, description="Only requests to this host.")


class SentRequest(Document):
    """One request that left this machine."""

    at: Moment = Field(description="When it was sent.")
    host: str = Field(description="Host that it was sent to.", examples=["api.crossref.org"])
    kind: str = Field(
        description="What it was sent for.", examples=["question", "document", "model"]
    )
    source: str = Field(description="The source that it was sent for.")
    what: str = Field(description="What was sent, with keys by their names.")
    keys: tuple[str, ...] = Field(description="Names of the keys that were sent.")
    run: str | None = Field(description="Id of the run; null: none.")
    received: int | None = Field(description="Bytes of the answer; null: unknown.")
    requests: int = Field(default=1, description="Number of requests in this entry.")


class SentText(Document):
    """Which text a language model on another machine is sent."""

    role: str = Field(description="Role of the model.", examples=["writer"])
    model: str = Field(description="As `provider/model`.")
    address: str = Field(description="Address of the provider.")
    receives: str = Field(description="Which text it is sent.")


class Privacy(Document):
    """What left this machine since a day."""

    since: str | None = Field(description="The first day; null: everything.")
    kept_since: Moment | None = Field(
        description="The first day from which single requests are kept."
    )
    sent: tuple[SentRequest, ...] = Field(description="The requests, in order of time.")
    models: tuple[SentText, ...] = Field(
        description="Language models on other machines that are on; those here send nothing."
    )
    assistants: tuple[AssistantCall, ...] = Field(
        default=(), description="What assistants asked for through MCP, oldest first."
    )
    remarks: str = Field(description="What is not in the list.")


def privacy(app: App, request: PrivacyRequest) -> Privacy:
    """List what left this machine."""
    return Privacy(
        since=request.since.isoformat() if request.since > date.min else None,
        kept_since=app.scheduling.spent.oldest(),
        sent=tuple(map(_document, _sent(app, request))),
        models=tuple(
            SentText(role=each.role, model=each.model, address=each.address, receives=each.receives)
            for each in roles(app).root
            if each.on and each.remote
        ),
        assistants=tuple(calls_since(app, _begins(app, request))),
        remarks=REMARKS,
    )


def _sent(app: App, request: PrivacyRequest) -> Iterator[LedgerEntry]:
    entries: Iterable[LedgerEntry] = app.scheduling.spent.entries(_begins(app, request))
    models = app.settings.models
    for each in entries:
        sending = each.sending
        is_here = sending.kind == "model" and (
            sending.host == THIS_MACHINE
            or is_local(models.provider(sending.host).base_url)  # older entries name a provider
        )
        if request.host in (None, sending.host) and not is_here:
            yield each


def _begins(app: App, request: PrivacyRequest) -> datetime | None:
    """Return when the first day begins; None: everything is wanted."""
    zone = app.scheduling.spending.ledger.zone()
    return datetime.combine(request.since, time(), zone) if request.since > date.min else None


def _document(entry: LedgerEntry) -> SentRequest:
    sending = entry.sending
    return SentRequest(
        at=entry.sent_at,
        host=sending.host,
        kind=sending.kind,
        source=sending.source,
        what=sending.what,
        keys=tuple(sending.keys),
        run=entry.run or None,
        received=sending.amounts.bytes if entry.is_settled else None,
        requests=sending.amounts.requests,
    )


PRIVACY = Query("privacy", PrivacyRequest, Privacy, privacy)
