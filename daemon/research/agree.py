"""Which other documents of a run say what one says, each with a voice of its own."""

import re

import numpy as np

from daemon.model.evidence import Document
from daemon.research.evidence import Evidence
from daemon.research.identity import site_of
from daemon.research.judge import Judged
from daemon.research.recall import Recall, similarity
from daemon.research.synthesise import Reading, plain

SAYS_SO = 0.75  # cosine from which two sentences state the same, if nothing below forbids it
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATED = re.compile(
    r"\b(?:not?|never|none|nor|neither|cannot|without|hardly|fails?|failed|lacks?|unlikely)\b|n['’]t\b",
    re.IGNORECASE,
)


def agreeing(
    reading: Reading, judged: Judged, evidence: Evidence, recall: Recall
) -> list[Document]:
    """Return the documents, one per origin, that say what one of the reading's quotes says."""
    quotes = [plain(quote.text) for quote in reading.quotes]
    wanted = recall.vectors(quotes)
    found: dict[str, Document] = {}
    own = origin(reading.document)
    for id_, document in evidence.documents.items():
        if id_ == reading.document.id or origin(document) == own or not judged.sentences[id_]:
            continue
        near = similarity(wanted, judged.vectors[id_])
        pairs = [(int(row), int(column)) for row, column in np.argwhere(near >= SAYS_SO)]
        if any(may_agree(quotes[row], judged.sentences[id_][column].text) for row, column in pairs):
            found.setdefault(origin(document), document)
    return list(found.values())


def may_agree(one: str, other: str) -> bool:
    """Whether nothing plain speaks against two sentences saying the same: numbers, a negation."""
    left, right = set(_NUMBER.findall(one)), set(_NUMBER.findall(other))
    if left and right and not left & right:
        return False
    return bool(_NEGATED.search(one)) == bool(_NEGATED.search(other))


def origin(document: Document) -> str:
    """Name whose voice a document is: its site, else its first author, else itself."""
    hit = document.hit
    if hit.authors and (hit.doi or hit.arxiv_id):
        return f"author:{' '.join(hit.authors[0].casefold().split())}"
    site = site_of(hit.url)
    return f"site:{site}" if site else f"document:{document.key}"
