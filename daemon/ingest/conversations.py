"""A conversation with an assistant as a document: who said what, and what was decided."""

import re
from collections.abc import Sequence

from daemon.model.evidence import Document, Passage
from daemon.ports import Extracted, Record
from daemon.research.sentences import Sentence
from daemon.research.synthesise import passage

EXTRACTED_BY = "conversation"
MAX_DECISIONS = 5
_DECIDES = re.compile(
    r"\b(?:(?:we|I|you)(?:'ve| have)? (?:decided|agreed|chose|settled)\b"
    r"|(?:we|I)(?:'ll| will| shall) (?:go with|use|take|choose|stick|start|keep|drop|do)\b"
    r"|let(?:'s| us) (?:go with|use|take|stick|start|keep|drop|do)\b|going with\b|the plan is\b"
    r"|(?:the |our )?decision(?: is|:))",
    re.IGNORECASE,
)


def as_document(record: Record) -> Extracted:
    """Return a conversation as a text: its places are the speakers of its turns."""
    text, places = "", []
    for turn in record.texts("turns"):
        who, _, said = turn.partition(": ")
        places.append((len(text), who))
        text += f"{said}\n\n"
    return Extracted(
        text=text,
        extracted_by=EXTRACTED_BY,
        title=record.text("title"),
        authors=record.texts("speakers"),
        published=record.text("published"),
        places=tuple(places),
    )


def decisions(document: Document, sentences: Sequence[Sentence]) -> tuple[Passage, ...]:
    """Return the sentences of a conversation that say what was decided, in order."""
    if document.extracted_by != EXTRACTED_BY:
        return ()
    found = [one for one in sentences if _DECIDES.search(one.text.replace("’", "'"))]
    return tuple(passage(document, one) for one in found[:MAX_DECISIONS])
