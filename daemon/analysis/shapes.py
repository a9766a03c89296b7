"""Gaps of a single note or name: isolated, missing, thin, outdated."""

from collections.abc import Container, Iterator, Sequence
from datetime import datetime
from functools import partial
from statistics import median

from daemon.analysis.drafts import Draft, Words
from daemon.analysis.score import parts, recency, saturating
from daemon.analysis.subject import target_topic
from daemon.analysis.view import View
from daemon.model.agenda import GapKind, GapShape
from daemon.model.wording import counted, quoted, sentence_start

MIN_WORDS = 25  # a note with fewer has too little text to be missed by others
MIN_SIMILAR_PAIRS = 0.40  # cosine from which an isolated note's nearest note is shown
MIN_LINKING_NOTES = 2  # notes that link to a target before it is more than a slip
THIN_WORDS = 60  # at most, and at most half of what is usual in the vault
MIN_BACKLINKS = 3  # notes that link to a stub before its thinness matters
MAP_LINKS = 6  # a short note with so many links is a map, not a stub
# Properties whose values give a note's state, and not its subject.
_STATUS_WORDS = "status state stage phase type kind category categories rating priority"
_STATUSES = frozenset(_STATUS_WORDS.split())


def isolated_gaps(view: View) -> Iterator[Draft]:
    """Notes with text that are not linked in either direction."""
    for path, note in view.notes.items():
        alone = not view.graph.out[path] and not view.graph.into[path]
        if not alone or note.words < MIN_WORDS or not (topic := view.subject(note.title)):
            continue
        similar = view.meaning.similar.get(path, ())[:2]
        yield _draft(
            GapShape.ISOLATED,
            topic,
            (path, *(other for other, _ in similar)),
            partial(_why_isolated, view, path, similar),
            need=saturating(note.words, 150),
            demand=max((cosine for _, cosine in similar), default=0.0),
            recency=recency(view.times([path]), view.now),
            confidence=1.0 if view.is_about_something(path) else 0.3,
        )


def _why_isolated(view: View, path: str, near: Sequence[tuple[str, float]]) -> tuple[str, str]:
    details = f"It has {counted(view.notes[path].words, 'word')}{view.but_for(path)}"
    if near and near[0][1] >= MIN_SIMILAR_PAIRS:
        details += f"; the most similar note is {view.name(near[0][0])}"
    why = f"{view.name(path)} stands alone: it links to no note, and no note links to it."
    return why, f"{details}."


def dangling_gaps(view: View) -> Iterator[Draft]:
    """Names that several notes link to and no note has."""
    for missing in view.unresolved:
        if len(missing.sources) < MIN_LINKING_NOTES:
            continue
        sources = tuple(path for path in missing.sources if path in view.notes)
        topic = target_topic(missing.target, dotted=view.is_dotted)
        if not sources or not topic:
            continue
        if all(_only_names_a_status(view, path, missing.target) for path in missing.sources):
            continue
        if not any(map(view.is_about_something, sources)):
            continue
        yield _draft(
            GapShape.DANGLING,
            topic,
            sources,
            partial(_why_dangling, view, topic, missing.sources),
            need=1.0,
            demand=saturating(len(missing.sources) - 1, 1.5),
            recency=recency(view.times(sources), view.now),
            confidence=min(1.0, 0.5 + 0.1 * missing.count),
        )


def _why_dangling(view: View, topic: str, sources: Sequence[str]) -> tuple[str, str]:
    why = f"{sentence_start(view.linking(sources))} to {quoted(topic)}, which does not exist yet."
    return why, f"It is named in {view.names(sources)}."


def _only_names_a_status(view: View, path: str, target: str) -> bool:
    """Return whether a note uses a target only in properties such as `status`."""
    note = view.notes.get(path)
    if note is None:
        return False
    keys = [key for key, value in note.frontmatter.items() if target in str(value)]
    if not keys or not all(str(key).casefold() in _STATUSES for key in keys):
        return False
    return f"[[{target}" not in view.texts.get(path, "")


def thin_gaps(view: View) -> Iterator[Draft]:
    """Notes that many link to and that have almost no text."""
    written = [note.words for note in view.notes.values() if note.words]
    limit = min(THIN_WORDS, median(written) / 2) if written else 0
    for path, note in view.notes.items():
        is_map = len(view.graph.out[path]) >= MAP_LINKS
        if note.words >= limit or is_map or len(view.graph.into[path]) < MIN_BACKLINKS:
            continue
        leaning = sorted(
            source
            for source in view.graph.into[path]
            if source in view.notes and source not in view.dated
        )
        if len(leaning) < MIN_BACKLINKS or not (topic := view.subject(note.title)):
            continue
        yield _draft(
            GapShape.THIN,
            topic,
            (path, *leaning),
            partial(_why_thin, view, path, leaning),
            need=1.0 - note.words / limit,
            demand=saturating(len(leaning), 4),
            recency=recency(view.times(leaning), view.now),
            confidence=1.0,
        )


def _why_thin(view: View, path: str, leaning: Sequence[str]) -> tuple[str, str]:
    words = view.notes[path].words
    words_line = f"has only {counted(words, 'word')}" if words else "is empty"
    why = f"{view.name(path)} {words_line}, although {view.linking(leaning)} to it."
    return why, f"It is linked from {view.names(leaning)}{view.but_for(path)}."


def stale_gaps(view: View, covered: Container[str]) -> Iterator[Draft]:
    """Notes that were not updated while their surroundings were, but for the covered ones."""
    for path, changed in view.stale.items():
        if path in covered:
            continue
        note, age = view.notes[path], view.ages[path]
        assert age.edited_at is not None  # noqa: S101 or it would not be stale
        since = changed
        if not view.dated.isdisjoint(changed):
            since = [other for other in changed if other not in view.dated]
        if not since or note.words < MIN_WORDS or not (topic := view.subject(note.title)):
            continue
        days = (view.now - age.edited_at).days
        yield _draft(
            GapShape.STALE,
            topic,
            (path, *since),
            partial(_why_stale, view, path, age.edited_at, since),
            need=saturating(days - view.stale_days, 365),
            demand=saturating(len(view.graph.into[path]), 3),
            recency=recency(view.times(since[:1]), view.now),  # the latest
            confidence=1.0 if view.is_about_something(path) else 0.3,
        )


def _why_stale(view: View, path: str, edited: datetime, since: Sequence[str]) -> tuple[str, str]:
    later = f"{counted(len(since), 'note')} around it changed since."
    why = f"{view.name(path)} was last updated on {edited:%Y-%m-%d}, and {later}"
    leaning = f"{sentence_start(view.linking(view.graph.into[path]))} to it{view.but_for(path)}"
    return why, f"{leaning}; {view.names(since)} changed since."


def _draft(
    shape: GapShape,
    topic: str,
    notes: tuple[str, ...],
    words: Words,
    **answers: float,
) -> Draft:
    weighed = parts(shape, **answers)
    return Draft(GapKind.GAP, shape, topic, notes, weighed, round(sum(weighed), 4), words)
