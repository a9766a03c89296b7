"""A finding: the answer to one question, from all documents that answer it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from daemon.model.agenda import Task
from daemon.model.evidence import Credibility, Document, Flag, Hit, Match, Passage
from daemon.model.topics import sentence_key

# Values of the property `type` in notes that are reviewed; see `daemon/model/literature.py`.
REVIEWED_KINDS = frozenset({"finding", "literature", "concept", "report"})


class FindingStatus(StrEnum):
    """What the user decided."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"


class InboxLayout(StrEnum):
    """Where findings are written in the inbox."""

    FLAT = "flat"  # all directly in the inbox
    RUNS = "runs"  # in a folder for each run


class Confidence(StrEnum):
    """How well supported a finding is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Connection:
    """A note of the vault that is related to a finding, and why.

    `is_named` if a source mentions the note by its name; `shared` are words that the note and the
    quotes share.
    """

    near: Match
    is_named: bool = False
    shared: tuple[str, ...] = ()


class BlockKind(StrEnum):
    """What a block of a note is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"  # of a list
    CODE = "code"  # or a table: lines as they are written
    MORE = "more"  # says what is not quoted


@dataclass(frozen=True, slots=True)
class NoteBlock:
    """A block of a note as its reader sees it, with formulas and `code` as they are written.

    `depth` counts the lists around it, from 0; `mark` is that of an item: "-", or "1.".
    """

    kind: BlockKind
    text: str
    depth: int = 0
    mark: str = ""


@dataclass(frozen=True, slots=True)
class NoteLine:
    """What is quoted of a note, as its reader sees it: a line, or `blocks` with the same text.

    `properties` are names and values of those that are shown beside its name.
    """

    path: str
    text: str
    blocks: tuple[NoteBlock, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a document, word for word."""

    document: Document
    passage: Passage


@dataclass(frozen=True, slots=True)
class Repeat:
    """A document that only repeats a source of the finding, and why it does not count."""

    hit: Hit
    because: str  # "the same text", "the same site"


@dataclass(frozen=True, slots=True)
class AgreedQuote:
    """A statement of several independent sources: the best sentence, and the others' own.

    `named` are sources that also state it and are not quoted.
    """

    quote: Quote
    voices: tuple[Quote, ...]
    named: tuple[Hit, ...] = ()

    @property
    def sources(self) -> int:
        """The number of independent sources for it."""
        return 1 + len(self.voices) + len(self.named)


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two sides, verbatim: a contradiction, or two results that differ.

    `document` is the other side's, or None if it is in the user's own `note`.
    """

    quote: Quote
    other: Passage  # for a note, `document` is its path
    document: Document | None = None
    note: str = ""
    is_contradiction: bool = True


@dataclass(frozen=True, slots=True)
class FindingSource:
    """A document that a finding quotes, and how far to trust it."""

    document: Document
    credibility: Credibility
    flags: tuple[Flag, ...] = ()
    centrality: float | None = None  # centrality among the cited works, as a share of the highest


@dataclass(frozen=True, slots=True)
class WrittenSentence:
    """A sentence that a language model wrote, and the sentences that support it."""

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
class Abbreviation:
    """A short form in a quote, and the long form that its document gives."""

    short: str
    long: str


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to one question, from everything found, ready to be rendered.

    All text in it is still untrusted. `sources` contains the best document first, and at least one.
    `independent_sources` counts the independent sources on the question, `checked` the documents
    that were read for it.
    """

    id: str
    run: str
    task: Task
    title: str
    sources: tuple[FindingSource, ...]
    agreed: tuple[AgreedQuote, ...]
    contrasts: tuple[Contrast, ...]
    single: tuple[Quote, ...]  # statements of only one source; those of one source together
    concepts: tuple[str, ...]
    connects: tuple[Connection, ...]
    confidence: Confidence
    created_at: datetime
    independent_sources: int = 1
    checked: int = 1
    repeats: tuple[Repeat, ...] = ()
    also_read: tuple[Hit, ...] = ()  # further documents that answer the question, not quoted
    written: Written | None = None
    beside: NoteLine | None = None  # what the note behind the task says about the same
    abbreviations: tuple[Abbreviation, ...] = ()  # of the quotes
    missing: tuple[str, ...] = ()  # words that the question turns on and no quote has

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
        """Return every quoted sentence of a source, each once, in the order of the note."""
        found = [
            *(quote for each in self.agreed for quote in (each.quote, *each.voices)),
            *(quote for each in self.contrasts for quote in _sides(each)),
            *self.single,
        ]
        return tuple({(one.document.id, one.passage.start): one for one in found}.values())


def _sides(contrast: Contrast) -> list[Quote]:
    """Return the sides of a contrast that are in documents."""
    if contrast.document is None:
        return [contrast.quote]
    return [contrast.quote, Quote(contrast.document, contrast.other)]


@dataclass(frozen=True, slots=True)
class FindingRecord:
    """A finding in the store, after it was written. `path` is vault-relative."""

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
    missing_at: datetime | None = None  # when its note was first found missing
    decided_at: datetime | None = None  # when it was accepted or dismissed
    about: str = ""  # the note that it was found because of, by its path now
    question: str = ""  # the query that it answers; "" of findings of an earlier kind
    sources: tuple[str, ...] = ()  # the URLs of all documents it quotes, the best first
    keys: tuple[str, ...] = ()  # the identities of those documents
    hold: str = ""  # the `Hold` with which it waits for confirmation


@dataclass(frozen=True, slots=True)
class Lesson:
    """The lesson of one decision: accepted, there may be more on its topic; dismissed, less.

    `note` is the note for which the finding was found, `became` the note that it has become after
    acceptance; both are paths, or "". `topic` is in its comparable form.
    """

    topic: str
    note: str
    became: str
    is_accepted: bool
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class Skip:
    """A document that was considered and excluded, and why."""

    title: str
    url: str
    why: str
    note: str | None = None  # the vault note that already covers it


@dataclass(frozen=True, slots=True)
class FindingState:
    """The decision on a finding, and the last known path of its note."""

    status: FindingStatus
    path: str


def record_of(finding: Finding, path: str) -> FindingRecord:
    """Return the record of a finding whose note is at `path`."""
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
