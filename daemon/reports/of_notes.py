"""The report of a part of the vault: what its notes say, and the library on the same subject.

Statements are ranked by the words that are frequent in these notes and rare in the vault.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from daemon.asking.perspectives import relations
from daemon.asking.statements import Passage, PassageOrigin, Statement, is_stated, parts_of
from daemon.model.agenda import Depth, Gap
from daemon.model.evidence import Passage as EvidencePassage
from daemon.model.finding import FindingSource, NoteLine, Quote
from daemon.model.report import Conflict, KeyFinding, Remark, Report, ReportSection, Said
from daemon.reports.entities import entities_in
from daemon.reports.figures import figures_of, timeline_of
from daemon.reports.of_run import report_id
from daemon.reports.said import distinct, key_of, points_elsewhere, states_nothing
from daemon.research.about import DEPENDS_ON_CONTEXT
from daemon.research.bm25 import terms

MAX_NOTES = 8
_OF_NOTE, _OF_SOURCE = 3, 2
_MAX_KEY_FINDINGS, _MAX_GAPS, _MAX_ACTIONS = 5, 6, 6
_TERMS = 24  # frequent ones, that decide what matters
_WORDS = (6, 60)  # of a statement
# A list that follows, a title of a video, the name of an image within the sentence.
_NO_POINT = re.compile(
    r":\s*$|- YouTube$|\.(?:png|jpe?g|webp|svg|gif)\b(?!\s*$)|\bexcalidraw\b", re.IGNORECASE
)
_IMAGE = re.compile(r"\s*(?:Pasted image \d+|\S+)\.(?:png|jpe?g|webp|svg|gif)\s*$", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|cannot|could|may|might|must|should|will"
    r"|would|becomes?|causes?|leads?|means?|needs?|makes?|uses?|shows?|gives?|takes?|works?|helps?"
    r"|requires?|includes?|contains?|allows?|prevents?|reduces?|increases?|depends?|\w+n't)\b",
    re.IGNORECASE,
)

Rarity = Callable[[str], float]
"""Returns how rare a word is in the vault: 1 if no note contains it, near 0 if all do."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the vault: the passages of its notes by path, the most linked notes first.

    `sources` are documents of the library by note, with their text. `findings` are paths of
    findings about its notes. `place` is the folder, or the name of the cluster.
    """

    name: str
    place: str
    notes: Mapping[str, Sequence[Passage]]
    sources: Mapping[str, Sequence[tuple[FindingSource, Passage]]]
    findings: Sequence[str]
    gaps: Sequence[Gap]


def subject_terms(notes: Mapping[str, Sequence[Passage]], rarity: Rarity) -> dict[str, float]:
    """Return the weights of the words that many of these notes have, and few others."""
    counts = Counter[str]()
    for passages in notes.values():
        counts.update({term for each in passages for term in terms(f"{each.name} {each.text}")})
    weights = {term: count * rarity(term) for term, count in counts.items() if count > 1}
    best = sorted(weights, key=lambda term: (-weights[term], term))[:_TERMS]
    return {term: math.sqrt(weights[term]) for term in best}


def by_weight(
    notes: Mapping[str, Sequence[Passage]], linked: Mapping[str, int], rarity: Rarity
) -> list[str]:
    """Return the paths of notes: the most linked first, then those with the weightiest sentence."""
    weights = subject_terms(notes, rarity)

    def most(path: str) -> float:
        texts = (each.text for passage in notes[path] for each in parts_of(passage))
        return max((_worth(each, weights) for each in texts if _fits(each)), default=0.0)

    return sorted(notes, key=lambda path: (-linked.get(path, 0), -most(path), path))


def report_of_notes(part: Part, rarity: Rarity, depth: Depth, now: datetime) -> Report:
    """Return the report of a part of the vault."""
    weights = subject_terms(part.notes, rarity)
    ours = {path: _best(each, weights) for path, each in part.notes.items()}
    ours = {path: each for path, each in ours.items() if each}
    shown = dict(list(ours.items())[:MAX_NOTES])
    theirs = {path: _on_note(path, part, weights) for path in shown}
    quotes = [quote for its in theirs.values() for quote in its]
    cited = {quote.document.id for quote in quotes}
    sections = tuple(_section(path, part, each, theirs[path]) for path, each in shown.items())
    every: list[Said] = [*(_line(one) for each in ours.values() for one in each), *quotes]
    conflicts = _conflicts(ours, part, quotes)
    return Report(
        id=report_id(f"part {part.place} {now:%Y-%m-%d}"),
        run="",
        subject=part.name,
        depth=depth,
        created_at=now,
        key_findings=_key_findings(shown, weights),
        sections=sections,
        disputed=conflicts,
        figures=figures_of(distinct(every)),
        timeline=timeline_of(distinct(every)),
        gaps=tuple(
            Remark(each.why.rstrip("."), (*each.notes, "")[0]) for each in part.gaps[:_MAX_GAPS]
        ),
        actions=_actions(conflicts, part.gaps),
        sources=tuple(
            {
                one.document.id: one
                for path in shown
                for one, _ in part.sources.get(path, ())
                if one.document.id in cited
            }.values()
        ),
        made=tuple(part.findings),
        read=0,
        notes=tuple(part.notes),
        entities=entities_in([], quotes, ()),
    )


def _best(passages: Iterable[Passage], weights: Mapping[str, float]) -> list[Statement]:
    """Return the statements of a note that say most about the subject, in the note's order."""
    every = [each for passage in passages for each in parts_of(passage)]
    ranked = sorted(
        (-_worth(each.text, weights), place) for place, each in enumerate(every) if _fits(each.text)
    )
    found: list[int] = []
    for worth, place in ranked:
        if len(found) == _OF_NOTE or not worth:
            break
        if is_stated(every[place]):
            found.append(place)
    return [every[place] for place in sorted(found)]


def _fits(text: str) -> bool:
    """Return whether a text can be understood alone, by its form."""
    is_long = _WORDS[0] <= len(text.split()) <= _WORDS[1]
    depends = DEPENDS_ON_CONTEXT.match(text) or _NO_POINT.search(text)
    return is_long and not (depends or points_elsewhere(text))


def _worth(text: str, weights: Mapping[str, float]) -> float:
    own = set(terms(text))
    return sum(weights.get(term, 0.0) for term in own) / math.sqrt(max(len(own), _WORDS[0]))


def _on_note(path: str, part: Part, weights: Mapping[str, float]) -> list[Quote]:
    """Return statements of the library that name the subject of a note: all words of its name."""
    subject = set(terms(part.notes[path][0].name))
    found: dict[str, Quote] = {}
    for source, passage in part.sources.get(path, ()):
        about = [each for each in parts_of(passage) if subject <= set(terms(each.text))]
        ranked = sorted(about, key=lambda each: -_worth(each.text, weights))
        for each in [one for one in ranked if _fits(one.text) and is_stated(one)][:_OF_SOURCE]:
            start = source.document.text.find(each.source)
            where = EvidencePassage(
                source.document.id, start, start + len(each.source), each.source
            )
            quote = Quote(source.document, where)
            if start >= 0 and not states_nothing(quote):
                found.setdefault(key_of(quote), quote)
    return list(found.values())


def _line(statement: Statement) -> NoteLine:
    return NoteLine(statement.passage.ref, _IMAGE.sub("", statement.text))


def _section(
    path: str, part: Part, statements: Sequence[Statement], quotes: Sequence[Quote]
) -> ReportSection:
    return ReportSection(
        title=part.notes[path][0].name,
        question="",
        path=path,
        read=0,
        independent=0,
        confidence=None,
        agreed=(),
        single=(*map(_line, statements), *quotes),
        differing=(),
    )


def _key_findings(
    shown: Mapping[str, Sequence[Statement]], weights: Mapping[str, float]
) -> tuple[KeyFinding, ...]:
    """Return the best statement of each note, the best of all first."""
    whole = [[one for one in each if _VERB.search(one.text)] for each in shown.values()]
    best = [max(each, key=lambda one: _worth(one.text, weights)) for each in whole if each]
    best.sort(key=lambda one: -_worth(one.text, weights))
    return tuple(KeyFinding(_line(one), 1, "") for one in best[:_MAX_KEY_FINDINGS])


def _conflicts(
    ours: Mapping[str, Sequence[Statement]], part: Part, quotes: Sequence[Quote]
) -> tuple[Conflict, ...]:
    """Return the statements that contradict each other: of notes, or of a note and a source."""
    by_text = {quote.passage.text: quote for quote in quotes}
    theirs = [
        each
        for sources in part.sources.values()
        for _, passage in sources
        for each in parts_of(passage)
        if each.source in by_text
    ]
    own = [one for each in ours.values() for one in each]
    found = []
    for one, other in relations([*own, *theirs]).contradictions:
        if one.passage.origin is PassageOrigin.NOTE:
            said = by_text.get(other.source) or _line(other)
            found.append(Conflict(_line(one), said))
    return tuple(found)


def _actions(conflicts: Iterable[Conflict], gaps: Sequence[Gap]) -> tuple[Remark, ...]:
    disputed = [
        Remark(
            "Re-evaluate",
            each.ours.path,
            each.theirs.document.hit if isinstance(each.theirs, Quote) else None,
        )
        for each in conflicts
    ]
    research = [Remark(f"Research “{each.topic}”") for each in gaps]
    return (*disputed, *research)[:_MAX_ACTIONS]
