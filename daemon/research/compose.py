"""Turn chosen questions into findings: sentences grouped, checked, weighed and connected to
notes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from daemon.model.agenda import Task
from daemon.model.evidence import Document, Passage
from daemon.model.finding import (
    Abbreviation,
    AgreedQuote,
    Confidence,
    Contrast,
    Finding,
    FindingSource,
    NoteLine,
    Quote,
)
from daemon.model.manuals import is_manual
from daemon.research.abbreviations import abbreviations
from daemon.research.choose_findings import Chosen
from daemon.research.concepts import concepts, significant_concepts
from daemon.research.connect import ConnectionFinder
from daemon.research.evidence import Evidence
from daemon.research.finding_names import finding_id, title_of
from daemon.research.group import Groups, group
from daemon.research.judge import Readings
from daemon.research.note_lines import line_beside
from daemon.research.quotable import keys_in
from daemon.research.recall import Recall
from daemon.research.support import Opposition, SourceSentence, Support
from daemon.research.synthesise import passage, plain
from daemon.research.weigh import confidence
from daemon.research.weighing import Scales
from daemon.store.evidence import RunFolder


@dataclass(frozen=True, slots=True)
class Composed:
    """Findings, and how many of their quotes were verified in the stored text."""

    findings: tuple[Finding, ...]
    quotes_checked: int
    quotes_total: int


def compose(
    chosen: Sequence[Chosen],
    judged: Readings,
    evidence: Evidence,
    folder: RunFolder,
    recall: Recall,
    scales: Scales,
) -> Composed:
    """Make a finding of each question whose quotes are in the stored text, byte for byte."""
    composer = _Composer(judged, evidence, folder, recall, scales)
    findings = [finding for one in chosen if (finding := composer.finding(one)) is not None]
    recall.save()
    return Composed(tuple(findings), composer.checks.passed, composer.checks.total)


class Checks:
    """Verifies each quote, once, at its stated position."""

    def __init__(self, folder: RunFolder, recall: Recall) -> None:
        self._folder = folder
        self._recall = recall
        self._stands: dict[Passage, bool] = {}

    @property
    def total(self) -> int:
        return len(self._stands)

    @property
    def passed(self) -> int:
        return sum(self._stands.values())

    def is_verified(self, one: SourceSentence) -> bool:
        """Return whether a sentence is, byte for byte, in the document's text on the disk."""
        return self._is_at(passage(one.document, one.sentence), self._folder.text(one.document.id))

    def has_quote(self, one: Opposition) -> bool:
        """Return whether the other side of a contrast is in its document, or in its note."""
        if one.other is not None:
            return self.is_verified(one.other)
        sentence = one.sentence
        quote = Passage(one.note, sentence.start, sentence.end, sentence.text)
        return self._is_at(quote, self._recall.note(one.note))

    def _is_at(self, quote: Passage, text: str) -> bool:
        if quote not in self._stands:
            self._stands[quote] = text[quote.start : quote.end] == quote.text
        return self._stands[quote]


class _Composer:
    """One run's findings."""

    def __init__(
        self,
        judged: Readings,
        evidence: Evidence,
        folder: RunFolder,
        recall: Recall,
        scales: Scales,
    ) -> None:
        self.checks = Checks(folder, recall)
        self._judged = judged
        self._evidence = evidence
        self._folder = folder
        self._recall = recall
        self._scales = scales
        self._support = Support(judged, evidence, recall, scales)
        self._connecting = ConnectionFinder(recall)
        self._used: set[str] = set()  # sentences that an earlier finding quotes

    def finding(self, chosen: Chosen) -> Finding | None:
        """Make the finding of a question, or none if no quote of it can be verified."""
        groups = group(chosen, self._support, self.checks, self._used, self._connecting.notes)
        if groups is None:
            return None
        task, lead = chosen.task, groups.lead
        self._used |= groups.sentences
        sources = self._sources(groups)
        quotes = [one.sentence.text for one in groups.quoted]
        claims = [
            sentence.text
            for source in sources
            for sentence in self._judged.sentences[source.document.id]
        ]
        terms = keys_in(f"{task.topic} {task.query}")
        about = concepts(claims, lead.hit.title, quotes, terms, self._recall.vectors)
        return Finding(
            id=finding_id(lead.key, task.topic, task.query),
            run=self._folder.id,
            task=task,
            title=lead.hit.title if task.is_page else title_of(task),
            sources=sources,
            agreed=tuple(
                AgreedQuote(
                    _quote(each.own),
                    tuple(map(_quote, each.voices)),
                    tuple(document.hit for document in each.named),
                )
                for each in groups.agreed
            ),
            contrasts=tuple(map(_contrast, groups.contrasts)),
            single=tuple(map(_quote, groups.single)),
            concepts=significant_concepts(about, quotes, task),
            connects=self._connecting.connections(groups.quoted, about),
            confidence=self._confidence(task, groups),
            created_at=self._folder.started_at,
            independent_sources=groups.independent_sources,
            checked=len(self._evidence.tasks[task.id]),
            repeats=groups.repeats,
            also_read=tuple(document.hit for document in groups.also_read),
            beside=self._beside(task, quotes),
            abbreviations=self._abbreviations(task, groups),
            missing=chosen.readings[0].missing,
        )

    def _confidence(self, task: Task, groups: Groups) -> Confidence:
        """Return how well an answer is supported; that of a manual needs no other source."""
        found = confidence(self._supporting(groups))
        is_own = bool(task.about) and is_manual(groups.lead) and found is Confidence.LOW
        return Confidence.MEDIUM if is_own else found

    def _beside(self, task: Task, quotes: Sequence[str]) -> NoteLine | None:
        return (
            line_beside([plain(each) for each in quotes], task.note, self._recall)
            if task.note
            else None
        )

    def _abbreviations(self, task: Task, groups: Groups) -> tuple[Abbreviation, ...]:
        quoted = ((one.sentence.text, self._folder.text(one.document.id)) for one in groups.quoted)
        return abbreviations(quoted, self._recall.note(task.note) if task.note else "")

    def _sources(self, groups: Groups) -> tuple[FindingSource, ...]:
        return tuple(
            FindingSource(
                document,
                self._scales.weigh(document, groups.voices_for(document)),
                self._evidence.flags[document.id],
                self._evidence.centrality.get(document.key),
            )
            for document in groups.documents
        )

    def _supporting(self, groups: Groups) -> list[float]:
        """Return the credibility of each independent source that agrees with the best one."""
        agreeing = [each.documents for each in groups.agreed if groups.lead in each.documents]
        documents = max(agreeing, key=len, default=(groups.lead,))
        return [self._scales.weigh(each, len(documents)).score for each in documents]


def _quote(one: SourceSentence) -> Quote:
    return Quote(one.document, passage(one.document, one.sentence))


def _contrast(one: Opposition) -> Contrast:
    sentence = one.sentence
    document: Document | None = one.other.document if one.other is not None else None
    place = document.id if document is not None else one.note
    other = Passage(place, sentence.start, sentence.end, sentence.text)
    return Contrast(_quote(one.own), other, document, one.note, one.is_contradiction)
