"""A retrieved document that is being ingested: screened, with its identity and its kind."""

from dataclasses import dataclass

from daemon.ingest.conversations import EXTRACTED_BY as CONVERSATION
from daemon.ingest.known import keys_of_work
from daemon.model.evidence import Document, Flag
from daemon.model.literature import Work
from daemon.ports import Extracted, RetrievedDocument
from daemon.research.identity import arxiv_of, doi_of, strongest
from daemon.research.quotable import COMMANDS
from daemon.research.retrieved import content_key, document_of
from daemon.research.screen import screen


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A screened document; `keys` are the identities of its work."""

    document: Document
    work: Work
    flags: tuple[Flag, ...]
    keys: tuple[str, ...]

    @property
    def has_commands(self) -> bool:
        """Whether the text may contain instructions for a machine."""
        return any(flag.kind in COMMANDS for flag in self.flags)


def read(retrieved: RetrievedDocument) -> ReadDocument:
    """Screen a document, and determine what it is."""
    screened = screen(retrieved)
    work = _work(retrieved.extracted)
    draft = document_of(retrieved, screened, content_key(retrieved.body))
    keys = keys_of_work(draft, work)
    if retrieved.extracted.extracted_by == CONVERSATION:  # many have the same title
        keys = tuple(key for key in keys if not key.startswith("title:"))
    key = strongest(key for key in keys if not key.startswith(("title:", "text:"))) or draft.key
    return ReadDocument(document_of(retrieved, screened, key), work, screened.flags, keys)


def _work(extracted: Extracted) -> Work:
    pages = sum(name.startswith("p. ") for _, name in extracted.places)
    url = extracted.url if extracted.url.startswith(("http://", "https://")) else ""
    return Work(doi_of(extracted.doi), arxiv_of(extracted.arxiv_id), url, pages)
