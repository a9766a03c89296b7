"""The report of a part of the vault, or of a topic: what each of its notes says that answers its
title, what they disagree on, what they lack, and what the library adds.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice

from daemon.asking.statements import Passage, Statement, is_stated, parts_of
from daemon.model.agenda import Depth
from daemon.model.finding import NoteLine, Quote
from daemon.model.report import Conflict, Remark, Report, ReportSection, Said, text_of
from daemon.reports.cores import Judge, core_of, line_of, outline_of, sections_of
from daemon.reports.disputes import disputes_in, related
from daemon.reports.entities import entities_in
from daemon.reports.figures import figures_of, timeline_of
from daemon.reports.in_library import Documents, in_library, no_documents
from daemon.reports.mentions import Mention, mention_of
from daemon.reports.missing import actions_on, asked_in, gaps_of_notes
from daemon.reports.of_run import report_id
from daemon.reports.said import distinct
from daemon.reports.subtopics import OTHERS, Ground, Rarity, Subtopic, subtopics_of
from daemon.reports.telling import fits, is_of_world
from daemon.reports.topic import Topic
from daemon.reports.verdicts import rejects, verdict_in
from daemon.research.bm25 import terms

LIBRARY, NAMED, MENTIONS, LINKED = (
    "In your library",
    "Notes on it",
    "Notes that mention it",
    "Linked with it",
)
_MAX_CORES = 40  # notes of which the core is shown; the others are named
_MIN_CORES = 3  # of each subtopic
# Units that are shown of each note, by the number of notes.
_UNITS = ((8, 3), (30, 2))
_READ, _READ_FOR_DISPUTES = 12, 60  # statements of each note that are compared
_MAX_SOURCES = 6
_FEW = 8  # notes of a part that is one subject
_MAX_ACTIONS = 6
_ENOUGH = 40  # words of the own notes of a topic, to tell what else a word may mean
_OF_SHARED, _MOST_SHARED = 0.3, 6  # weight of each such word
_PART = 0.12  # of the words of a mention, that are shared
_SHARED, _USUAL = 3, 0.2  # words that a mention shares with them; of the notes that have one
_MENTIONS = 12  # notes that only mention a topic, of which what they say is shown
_MANY_MENTIONS = 4  # from which a passing mention is only named


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the vault: the passages of its notes by path, the most linked notes first.

    `findings` are paths of findings about its notes; `missing` are the names of notes that do not
    exist, with the notes that link to them, the most linked first. `place` is the folder, the tag,
    the name of the cluster, or the topic. `main` are the part's or the topic's own notes, `named`
    those that the `topic` names, `linked` those that they link to or that link to them, `dates`
    the days on which what notes keep was published.
    """

    name: str
    place: str
    notes: Mapping[str, Sequence[Passage]]
    ground: Ground = field(default_factory=Ground)
    documents: Documents = no_documents
    findings: Sequence[str] = ()
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)
    topic: Topic | None = None
    main: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    linked: Sequence[str] = ()
    dates: Mapping[str, str] = field(default_factory=dict)

    def of(self, paths: Iterable[str]) -> dict[str, Sequence[Passage]]:
        """Return those of the notes, in their order."""
        wanted = set(paths)
        return {path: each for path, each in self.notes.items() if path in wanted}


@dataclass(frozen=True, slots=True)
class _Reading:
    """How notes are read: how rare words are, and the cross-encoder if there is one."""

    rarity: Rarity
    judge: Judge | None


def report_of_notes(
    part: Part, rarity: Rarity, depth: Depth, now: datetime, judge: Judge | None = None
) -> Report:
    """Return the report of a part of the vault, or of a topic."""
    reading = _Reading(rarity, judge)
    mine = part.of(part.main | part.named) if part.topic else part.notes
    rest = {path: each for path, each in mine.items() if path not in part.main}
    subtopics = subtopics_of(part.name, rest, part.ground, rarity) if rest else []
    sections = [
        *_outlines(part, reading),
        *_cores(part, subtopics, reading),
        *_mentions(part),
        *_linked(part),
    ]
    names = [part.name, *(each.name for each in subtopics if each.name not in (OTHERS, part.name))]
    documents = in_library(names, part.notes, part.documents, rarity, part.topic)
    library = list(islice(documents, _MAX_SOURCES))
    quotes = [quote for _, its in library for quote in its]
    alike, disputed = related(_statements(part), [], quotes)
    asked = asked_in(each for its in mine.values() for each in its)
    said = [each for one in sections for each in one.single if not _is_rejected(each)]
    stated = [each for each in distinct([*said, *quotes]) if is_of_world(text_of(each))]
    return Report(
        id=report_id(f"part {part.place} {now:%Y-%m-%d}"),
        run="",
        subject=part.name,
        depth=depth,
        created_at=now,
        key_findings=(),  # nothing that one note says is a result of all of them
        sections=(*sections, *_library_section(quotes)),
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
        contested=(*_checked(sections), *_contested(part, subtopics, rarity)),
        dates=part.dates,
    )


def _outlines(part: Part, reading: _Reading) -> Iterator[ReportSection]:
    """Yield what the own notes of a part or of a topic say, heading by heading."""
    for path, passages in part.of(part.main).items():
        said = tuple(outline_of(passages, reading.rarity, reading.judge))
        yield _a_section(passages[0].name, said, (path,))


def _cores(part: Part, subtopics: Sequence[Subtopic], reading: _Reading) -> Iterator[ReportSection]:
    """Yield each subtopic with what its notes say; of many notes, what the first of each say."""
    count = sum(len(each.notes) for each in subtopics)
    most = count if count <= _MAX_CORES else max(_MIN_CORES, _MAX_CORES // len(subtopics))
    units = next((each for few, each in _UNITS if count <= few), 1)
    shown: set[tuple[NoteLine, ...]] = set()
    for each in subtopics:
        said: list[NoteLine] = []
        for passages in islice(each.notes.values(), most):
            lines = tuple(_with_verdict(_core(passages, units, reading), passages))
            alike = tuple(replace(line, path="") for line in lines)
            if alike not in shown:
                said += lines
            shown.add(alike)
        whole = NAMED if part.topic else OTHERS if part.main else part.name
        name = whole if each.name == part.name else each.name
        yield _a_section(name, tuple(said), tuple(each.notes))


def _core(passages: Sequence[Passage], units: int, reading: _Reading) -> list[NoteLine]:
    found = core_of(passages, units, reading.rarity, reading.judge)
    lines = [line_of(each.unit, passages[0].ref) for each in found]
    return [*lines, *(sections_of(passages) if units > 1 else [])]


def _with_verdict(lines: Sequence[NoteLine], passages: Sequence[Passage]) -> Iterator[NoteLine]:
    """Yield the lines of a note that checks a claim with its verdict on it."""
    verdict = verdict_in(passages)
    yield from (
        replace(each, text=f"{each.text} […] {verdict}" if verdict and each.text else each.text)
        for each in lines
    )


def _is_rejected(said: Said) -> bool:
    _, mark, verdict = text_of(said).rpartition(" […] ")
    return bool(mark) and rejects(verdict)


def _mentions(part: Part) -> Iterator[ReportSection]:
    """Yield what other notes say on a topic: those that say most first, and of many not those that
    only name it in passing.
    """
    topic = part.topic
    others = {path: each for path, each in part.notes.items() if path not in part.main | part.named}
    if topic is None or not others:
        return
    found = {path: mention_of(each, topic) for path, each in others.items()}
    said = {path: each for path, each in found.items() if each is not None}
    near = {path: _shared(others[path], each, part) for path, each in said.items()}
    if len(topic.words) == 1:  # which may mean something else
        said = {path: each for path, each in said.items() if near[path] >= _SHARED}
    weighty = {path: each for path, each in said.items() if not each.is_passing}
    kept = weighty if len(weighty) >= _MANY_MENTIONS else said
    best = sorted(kept, key=lambda path: _order(kept[path], near[path]))[:_MENTIONS]
    lines = tuple(line for path in best for line in _with_verdict([kept[path].line], others[path]))
    yield _a_section(MENTIONS, lines, tuple(others))


def _shared(passages: Sequence[Passage], mention: Mention, part: Part) -> int:
    """Return how many words a mention shares with the topic's own notes: it may mean something
    else. A link counts as enough, and so does everything without own notes.
    """
    own = {word for its in part.of(part.main).values() for each in its for word in terms(each.text)}
    if len(own) < _ENOUGH or passages[0].ref in part.linked:
        return _SHARED
    asked = set(terms(part.name))
    near = set(terms(f"{mention.line.text} {' '.join(mention.line.below)}")) - asked
    shared = {word for word in near & own if part.ground.share(word) < _USUAL}
    return len(shared) if len(shared) >= _PART * len(near) else 0


def _order(mention: Mention, near: int) -> tuple[bool, float]:
    return mention.is_passing, -mention.worth - _OF_SHARED * min(near, _MOST_SHARED)


def _linked(part: Part) -> Iterator[ReportSection]:
    """Yield the notes that are linked with the topic's own, and that no section has shown."""
    others = tuple(path for path in part.linked if path not in part.notes)
    if others:
        yield _a_section(LINKED, (), others)


def _statements(part: Part, most: int = _READ) -> list[Statement]:
    """Return the first statements of each note that can stand alone; on a topic, those on it."""
    found: list[Statement] = []
    for path, passages in part.notes.items():
        is_own = part.topic is None or path in part.main | part.named
        parts = (each for passage in passages for each in parts_of(passage))
        fitting = (
            each
            for each in parts
            if fits(each.text)
            and (is_own or (part.topic is not None and part.topic.is_in(each.text)))
            and is_stated(each)
        )
        found += islice(fitting, most)
    return found


def _checked(sections: Iterable[ReportSection]) -> list[tuple[Said, ...]]:
    """Return the claims that a note checks and does not call true, with its verdict."""
    found: dict[str, tuple[Said, ...]] = {}
    for section in sections:
        for each in section.single:
            if _is_rejected(each) and isinstance(each, NoteLine):
                found.setdefault(each.path, (each,))
    return list(found.values())


def _contested(
    part: Part, subtopics: Iterable[Subtopic], rarity: Rarity
) -> Iterator[tuple[Said, ...]]:
    """Yield disputes: of a topic with what other notes say on the same; else one of a subtopic,
    whose notes need not be about the same.
    """
    own = _statements(part, _READ_FOR_DISPUTES)
    if part.topic or len(part.notes) <= _FEW:
        yield from disputes_in(own, own, rarity)
        return
    for each in subtopics:
        its = [one for one in own if one.passage.ref in each.notes]
        if each.name not in (OTHERS, part.name):
            yield from disputes_in(its, (), rarity)[:1]


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
