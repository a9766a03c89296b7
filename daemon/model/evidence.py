"""What the outside said: answers, hits, documents, passages, quotes."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

NO_NETWORK = "no network"  # why, when that alone keeps a source from answering
STOPPED = "the run was stopped before that"  # why, of what was not come to


class SourceStatus(StrEnum):
    """How a source answered. Never mixed up: a rate limit is not "no results"."""

    OK = "ok"
    EMPTY = "empty"
    DEGRADED = "degraded"
    UNAVAILABLE = "unavailable"


class SourceType(StrEnum):
    """What kind of thing a document is."""

    PAPER = "paper"
    PREPRINT = "preprint"
    WEB = "web"
    NEWS = "news"
    LIBRARY = "library"


@dataclass(frozen=True, slots=True)
class Hit:
    """One result that a source returned, before anything of it was fetched.

    `snippet` is the source's own text about it (an abstract, a description), plain text.
    `published` is ISO 8601, as precise as the source gave it (`2023`, `2023-05-01`), or "".
    """

    source: str
    source_type: SourceType
    url: str
    title: str
    snippet: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    doi: str = ""
    arxiv_id: str = ""
    citations: int | None = None
    content_url: str = ""  # where the full text is, when that is not `url`
    retracted: bool = False  # the source itself says so; False when it says nothing
    figures: tuple[tuple[str, str], ...] = ()  # of structured data: what, and how much
    venue: str = ""  # the journal, book or website that it appeared in
    publisher: str = ""

    @property
    def file(self) -> str:
        """The `file:` address of the user's own copy, or "" when there is none."""
        return next((at for at in (self.url, self.content_url) if at.startswith("file:")), "")


@dataclass(frozen=True, slots=True)
class Answer:
    """What one source said to one query. `why` says what went wrong, or is empty.

    `requests` is how often something was sent over the network for it.
    """

    source: str
    query: str
    status: SourceStatus
    hits: tuple[Hit, ...] = ()
    why: str = ""
    seconds: float = 0.0
    requests: int = 1


@dataclass(frozen=True, slots=True)
class Document:
    """A document that the run fetched, with the text that was taken from it.

    `id` is the first 16 hex digits of the sha256 of `key`; `key` is its canonical identity (DOI,
    arXiv id or canonical URL). `text` is what quotes are checked against, byte for byte.
    `extracted_by` names the way the text was taken: `trafilatura`, `pdfium`, `markdown`, `text`,
    or `abstract` when only the source's own summary could be had. `via` names the way it came:
    `direct`, `open copy`, `jina_reader`, `wayback 2023-05-01`, `library`, or nothing for a summary.
    """

    id: str
    key: str
    hit: Hit
    final_url: str
    fetched_at: datetime
    sha256: str  # of the fetched bytes
    text: str
    extracted_by: str
    note: str = ""  # what the reader should know: "abstract only: HTTP 403"
    also_from: tuple[str, ...] = ()  # other sources that returned the same document
    via: str = ""
    # Where pages and chapters begin: offset in `text` and name ("p. 7"), ascending.
    places: tuple[tuple[int, str], ...] = ()

    def place_at(self, offset: int) -> str:
        """Return the page or chapter at an offset of `text`, or "" where none is known."""
        found = bisect_right(self.places, offset, key=lambda place: place[0])
        return self.places[found - 1][1] if found else ""

    @property
    def method(self) -> str:
        """How the text was had, in one line: `direct · trafilatura`."""
        return " · ".join(filter(None, (self.via, self.extracted_by)))


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document: `text == document.text[start:end]`."""

    document: str  # Document.id
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Flag:
    """Something suspicious that screening saw in a document; it is told in the finding.

    `score` is how sure that is of instructions, from 1.0; 0.0 where it can only be counted.
    """

    kind: str  # "hidden text", "zero-width characters", "instructions", …
    count: int
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Near:
    """A place in the vault that is near to some text. `similarity` is the cosine."""

    path: str
    heading: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Credibility:
    """How far to trust a document: the product of the factors, capped at 0.95.

    `factors` keeps every factor by name, in order, so that the sum can be spelled out.
    """

    score: float
    factors: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class ScreenedDocument:
    """A document of the run, and what screening saw in it."""

    document: Document
    flags: tuple[Flag, ...]
    size: int  # bytes that were fetched, or read

    @property
    def came(self) -> int:
        """The bytes that came over the network for it: none for a file, or a mere summary."""
        is_fetched = (
            not is_file(self.document.final_url) and self.document.extracted_by != "abstract"
        )
        return self.size if is_fetched else 0


@dataclass(frozen=True, slots=True)
class FetchOutcome:
    """What came of asking for one document: its id and key, or why there is none.

    `is_sent` when it was asked for over the network; `is_transient` when the same may be had
    another time: the network was down, the server was slow, a budget was used up.
    """

    document: str | None
    key: str = ""
    why: str = ""
    is_sent: bool = True
    is_transient: bool = False


def is_file(url: str) -> bool:
    """Whether a document is read from the disk, and asked of nobody."""
    return url.startswith("file:")
