"""Chosen readings → findings: quotes checked, weighed, with what they connect to."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from daemon.model.evidence import Near, Passage
from daemon.model.finding import Finding
from daemon.research.agree import agreeing
from daemon.research.concepts import concepts
from daemon.research.evidence import Evidence
from daemon.research.judge import Judged
from daemon.research.quotable import keys_in
from daemon.research.recall import Recall
from daemon.research.synthesise import Reading, passage, plain, surroundings
from daemon.research.weigh import confidence, weigh
from daemon.store.evidence import RunFolder

CONNECTS_FROM = 0.35  # cosine from which a note is worth a link
CONNECTS_MOST = 4
_LOOKED_AT = 12  # notes per passage


@dataclass(frozen=True, slots=True)
class Composed:
    """Findings, and how many of their quotes were found again in the stored text."""

    findings: tuple[Finding, ...]
    quotes_checked: int
    quotes_total: int


def compose(
    chosen: Sequence[Reading],
    judged: Judged,
    evidence: Evidence,
    folder: RunFolder,
    recall: Recall,
) -> Composed:
    """Make a finding of each reading whose quotes all stand in the stored text."""
    findings = []
    checked = total = 0
    for reading in chosen:
        quotes = [passage(reading.document, quote) for quote in reading.quotes]
        good = [quote for quote in quotes if _stands(quote, folder)]
        total += len(quotes)
        checked += len(good)
        if good:
            findings.append(_finding(reading, tuple(good), judged, evidence, folder, recall))
    recall.save()
    return Composed(tuple(findings), checked, total)


def finding_id(key: str, topic: str) -> str:
    """Name a finding after its document and the topic: the same again is the same finding."""
    return sha256(f"{key}\0{topic}".encode("utf-8", "replace")).hexdigest()[:12]


def _stands(quote: Passage, folder: RunFolder) -> bool:
    """Whether a quote is, byte for byte, where it says it is in the text on the disk."""
    return folder.text(quote.document)[quote.start : quote.end] == quote.text


def _finding(
    reading: Reading,
    quotes: tuple[Passage, ...],
    judged: Judged,
    evidence: Evidence,
    folder: RunFolder,
    recall: Recall,
) -> Finding:
    document, task = reading.document, reading.task
    others = agreeing(reading, judged, evidence, recall)
    credibility = weigh(document.hit, 1 + len(others))
    voices = [credibility.score, *(weigh(other.hit, 1 + len(others)).score for other in others)]
    texts = [quote.text for quote in quotes]
    said = [sentence.text for sentence in judged.sentences[document.id]]
    terms = keys_in(f"{task.topic} {task.query}")
    return Finding(
        id=finding_id(document.key, task.topic),
        run=folder.id,
        task=task,
        document=document,
        title=document.hit.title,
        quotes=quotes,
        concepts=tuple(concepts(said, document.hit.title, texts, terms, recall.vectors)),
        connects=_connections(reading, recall),
        credibility=credibility,
        confidence=confidence(voices),
        flags=evidence.flags[document.id],
        created_at=folder.started_at,
    )


def _connections(reading: Reading, recall: Recall) -> tuple[Near, ...]:
    """Find the notes that the quotes, and what stands around them, are near to."""
    texts = [plain(quote.text) for quote in reading.quotes]
    texts += [surroundings(reading.document.text, quote) for quote in reading.quotes]
    best: dict[str, Near] = {}
    for places in recall.near(texts, _LOOKED_AT):
        for place in places:
            known = best.get(place.path)
            if known is None or place.similarity > known.similarity:
                best[place.path] = place
    near = sorted(best.values(), key=lambda place: (-place.similarity, place.path))
    return tuple(place for place in near if place.similarity >= CONNECTS_FROM)[:CONNECTS_MOST]
