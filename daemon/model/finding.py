"""A finding: one document, what it says to the task, and why it is here."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from daemon.model.agenda import Task
from daemon.model.evidence import Credibility, Document, Flag, Hit, Near, Passage


class FindingStatus(StrEnum):
    """What the user decided."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"


class InboxLayout(StrEnum):
    """Where in the inbox findings are written."""

    FLAT = "flat"  # all in the inbox itself
    RUNS = "runs"  # in a folder for each run


class Confidence(StrEnum):
    """How well supported a finding is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of another document, word for word, and whose it is."""

    hit: Hit
    passage: Passage
    because: str = ""  # why it is only an echo: "the same text", "the same site"


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two sides: a quote of the finding, and what says the opposite, word for word.

    `hit` is whose the other side is, or None when it stands in the user's own `note`.
    """

    quote: Passage
    other: Passage  # of a note, `document` is its path
    hit: Hit | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a finding stands among the evidence of its task.

    `sources` are the independent ones that speak to the task, the finding's own counted; `voices`
    those of them that say what its quotes say, `echoes` those that only repeat one of the voices.
    """

    sources: int = 1
    voices: tuple[Said, ...] = ()
    echoes: tuple[Said, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    mean_credibility: float | None = None  # of the voices, the finding's own counted


@dataclass(frozen=True, slots=True)
class Finding:
    """What a run found, ready to be rendered. All text in it is still hostile."""

    id: str
    run: str
    task: Task
    document: Document
    title: str
    quotes: tuple[Passage, ...]  # verbatim, in the document's order
    concepts: tuple[str, ...]
    connects: tuple[Near, ...]  # vault notes it stands near to, nearest first
    credibility: Credibility
    confidence: Confidence
    flags: tuple[Flag, ...]
    created_at: datetime
    agreement: Agreement = Agreement()
    centrality: float | None = None  # among what was cited, as a share of the highest


@dataclass(frozen=True, slots=True)
class FindingRecord:
    """A finding as the store keeps it, after it was written. `path` is vault-relative."""

    id: str
    run: str
    path: str
    status: FindingStatus
    title: str
    source: str  # URL
    key: str  # the document's canonical identity
    topic: str
    credibility: float
    created_at: datetime
    content_hash: str = ""  # sha256 of the note as last written or seen
    feedback: str = ""
    missing_at: datetime | None = None  # when its note was first seen gone
    decided_at: datetime | None = None  # when it was accepted or dismissed
    about: str = ""  # the note that it was found because of, by its path now


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one decision says of its area: accepted, there may be more of it; dismissed, less.

    `note` is the note that the finding was found because of, `became` the note that it is since it
    was accepted; both are paths, "" where there is none. `topic` is in its comparable form.
    """

    topic: str
    note: str
    became: str
    is_accepted: bool
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class Skip:
    """A document that was looked at and left out, and why."""

    title: str
    url: str
    why: str
    note: str | None = None  # the vault note that already covers it
