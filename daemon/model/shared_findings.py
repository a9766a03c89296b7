"""Findings that vaults give to each other through a hub, as they are sent.

All text in them is untrusted.
"""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from daemon.model.finding import FindingStatus

MAX_QUOTES = 50  # of a finding
MAX_QUOTE, MAX_LINE, MAX_URL = 2_000, 300, 2_000  # characters
AT_ONCE = 100  # deliveries in an answer

Line = Annotated[str, Field(max_length=MAX_LINE)]
Url = Annotated[str, Field(max_length=MAX_URL)]


class Sent(BaseModel):
    """The base of everything that is sent: exact types, and nothing else."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class SharedQuote(Sent):
    """A sentence of a document, word for word; `credit` names who states it."""

    text: str = Field(min_length=1, max_length=MAX_QUOTE)
    credit: Line = ""
    url: Url = ""


class SharedFinding(Sent):
    """A finding without anything about the notes of its vault."""

    key: str = Field(min_length=1, max_length=100, description="Its id in its vault.")
    title: str = Field(min_length=1, max_length=MAX_LINE)
    topic: Line = ""
    question: str = Field(default="", max_length=1_000)
    credibility: float = Field(ge=0, le=1)
    is_accepted: bool = Field(description="False: its owner has not reviewed it yet.")
    sources: tuple[Url, ...] = Field(default=(), max_length=MAX_QUOTES, strict=False)
    quotes: tuple[SharedQuote, ...] = Field(min_length=1, max_length=MAX_QUOTES, strict=False)


class Delivery(Sent):
    """A finding of another vault that fills a gap of `vault`, and what was decided there."""

    id: int
    revision: int = Field(description="Each change of a delivery to a vault has a higher one.")
    vault: str
    gap: str = Field(description="The missing note that it is about.")
    origin: str = Field(description="The vault that it is from.")
    owner: str = Field(description="Name of that vault's owner.")
    status: FindingStatus = Field(strict=False)
    decided_by: str | None = None
    decided_at: datetime | None = Field(default=None, strict=False)
    finding: SharedFinding


class Deliveries(Sent):
    """Changes of what is delivered to a vault, at most `AT_ONCE`, in their order."""

    revision: int = Field(description="Of the newest change that there is.")
    deliveries: tuple[Delivery, ...] = Field(strict=False)
