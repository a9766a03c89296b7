"""A conversation with an assistant as a document: who said what, and what was decided."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import itemgetter

from daemon.model.evidence import Credibility, Document, Passage
from daemon.model.literature import Exchange
from daemon.ports import Extracted, Record
from daemon.research.instructions import is_request, is_suspect
from daemon.research.sentences import Sentence, sentences
from daemon.research.synthesise import passage

EXTRACTED_BY = "conversation"
YOU = "You"
MAX_DECISIONS, MAX_EXCHANGES = 5, 6
_ASKED, _ANSWER = 280, 420  # characters that are quoted, unless one sentence is longer
_UNCHECKED = 0.3  # credibility
_QUESTION = re.compile(r"[?？]\W*$")
_OWN_TASK = re.compile(
    r"\bI(?: still| also)? (?:need|have|ought) to\b|\bI (?:must|should) (?:still|also)\b"
    r"|\bremind me to\b",
    re.IGNORECASE,
)
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


def decisions(document: Document, quotable: Sequence[Sentence]) -> tuple[Passage, ...]:
    """Return the sentences of a conversation that say what was decided, in order."""
    if document.extracted_by != EXTRACTED_BY:
        return ()
    found = [one for one in quotable if _DECIDES.search(_straight(one.text))]
    return tuple(passage(document, one) for one in found[:MAX_DECISIONS])


def tasks(document: Document, quotable: Sequence[Sentence]) -> tuple[str, ...]:
    """Return what the user of a conversation has yet to do, in their words."""
    if document.extracted_by != EXTRACTED_BY:
        return ()
    return tuple(
        " ".join(one.text.split())
        for one in quotable
        if _who(document, one) == YOU and _OWN_TASK.search(_straight(one.text))
    )


def exchanges(document: Document, quotable: Sequence[Sentence]) -> tuple[Exchange, ...]:
    """Return what was asked, each with the beginning of its answer: of many, those with the longest
    answers, in order.
    """
    if document.extracted_by != EXTRACTED_BY:
        return ()
    every = [one for one in sentences(document.text, wrapped=False) if _may_be_quoted(one.text)]
    ends = [start for start, _ in document.places[1:]] + [len(document.text)]
    turns = [(start, end, who) for (start, who), end in zip(document.places, ends, strict=True)]
    found: list[tuple[int, Exchange]] = []
    for (start, middle, who), (_, end, other) in pairwise(turns):
        asked = _asked(document, [one for one in every if start <= one.start < middle])
        answered = next((one for one in quotable if middle <= one.start < end), None)
        if who == YOU != other and asked is not None and answered is not None:
            quote = _beginning(document, answered, [one for one in every if one.end <= end])
            found.append((middle - end, Exchange(asked, quote)))
    longest = sorted(found, key=itemgetter(0))[:MAX_EXCHANGES]
    return tuple(sorted((each for _, each in longest), key=lambda each: each.asked.start))


def untold(
    quotes: Iterable[Passage], document: Document, *elsewhere: Iterable[Passage]
) -> tuple[Passage, ...]:
    """Return the quotes that stand nowhere else in the note of a conversation, and of the questions
    those that nobody answered.
    """
    if document.extracted_by != EXTRACTED_BY:
        return tuple(quotes)
    every = [each for some in elsewhere for each in some]
    last, _ = document.places[-1]
    return tuple(
        quote
        for quote in quotes
        if not any(quote.start < each.end and each.start < quote.end for each in every)
        and (quote.start >= last or not _QUESTION.search(quote.text))
    )


def credibility_of(document: Document) -> Credibility | None:
    """Return how far to trust a conversation with a language model; None for other documents."""
    others = [name for name in document.hit.authors if name != YOU]
    if document.extracted_by != EXTRACTED_BY or not others:
        return None
    why = f"what {others[0]}, a language model, said; nothing of it was checked"
    return Credibility(_UNCHECKED, ((why, _UNCHECKED),))


def _may_be_quoted(text: str) -> bool:
    is_asked = _QUESTION.search(text) is not None
    return not is_suspect(text) and (is_asked or not is_request(_straight(text)))


def _asked(document: Document, turn: Sequence[Sentence]) -> Passage | None:
    """Return the last question of a turn with what is said right before it, else its beginning."""
    if not turn:
        return None
    last = max((at for at, one in enumerate(turn) if _QUESTION.search(one.text)), default=0)
    first = last
    while first and turn[last].end - turn[first - 1].start <= _ASKED:
        first -= 1
    return _span(document, turn[first], turn[last])


def _beginning(document: Document, first: Sentence, every: Sequence[Sentence]) -> Passage:
    """Return the first sentences of an answer that are one paragraph."""
    last = first
    for one in every:
        gap = document.text[last.end : one.start]
        if one.start < last.end:
            continue
        if gap.strip() or "\n\n" in gap or one.end - first.start > _ANSWER:
            break
        last = one
    return _span(document, first, last)


def _span(document: Document, first: Sentence, last: Sentence) -> Passage:
    text = document.text[first.start : last.end]
    return Passage(document.id, first.start, last.end, text)


def _who(document: Document, sentence: Sentence) -> str:
    return document.place_at(sentence.start)


def _straight(text: str) -> str:
    return text.replace("’", "'")
