"""Findings that a hub delivers to the vaults whose gaps they fill: received, listed, decided."""

from typing import Literal

from pydantic import Field

from daemon.app import App
from daemon.hub_access import client_of
from daemon.model.finding import FindingStatus
from daemon.model.shared_findings import Delivery
from daemon.usecases.document import Document, ListDocument, Moment, Number, Request
from daemon.usecases.hub import HubListRequest, read_answer


class HubFindingsRequest(HubListRequest):
    """Which findings to list."""

    decided: bool = Field(
        default=False, description="Those that are decided, instead of pending.", examples=[True]
    )


class HubAfterRequest(Request):
    """Which changes to return."""

    after: int = Field(
        default=0, ge=0, description="The last revision that is known.", examples=[12]
    )


class HubDecisionRequest(Request):
    """A decision about a finding."""

    status: Literal[FindingStatus.ACCEPTED, FindingStatus.DISMISSED] = Field(
        description="accepted or dismissed.", examples=["accepted"]
    )


class HubQuote(Document):
    """A sentence of a source, word for word."""

    text: str = Field(description="The sentence.", examples=["Autolyse takes 20 minutes."])
    credit: str = Field(description='Who states it; "" when unknown.', examples=["Calvel, 1990"])
    url: str = Field(description='Its address, or "".', examples=["https://example.org/autolyse"])


class HubFinding(Document):
    """A finding of a vault that fills a gap of another one."""

    id: int = Field(description="Number of the delivery.", examples=[17])
    vault: str = Field(description="The vault whose gap it fills.", examples=["ben's notes"])
    gap: str = Field(description="The missing note.", examples=["Autolyse"])
    origin: str = Field(description="The vault that it is from.", examples=["ada's notes"])
    owner: str = Field(description="Name of the owner of that vault.", examples=["ada"])
    title: str = Field(description="Its title.", examples=["How long does autolyse take?"])
    credibility: Number = Field(description="From 0 to 1.", examples=[0.72])
    quotes: tuple[HubQuote, ...] = Field(description="Its quotes.")
    status: FindingStatus = Field(description="The decision.", examples=["pending"])
    decided_by: str | None = Field(
        description="Who decided; null: nobody, or an account that was deleted.", examples=["cy"]
    )
    decided_at: Moment | None = Field(description="When; null: not yet.")


class HubFindings(ListDocument[HubFinding]):
    """Findings to review, the newest first."""


def hub_finding(found: Delivery) -> HubFinding:
    """Return a delivery as it is shown."""
    body = found.finding.model_dump(mode="json", include={"title", "credibility", "quotes"})
    own = found.model_dump(include=HubFinding.model_fields.keys() - body.keys())
    return HubFinding.model_validate(own | body)


def findings(app: App, asked: HubFindingsRequest) -> HubFindings:
    """Return what one may review on the hub. Raises HubError."""
    query = f"limit={asked.limit}&decided={str(asked.decided).lower()}"
    return read_answer(HubFindings, client_of(app).get(f"/hub/v1/findings?{query}"))


def decide(app: App, number: int, asked: HubDecisionRequest) -> HubFinding:
    """Accept or dismiss a finding on the hub. Raises HubError, HubConflictError."""
    body = asked.model_dump(mode="json")
    return read_answer(HubFinding, client_of(app).post(f"/hub/v1/findings/{number}", body))
