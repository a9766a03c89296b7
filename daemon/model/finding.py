"""A finding: the answer to one question, from all documents that answer it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from daemon.model.agenda import Task
from daemon.model.evidence import Credibility, Document, Flag, Hit, Near, Passage
from daemon.model.topics import sentence_key


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
class Connection:
    """A note of the vault that a finding has to do with, and what shows it.

    `is_named` when a source mentions the note by its name; `shared` are words that the note and
    the quotes have in common.
    """

    near: Near
    is_named: bool = False
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a document, word for word."""

    document: Document
    passage: Passage


@dataclass(frozen=True, slots=True)
class Repeat:
    """A document that only repeats a source of the finding, and why it is not counted."""

    hit: Hit
    because: str  # "the same text", "the same site"


@dataclass(frozen=True, slots=True)
class Agreed:
    """What several independent sources say: the best sentence, and others' own.

    `named` are sources that say it too and are not quoted.
    """

    quote: Quote
    voices: tuple[Quote, ...]
    named: tuple[Hit, ...] = ()

    @property
    def sources(self) -> int:
        """How many independent sources say it."""
        return 1 + len(self.voices) + len(self.named)


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two sides, word for word: a contradiction, or two results that differ.

    `document` is whose the other side is, or None when it stands in the user's own `note`.
    """

    quote: Quote
    other: Passage  # of a note, `document` is its path
    document: Document | None = None
    note: str = ""
    is_contradiction: bool = True


@dataclass(frozen=True, slots=True)
class FindingSource:
    """A document that a finding quotes, and how far to trust it."""

    document: Document
    credibility: Credibility
    flags: tuple[Flag, ...] = ()
    centrality: float | None = None  # among what was cited, as a share of the highest


@dataclass(frozen=True, slots=True)
class WrittenSentence:
    """A sentence that a language model wrote, and the sentences that bear it out."""

    text: str
    cites: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What a language model wrote from the passages of a finding, after every check.

    Without sentences, `partial` says why there are none.
    """

    model: str
    sentences: tuple[WrittenSentence, ...]
    passages: int  # that it was given
    partial: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to one question, from all that was found, ready to be rendered.

    All text in it is still hostile. `sources` holds the best document first; no finding is without
    one. `speaking` counts the independent sources that speak to the question, `checked` the
    documents that were read for it.
    """

    id: str
    run: str
    task: Task
    title: str
    sources: tuple[FindingSource, ...]
    agreed: tuple[Agreed, ...]
    contrasts: tuple[Contrast, ...]
    single: tuple[Quote, ...]  # what only one source says; those of one source side by side
    concepts: tuple[str, ...]
    connects: tuple[Connection, ...]
    confidence: Confidence
    created_at: datetime
    speaking: int = 1
    checked: int = 1
    repeats: tuple[Repeat, ...] = ()
    also_read: tuple[Hit, ...] = ()  # documents that answer the question too, not quoted
    written: Written | None = None

    @property
    def document(self) -> Document:
        """The best source's document."""
        return self.sources[0].document

    @property
    def credibility(self) -> Credibility:
        """The best source's credibility."""
        return self.sources[0].credibility

    @property
    def answer(self) -> str:
        """The best sentence of the best source."""
        own = (quote for quote in self.quotes if quote.document.id == self.document.id)
        return next((quote.passage.text for quote in own), "")

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """Every sentence that is quoted of a source, each once, in the order of the note."""
        found = [
            *(quote for each in self.agreed for quote in (each.quote, *each.voices)),
            *(quote for each in self.contrasts for quote in _sides(each)),
            *self.single,
        ]
        return tuple({(one.document.id, one.passage.start): one for one in found}.values())


def _sides(contrast: Contrast) -> list[Quote]:
    """Return the sides of a contrast that stand in documents."""
    if contrast.document is None:
        return [contrast.quote]
    return [contrast.quote, Quote(contrast.document, contrast.other)]


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
    question: str = ""  # the query that it answers; "" of findings of an earlier kind
    sources: tuple[str, ...] = ()  # the URLs of all documents it quotes, the best first
    keys: tuple[str, ...] = ()  # the identities of those documents
    hold: str = ""  # the `Hold` of which it waits for a confirmation


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


@dataclass(frozen=True, slots=True)
class Standing:
    """What was decided of a finding, and where its note was last seen."""

    status: FindingStatus
    path: str


def record_of(finding: Finding, path: str) -> FindingRecord:
    """Return what is kept of a finding whose note is at `path`."""
    return FindingRecord(
        id=finding.id,
        run=finding.run,
        path=path,
        status=FindingStatus.PENDING,
        title=finding.title,
        source=finding.document.hit.url,
        key=finding.document.key,
        topic=finding.task.topic,
        credibility=finding.credibility.score,
        created_at=finding.created_at,
        about=finding.task.note or "",
        question=finding.task.query,
        sources=tuple(source.document.hit.url for source in finding.sources),
        keys=(
            *(source.document.key for source in finding.sources),
            *(sentence_key(quote.passage.text) for quote in finding.quotes),
        ),
    )
