"""Chosen readings → findings: quotes checked, weighed, with what they connect to."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from daemon.model.evidence import Credibility, Document, Near, Passage
from daemon.model.finding import Agreement, Dispute, Finding
from daemon.research.concepts import concepts
from daemon.research.evidence import Evidence
from daemon.research.identity import doi_of
from daemon.research.judge import Judged
from daemon.research.quotable import keys_in
from daemon.research.recall import Recall
from daemon.research.support import Support
from daemon.research.synthesise import Reading, passage, plain, surroundings
from daemon.research.weigh import confidence, weigh
from daemon.store.evidence import RunFolder

CONNECTS_FROM = 0.35  # cosine from which a note is worth a link
CONNECTS_MOST = 4
_PUBMED = re.compile(r"pubmed\.ncbi\.nlm\.nih\.gov/(\d+)")
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
    composer = _Composer(chosen, judged, evidence, folder, recall)
    findings = [finding for reading in chosen for finding in composer.findings(reading)]
    recall.save()
    return Composed(tuple(findings), composer.checked, composer.total)


def finding_id(key: str, topic: str) -> str:
    """Name a finding after its document and the topic: the same again is the same finding."""
    return sha256(f"{key}\0{topic}".encode("utf-8", "replace")).hexdigest()[:12]


class _Composer:
    """One run's findings; counts the stretches that were quoted, and those found again."""

    def __init__(
        self,
        chosen: Sequence[Reading],
        judged: Judged,
        evidence: Evidence,
        folder: RunFolder,
        recall: Recall,
    ) -> None:
        self.checked = self.total = 0
        self._judged = judged
        self._evidence = evidence
        self._folder = folder
        self._recall = recall
        self._taken_back = _taken_back(evidence, recall)
        self._support = Support(chosen, judged, evidence, recall, self._taken_back)

    def findings(self, reading: Reading) -> Iterator[Finding]:
        """Make the finding of a reading, or none when no quote of it stands where it should."""
        document, task = reading.document, reading.task
        good = [one for one in reading.quotes if self._stands(passage(document, one))]
        if not good:
            return
        quotes = tuple(passage(document, one) for one in good)
        texts = [quote.text for quote in quotes]
        said = [sentence.text for sentence in self._judged.sentences[document.id]]
        terms = keys_in(f"{task.topic} {task.query}")
        connects = _connections(reading, self._recall)
        notes = [*([task.note] if task.note else []), *(near.path for near in connects)]
        agreement, others = self._support.of(reading, good, notes)
        agreement = self._with_what_stands(agreement)
        voices = 1 + len(others)
        credibility = self._weighed(document, voices)
        scores = [credibility.score, *(self._weighed(other, voices).score for other in others)]
        yield Finding(
            id=finding_id(document.key, task.topic),
            run=self._folder.id,
            task=task,
            document=document,
            title=document.hit.title,
            quotes=quotes,
            concepts=tuple(concepts(said, document.hit.title, texts, terms, self._recall.vectors)),
            connects=connects,
            credibility=credibility,
            confidence=confidence(scores),
            flags=self._evidence.flags[document.id],
            created_at=self._folder.started_at,
            agreement=replace(agreement, mean_credibility=round(sum(scores) / len(scores), 4)),
            centrality=self._evidence.centrality.get(document.key),
        )

    def _weighed(self, document: Document, voices: int) -> Credibility:
        return weigh(
            document,
            voices,
            self._recall.table(),
            notice=self._taken_back.get(document.id, ""),
        )

    def _with_what_stands(self, agreement: Agreement) -> Agreement:
        """Leave out what is not, byte for byte, where it is said to be."""
        return replace(
            agreement,
            voices=tuple(said for said in agreement.voices if self._stands(said.passage)),
            echoes=tuple(
                said
                for said in agreement.echoes
                if not said.passage.text or self._stands(said.passage)
            ),
            disputes=tuple(each for each in agreement.disputes if self._is_there(each)),
        )

    def _is_there(self, dispute: Dispute) -> bool:
        if not dispute.note:
            return self._stands(dispute.other)
        self.total += 1
        stands = _is_at(dispute.other, self._recall.note(dispute.note))
        self.checked += stands
        return stands

    def _stands(self, quote: Passage) -> bool:
        """Whether a quote is, byte for byte, where it says it is in the text on the disk."""
        self.total += 1
        stands = _is_at(quote, self._folder.text(quote.document))
        self.checked += stands
        return stands


def _is_at(quote: Passage, text: str) -> bool:
    return text[quote.start : quote.end] == quote.text


def _taken_back(evidence: Evidence, recall: Recall) -> dict[str, str]:
    """Say of the documents' ids which were retracted, as far as a list of retractions knows."""
    ids = {
        document.id: list(filter(None, (doi_of(document.hit.doi), doi_of(document.hit.url))))
        + _PUBMED.findall(document.hit.url)
        for document in evidence.documents.values()
    }
    found = recall.retracted(sorted({one for its in ids.values() for one in its}))
    return {
        id_: next(found[one] for one in its if one in found)
        for id_, its in ids.items()
        if any(one in found for one in its)
    }


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
