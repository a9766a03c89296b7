"""The report of a part of the vault: what its notes say by subtopic, what they disagree on and
leave open, and what the library adds.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from daemon.asking.perspectives import is_conditional, relations
from daemon.asking.statements import Passage, PassageOrigin, Statement, is_stated, parts_of
from daemon.ingest.key_points import Embed
from daemon.model.agenda import Depth, Gap, GapShape
from daemon.model.evidence import Passage as EvidencePassage
from daemon.model.finding import FindingSource, NoteLine, Quote
from daemon.model.report import Conflict, KeyFinding, Remark, Report, ReportSection, Said
from daemon.reports.entities import entities_in
from daemon.reports.figures import figures_of, timeline_of
from daemon.reports.of_run import report_id
from daemon.reports.said import distinct, key_of, states_nothing
from daemon.reports.subtopics import Ground, Rarity, Subtopic, subtopics_of
from daemon.reports.telling import Ranked, asked_in, fits, ranked_in, share_in, subject_terms
from daemon.research.bm25 import terms
from daemon.research.synthesise import REPEATS

MAX_SECTIONS = 8
_OF_ONE, _OF_SEVERAL, _OF_EACH = 3, 5, 2  # statements of a section: of one note, of several
_NOTES = 6  # of a subtopic, that are read for statements
_FEW = 2  # notes, whose common words are those of the whole part
_CENTRAL = 0.05  # what each place from the middle of a subtopic takes from its statements
_OF_SOURCES, _NAMES = 3, 3  # statements of a section, and names by which documents are searched
_MAX_FURTHER = 24
_LEAST_SHARED = 3  # words of two statements on the same subject: a name alone has homonyms
_MAX_KEY_FINDINGS, _MAX_ACTIONS = 6, 6
_OF_SHAPE, _OPEN = 2, 4  # gaps of one kind, and questions of the notes
_COMPARED, _ALIKE = 200, 0.5  # statements; how much alike those are that may contradict
_ASKED = "Asked"
_IMAGE = re.compile(r"\s*(?:Pasted image \d+|\S+)\.(?:png|jpe?g|webp|svg|gif)\s*$", re.IGNORECASE)

Documents = Callable[[str], Sequence[tuple[FindingSource, Passage]]]
"""Returns the documents of the library on a subject, with their text."""


def no_documents(_subject: str) -> Sequence[tuple[FindingSource, Passage]]:
    """Return no documents: there is no library."""
    return ()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the vault: the passages of its notes by path, the most linked notes first.

    `findings` are paths of findings about its notes. `place` is the folder, the tag, the name of
    the cluster, or the topic, of which `asked` are the words that a statement must have one of.
    """

    name: str
    place: str
    notes: Mapping[str, Sequence[Passage]]
    ground: Ground = field(default_factory=Ground)
    documents: Documents = no_documents
    findings: Sequence[str] = ()
    gaps: Sequence[Gap] = ()
    asked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Read:
    """A subtopic with what its notes say, best first, and what documents add."""

    subtopic: Subtopic
    ranked: Sequence[Ranked]
    chosen: Sequence[Statement]
    quotes: Sequence[Quote]
    sources: Sequence[tuple[FindingSource, Passage]]


def report_of_notes(
    part: Part, rarity: Rarity, embed: Embed | None, depth: Depth, now: datetime
) -> Report:
    """Return the report of a part of the vault. Raises ModelError."""
    weights = subject_terms(part.notes, rarity)
    subtopics = subtopics_of(part.name, part.notes, part.ground, rarity)
    read = [_read(each, part, rarity, embed) for each in subtopics[:MAX_SECTIONS]]
    read = [each for each in read if each.chosen]
    brief = subtopics[MAX_SECTIONS : MAX_SECTIONS + _MAX_FURTHER]
    quotes = [quote for each in read for quote in each.quotes]
    chosen = [_line(one) for each in read for one in each.chosen]
    conflicts = _conflicts(read, quotes)
    asked = asked_in((each for its in part.notes.values() for each in its), weights)
    every: list[Said] = [*chosen, *quotes]
    return Report(
        id=report_id(f"part {part.place} {now:%Y-%m-%d}"),
        run="",
        subject=part.name,
        depth=depth,
        created_at=now,
        key_findings=tuple(_key_finding(each) for each in read[:_MAX_KEY_FINDINGS]),
        sections=tuple(map(_section, read)),
        further=tuple(_brief(each, weights, embed) for each in brief),
        disputed=conflicts,
        figures=figures_of(distinct(every)),
        timeline=timeline_of(distinct(every)),
        gaps=_gaps(part.gaps, asked),
        actions=_actions(conflicts, part.gaps, asked),
        sources=tuple(
            {
                source.document.id: source
                for each in read
                for source, _ in each.sources
                if any(quote.document.id == source.document.id for quote in each.quotes)
            }.values()
        ),
        made=tuple(part.findings),
        read=0,
        notes=tuple(part.notes),
        entities=entities_in([], quotes, ()),
    )


def _read(subtopic: Subtopic, part: Part, rarity: Rarity, embed: Embed | None) -> _Read:
    few = len(subtopic.notes) <= _FEW
    weights = subject_terms(part.notes if few else subtopic.notes, rarity)
    read = list(subtopic.notes.items())[:_NOTES]
    ranked = [
        Ranked(one.statement, one.worth - _CENTRAL * place)
        for place, (_, passages) in enumerate(read)
        for one in ranked_in(passages, weights, embed)
        if _is_asked(one.statement, part.asked)
    ]
    ranked.sort(key=lambda one: -one.worth)
    chosen = _choose(ranked, _OF_SEVERAL if len(read) > 1 else _OF_ONE)
    quotes, sources = _beyond(subtopic, part.documents, weights, chosen)
    return _Read(subtopic, ranked, chosen, quotes, sources)


def _is_asked(statement: Statement, asked: frozenset[str]) -> bool:
    """Return whether a statement, or the name of its note, has a word that is asked for."""
    return not asked or bool(asked & {*terms(f"{statement.passage.name} {statement.text}")})


def _choose(ranked: Sequence[Ranked], most: int) -> list[Statement]:
    """Return the best statements: few of each note, no two that say the same; of each note in its
    order.
    """
    of: dict[str, list[Statement]] = {}
    chosen: list[Statement] = []
    limit = _OF_EACH if most == _OF_SEVERAL else most
    for each in (one.statement for one in ranked):
        its = of.setdefault(each.passage.ref, [])
        if len(chosen) < most and len(its) < limit and not _is_repeated(each, chosen):
            its.append(each)
            chosen.append(each)
    places = {id(each): place for place, each in enumerate(chosen)}
    return [
        each
        for its in sorted((its for its in of.values() if its), key=lambda its: places[id(its[0])])
        for each in sorted(its, key=_place)
    ]


def _place(statement: Statement) -> tuple[int, int]:
    return statement.passage.line, statement.passage.text.find(statement.source)


def _is_repeated(one: Statement, others: Iterable[Statement]) -> bool:
    own = set(terms(one.text))
    return any(
        2 * len(own & its) >= REPEATS * (len(own) + len(its))
        for its in (set(terms(each.text)) for each in others)
    )


def _beyond(
    subtopic: Subtopic,
    documents: Documents,
    weights: Mapping[str, float],
    said: Sequence[Statement],
) -> tuple[list[Quote], list[tuple[FindingSource, Passage]]]:
    """Return statements of documents that name a subject of these notes, and say something that
    the notes quoted do not; with their documents.
    """
    central = [passages[0].name for passages in list(subtopic.notes.values())[:_NAMES]]
    found: dict[str, tuple[float, Quote]] = {}
    sources: dict[str, tuple[FindingSource, Passage]] = {}
    for name in dict.fromkeys([subtopic.name, *central]):
        subject = set(terms(name))
        for source, passage in documents(name):
            sources[source.document.id] = source, passage
            for each in parts_of(passage):
                if _is_on(each.text, subject, weights) and not _is_repeated(each, said):
                    quote = _quote(each, source)
                    if quote is not None and is_stated(each):
                        worth = share_in(each.text, weights)
                        found.setdefault(key_of(quote), (worth, quote))
    best = sorted(found.values(), key=lambda one: -one[0])[:_OF_SOURCES]
    return [quote for _, quote in best], list(sources.values())


def _is_on(text: str, subject: set[str], weights: Mapping[str, float]) -> bool:
    """Return whether a sentence has all words of a name (a single one has homonyms), and three
    words that the notes have in common with that name.
    """
    own = set(terms(text))
    is_named = len(subject) > 1 and subject <= own
    shared = len((own - subject) & weights.keys())
    return is_named and fits(text) and len(subject) + shared >= _LEAST_SHARED


def _quote(statement: Statement, source: FindingSource) -> Quote | None:
    """Return a sentence as a quote, if the document has it and it states something."""
    start = source.document.text.find(statement.source)
    end = start + len(statement.source)
    where = EvidencePassage(source.document.id, start, end, statement.source)
    quote = Quote(source.document, where)
    return quote if start >= 0 and not states_nothing(quote) else None


def _line(statement: Statement) -> NoteLine:
    return NoteLine(statement.passage.ref, _IMAGE.sub("", statement.text))


def _section(read: _Read) -> ReportSection:
    return ReportSection(
        title=read.subtopic.name,
        question="",
        path="",
        read=0,
        independent=0,
        confidence=None,
        agreed=(),
        single=(*map(_line, read.chosen), *read.quotes),
        differing=(),
        notes=tuple(read.subtopic.notes),
    )


def _brief(subtopic: Subtopic, weights: Mapping[str, float], embed: Embed | None) -> ReportSection:
    """Return a subtopic with the best statement of its central note."""
    passages = next(iter(subtopic.notes.values()))
    ranked = ranked_in(passages, weights, embed)[:1]
    return _section(_Read(subtopic, ranked, [one.statement for one in ranked], (), ()))


def _key_finding(read: _Read) -> KeyFinding:
    shown = {each.text for each in read.chosen}
    best = next(one.statement for one in read.ranked if one.statement.text in shown)
    return KeyFinding(_line(best), 1, "", read.subtopic.name)


def _conflicts(read: Sequence[_Read], quotes: Sequence[Quote]) -> tuple[Conflict, ...]:
    """Return the statements that contradict each other: of notes, or of a note and a source."""
    by_text = {quote.passage.text: quote for quote in quotes}
    theirs = [
        each
        for one in read
        for _, passage in one.sources
        for each in parts_of(passage)
        if each.source in by_text
    ]
    own = [one.statement for each in read for one in each.ranked]
    found = []
    for one, other in relations([*theirs, *own], _COMPARED, _ALIKE).contradictions:
        first, second = (
            (other, one) if one.passage.origin is PassageOrigin.LIBRARY else (one, other)
        )
        if is_conditional(one.text) or is_conditional(other.text):
            continue
        shared = {*terms(first.text)} & {*terms(second.text)}
        if first.passage.origin is PassageOrigin.NOTE and len(shared) >= _LEAST_SHARED:
            said = by_text.get(second.source) or _line(second)
            found.append(Conflict(_line(first), said))
    return tuple(found)


def _gaps(gaps: Sequence[Gap], asked: Sequence[Statement]) -> tuple[Remark, ...]:
    """Return what the notes ask, then what they lack: few of each kind."""
    return (
        *(Remark(f"{_kind(each)}: “{each.text}”", each.passage.ref) for each in asked[:_OPEN]),
        *(Remark(each.why.rstrip("."), (*each.notes, "")[0]) for each in _of_each_shape(gaps)),
    )


def _kind(asked: Statement) -> str:
    return _ASKED if asked.text.rstrip().endswith(("?", "？")) else "Not known"


def _of_each_shape(gaps: Iterable[Gap]) -> list[Gap]:
    of: dict[GapShape, list[Gap]] = {}
    for each in gaps:
        of.setdefault(each.shape, []).append(each)
    return [each for its in of.values() for each in its[:_OF_SHAPE]]


def _actions(
    conflicts: Iterable[Conflict], gaps: Sequence[Gap], asked: Sequence[Statement]
) -> tuple[Remark, ...]:
    disputed = [
        Remark(
            "Re-evaluate",
            each.ours.path,
            each.theirs.document.hit if isinstance(each.theirs, Quote) else None,
        )
        for each in conflicts
    ]
    questions = [each for each in asked if _kind(each) == _ASKED]
    answer = [Remark(f"Answer “{each.text}”", each.passage.ref) for each in questions[:_OF_SHAPE]]
    do = [_action(each) for each in _of_each_shape(gaps)]
    return (*disputed, *answer, *do)[:_MAX_ACTIONS]


def _action(gap: Gap) -> Remark:
    """Return what to do about a gap."""
    note = (*gap.notes, "")[0]
    if gap.shape is GapShape.ISOLATED:
        return Remark("Link to a note that belongs to it, or delete", note)
    if gap.shape is GapShape.SPARSE:
        return Remark(f"Link the notes about “{gap.topic}” with each other", note)
    if gap.shape is GapShape.STALE:
        return Remark("Check whether it is still true", note)
    return Remark(f"Research “{gap.topic}”")
