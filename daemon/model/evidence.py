"""Evidence from sources: answers, hits, documents, passages, quotes."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

NO_NETWORK = "no network"  # the reason, if it is the only thing that keeps a source from answering
STOPPED = "the run was stopped before that"  # the reason for requests that were not reached


class SourceStatus(StrEnum):
    """How a source answered. A rate limit is never "no results"."""

    OK = "ok"
    EMPTY = "empty"
    DEGRADED = "degraded"
    UNAVAILABLE = "unavailable"


class SourceType(StrEnum):
    """The kind of a document."""

    PAPER = "paper"
    PREPRINT = "preprint"
    WEB = "web"
    NEWS = "news"
    LIBRARY = "library"


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a source, before anything of it is fetched.

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
    content_url: str = ""  # address of the full text, if it is not `url`
    retracted: bool = False  # stated by the source itself; False if it states nothing
    figures: tuple[tuple[str, str], ...] = ()  # of structured data: name and value
    venue: str = ""  # the journal, book or website of publication
    publisher: str = ""
    claimed_doi: str = ""  # typed by the depositor, not stated by an index: joins, proves nothing
    passages: tuple[tuple[int, int], ...] = ()  # start and end of the best ones in the own text

    @property
    def file(self) -> str:
        """The `file:` address of the user's own copy, or ""."""
        return next((at for at in (self.url, self.content_url) if at.startswith("file:")), "")


@dataclass(frozen=True, slots=True)
class NearPassage:
    """A place of a document near a question that nothing answers for sure.

    `section` is the heading that it is under, `sentence` its most telling one; either may be "".
    """

    hit: Hit
    section: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A source's answer to one query. `why` is the error, or empty.

    `requests` is how many requests were sent over the network for it.
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
    """A document that the run fetched, with its extracted text.

    `id` is the first 16 hex digits of the sha256 of `key`; `key` is its canonical identity (DOI,
    arXiv id or canonical URL). Quotes are checked against `text`, byte for byte. `extracted_by`
    names the extraction method: `trafilatura`, `pdfium`, `markdown`, `text`, or `abstract` if only
    the source's own summary was available. `via` names the retrieval method: `direct`, `open copy`,
    `jina_reader`, `wayback 2023-05-01`, `library`, or nothing for a summary. `normaliser` is the
    version of what turned the bytes into this text: of extraction, then of screening ("6.1"); "" if
    unknown.
    """

    id: str
    key: str
    hit: Hit
    final_url: str
    fetched_at: datetime
    sha256: str  # of the fetched bytes
    text: str
    extracted_by: str
    note: str = ""  # a remark for the reader: "abstract only: HTTP 403"
    also_from: tuple[str, ...] = ()  # other sources that returned the same document
    via: str = ""
    # Where pages and chapters begin: offset in `text` and name ("p. 7"), ascending.
    places: tuple[tuple[int, str], ...] = ()
    normaliser: str = ""

    def place_at(self, offset: int) -> str:
        """Return the page or chapter at an offset of `text`, or "" if unknown."""
        found = bisect_right(self.places, offset, key=lambda place: place[0])
        return self.places[found - 1][1] if found else ""

    @property
    def method(self) -> str:
        """Describe how the text was retrieved, in one line: `direct · trafilatura`."""
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
    """Something suspicious that screening saw in a document; shown in the finding.

    `score` is how certain it is to be instructions, from 1.0; 0.0 if it can only be counted.
    """

    kind: str  # "hidden text", "zero-width characters", "instructions", …
    count: int
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Match:
    """A place in the vault that is similar to some text. `similarity` is the cosine."""

    path: str
    heading: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Credibility:
    """How far to trust a document: the product of the factors, capped at 0.95.

    `factors` lists every factor by name, in order, to explain the result.
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
    def received(self) -> int:
        """Bytes received over the network for it: none for a file, or a mere summary."""
        is_fetched = (
            not is_file(self.document.final_url) and self.document.extracted_by != "abstract"
        )
        return self.size if is_fetched else 0


@dataclass(frozen=True, slots=True)
class FetchOutcome:
    """The result of retrieving one document: its id and key, or the error.

    `is_sent` if it was requested over the network; `is_transient` if a retry may succeed: the
    network was down, the server was slow, a budget was used up.
    """

    document: str | None
    key: str = ""
    why: str = ""
    is_sent: bool = True
    is_transient: bool = False


def is_file(url: str) -> bool:
    """Return whether a document is read from the disk, without any request."""
    return url.startswith("file:")
