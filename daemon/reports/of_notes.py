"""The report of a part of the vault: which notes it has by subtopic and how each begins, what they
disagree on, what they lack, and what the library adds.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from urllib.parse import unquote

from daemon.asking.lists import leads
from daemon.asking.statements import Passage, Statement, is_stated, parts_of
from daemon.language.words import segments
from daemon.model.agenda import Depth
from daemon.model.evidence import Passage as EvidencePassage
from daemon.model.finding import FindingSource, NoteLine, Quote
from daemon.model.report import Conflict, KeyFinding, Remark, Report, ReportSection, Said, text_of
from daemon.reports.disputes import disputes_in, related
from daemon.reports.entities import entities_in
from daemon.reports.figures import figures_of, timeline_of
from daemon.reports.leads import Lead, lead_of
from daemon.reports.missing import actions_on, asked_in, gaps_of_notes
from daemon.reports.of_run import report_id
from daemon.reports.said import distinct, states_nothing
from daemon.reports.subtopics import (
    MENTIONS,
    NAMED,
    OTHERS,
    Ground,
    Rarity,
    Subtopic,
    is_named,
    subtopics_of,
)
from daemon.reports.telling import fits, is_of_world, is_whole, share_in, subject_terms
from daemon.reports.verdicts import checks_claims, rejects
from daemon.research.bm25 import terms

LIBRARY = "In your library"
_MAX_LEADS = 40  # notes of which the lead is shown; the others are named
_MIN_LEADS = 3  # of each subtopic
_READ, _READ_FOR_DISPUTES = 12, 60  # statements of each note that are compared
_OF_SOURCE = 2  # statements of a document
_BEGIN = 2_000  # characters of a document, that show whether it checks claims
_MAX_SOURCES = 6
_FEW = 8  # notes of a part that is one subject
_NAMES = 3  # of notes, by which documents are searched
_LEAST_SHARED = 3  # words of two statements on the same subject: a name alone has homonyms
_MAX_KEY_FINDINGS, _MAX_ACTIONS = 6, 6
_KEY_WORDS, _OF_ONE = 6, 3  # words of one at least; findings without subtopics
_NO_SUBJECTS = (OTHERS, MENTIONS, NAMED)
_MENTIONS = 12  # notes that only mention a topic, of which what they say is shown

Documents = Callable[[str], Sequence[tuple[FindingSource, Passage]]]
"""Returns the documents of the library on a subject, with their text."""


def no_documents(_subject: str) -> Sequence[tuple[FindingSource, Passage]]:
    """Return no documents: there is no library."""
    return ()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the vault: the passages of its notes by path, the most linked notes first.

    `findings` are paths of findings about its notes; `missing` are the names of notes that do not
    exist, with the notes that link to them, the most linked first. `place` is the folder, the tag,
    the name of the cluster, or the topic, of which `asked` are the words.
    """

    name: str
    place: str
    notes: Mapping[str, Sequence[Passage]]
    ground: Ground = field(default_factory=Ground)
    documents: Documents = no_documents
    findings: Sequence[str] = ()
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Read:
    """A subtopic with the leads of its notes."""

    subtopic: Subtopic
    leads: Mapping[str, Lead]


def report_of_notes(part: Part, rarity: Rarity, depth: Depth, now: datetime) -> Report:
    """Return the report of a part of the vault."""
    subtopics = subtopics_of(part.name, part.notes, part.ground, rarity, part.asked)
    read = list(_read(subtopics, part.asked))
    library = list(islice(_in_library(part, subtopics, rarity), _MAX_SOURCES))
    quotes = [quote for _, its in library for quote in its]
    own = _statements(part)
    alike, disputed = related(own, [], quotes)
    mine = {
        path: its for path, its in part.notes.items() if is_named(path, its[0].name, part.asked)
    }
    asked = asked_in(each for its in mine.values() for each in its)
    said = [
        NoteLine(path, one.text)
        for each in read
        for path, lead in each.leads.items()
        for one in lead.statements
        if not rejects(lead.verdict)
    ]
    stated = [each for each in distinct([*said, *quotes]) if is_of_world(text_of(each))]
    return Report(
        id=report_id(f"part {part.place} {now:%Y-%m-%d}"),
        run="",
        subject=part.name,
        depth=depth,
        created_at=now,
        key_findings=tuple(islice(_key_findings(read, part), _MAX_KEY_FINDINGS)),
        sections=(*map(_section, _filled(read)), *_library_section(quotes)),
        disputed=tuple(disputed),
        figures=figures_of(stated),
        timeline=timeline_of(stated),
        gaps=gaps_of_notes(mine, part.missing, asked),
        actions=_actions(disputed, actions_on(part.missing, asked)),
        sources=tuple(source for source, _ in library),
        made=tuple(part.findings),
        read=0,
        notes=tuple(part.notes),
        entities=entities_in([], quotes, ()),
        alike=tuple(alike),
        contested=(*_checked(read), *_contested(part, subtopics, rarity)),
    )


def _read(subtopics: Sequence[Subtopic], asked: frozenset[str]) -> Iterator[_Read]:
    """Yield each subtopic with leads: of each note, or if they are many, of the first of each."""
    many = sum(len(each.notes) for each in subtopics)
    most = many if many <= _MAX_LEADS else max(_MIN_LEADS, _MAX_LEADS // len(subtopics))
    shown: set[str] = set()
    for each in subtopics:
        found: dict[str, Lead] = {}
        for path, passages in each.notes.items():
            wanted = frozenset() if is_named(path, passages[0].name, asked) else asked
            lead = lead_of(passages, wanted, shown)
            shown.add(lead.text if lead is not None else "")
            if lead is not None and len(found) < (_MENTIONS if each.name == MENTIONS else most):
                found[path] = lead
        yield _Read(each, found)


def _filled(read: Sequence[_Read]) -> list[_Read]:
    """Return the subtopics that show a note; another one names notes that no other one shows."""
    shown = {path for each in read for path in each.leads}
    return [each for each in read if each.leads or not shown.issuperset(each.subtopic.notes)]


def _statements(part: Part, most: int = _READ) -> list[Statement]:
    """Return the first statements of each note that can stand alone."""
    found: list[Statement] = []
    for passages in part.notes.values():
        parts = (each for passage in passages for each in parts_of(passage))
        fitting = (
            each
            for each in parts
            if fits(each.text) and part.asked <= _said(each) and is_stated(each)
        )
        found += islice(fitting, most)
    return found


def _checked(read: Iterable[_Read]) -> list[tuple[Said, ...]]:
    """Return the claims that a note checks and does not call true, with its verdict."""
    return [
        (lead.line(path),)
        for each in read
        for path, lead in each.leads.items()
        if rejects(lead.verdict)
    ]


def _contested(
    part: Part, subtopics: Iterable[Subtopic], rarity: Rarity
) -> Iterator[tuple[Said, ...]]:
    """Yield disputes: of a topic with what other notes say on the same; else one of a subtopic,
    whose notes need not be about the same.
    """
    own = _statements(part, _READ_FOR_DISPUTES)
    if part.asked or len(part.notes) <= _FEW:
        yield from disputes_in(own, own, rarity)
        return
    for each in subtopics:
        its = [one for one in own if one.passage.ref in each.notes]
        if each.name not in (*_NO_SUBJECTS, part.name):
            yield from disputes_in(its, (), rarity)[:1]


def _said(one: Statement) -> set[str]:
    return set(terms(f"{one.passage.name} {one.passage.heading} {one.text}"))


def _key_findings(read: Iterable[_Read], part: Part) -> Iterator[KeyFinding]:
    """Yield how notes on a topic begin, then the central note of each subtopic; without either, how
    a few notes do.
    """
    every = list(read)
    on_it = [each for each in every if part.asked and each.subtopic.name in (NAMED, part.name)]
    named = [each for each in every if each.subtopic.name not in (*_NO_SUBJECTS, part.name)]
    for each in [*on_it, *named] or every:
        most = 1 if each in named else _OF_ONE
        for path, text in islice(_central(each, part.asked), most):
            subject = each.subtopic.name if each in named else each.subtopic.notes[path][0].name
            yield KeyFinding(NoteLine(path, text), 1, "", subject)


def _central(read: _Read, asked: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the notes of a subtopic, each with a statement on it that says something."""
    for path, lead in read.leads.items():
        on_it = (one for one in lead.statements if asked <= _said(one) and is_whole(one.text))
        first = next(on_it, None)
        is_short = first is None or len(segments(first.text)) < _KEY_WORDS
        if first is not None and not (is_short or leads(first.text) or rejects(lead.verdict)):
            yield path, first.text


def _section(read: _Read) -> ReportSection:
    said = tuple(lead.line(path) for path, lead in read.leads.items())
    return _a_section(read.subtopic.name, said, tuple(read.subtopic.notes))


def _library_section(quotes: Sequence[Quote]) -> list[ReportSection]:
    return [_a_section(LIBRARY, tuple(quotes), ())] if quotes else []


def _a_section(title: str, said: tuple[Said, ...], notes: tuple[str, ...]) -> ReportSection:
    return ReportSection(
        title=title,
        question="",
        path="",
        read=0,
        independent=0,
        confidence=None,
        agreed=(),
        single=said,
        differing=(),
        notes=notes,
    )


def _in_library(
    part: Part, subtopics: Iterable[Subtopic], rarity: Rarity
) -> Iterator[tuple[FindingSource, list[Quote]]]:
    """Yield documents with statements on the topic, or on a subtopic with a name of several words;
    each document once.
    """
    seen: set[str] = set()
    weights = subject_terms(part.notes, rarity)
    names = [part.name, *(each.name for each in subtopics if each.name not in _NO_SUBJECTS)]
    names += [its[0].name for its in islice(part.notes.values(), _NAMES)]
    for name in dict.fromkeys(names):
        subject = set(terms(name))
        for source, passage in part.documents(name):
            hit = source.document.hit
            begin = source.document.text[:_BEGIN]
            if source.document.id in seen or checks_claims(unquote(hit.url), hit.title, begin):
                continue
            is_about = bool(part.asked) or subject <= set(terms(hit.title))
            found = [
                (share_in(each.text, weights), quote)
                for each in parts_of(passage)
                if subject <= set(terms(each.text))
                and fits(each.text)
                and (is_about or _is_on(each.text, subject, weights))
                and (quote := _quote(each, source)) is not None
                and is_stated(each)
            ]
            if found:
                seen.add(source.document.id)
                best = sorted(found, key=lambda one: -one[0])[:_OF_SOURCE]
                yield source, [quote for _, quote in best]


def _is_on(text: str, subject: set[str], weights: Mapping[str, float]) -> bool:
    """Return whether a sentence that has all words of a name is on it: a single word has homonyms,
    and three words are what the notes have in common with that name.
    """
    shared = len((set(terms(text)) - subject) & weights.keys())
    return len(subject) > 1 and len(subject) + shared >= _LEAST_SHARED


def _quote(statement: Statement, source: FindingSource) -> Quote | None:
    """Return a sentence as a quote, if the document has it and it states something."""
    start = source.document.text.find(statement.source)
    end = start + len(statement.source)
    where = EvidencePassage(source.document.id, start, end, statement.source)
    quote = Quote(source.document, where)
    return quote if start >= 0 and not states_nothing(quote) else None


def _actions(conflicts: Iterable[Conflict], others: Iterable[Remark]) -> tuple[Remark, ...]:
    disputed = [
        Remark(
            "Re-evaluate",
            each.ours.path,
            each.theirs.document.hit if isinstance(each.theirs, Quote) else None,
        )
        for each in conflicts
    ]
    return (*disputed, *others)[:_MAX_ACTIONS]
