"""The shapes a gap can have in a single note or name: alone, missing, thin, left behind."""

from collections.abc import Iterator
from statistics import median

from daemon.analysis.score import parts, recency, saturating
from daemon.analysis.stale import moved_on, surroundings
from daemon.analysis.subject import is_subject, note_topic, target_topic
from daemon.analysis.view import View, begun, counted, quoted
from daemon.analysis.words import is_dated
from daemon.model.agenda import Gap, GapKind, GapShape

LEAST_WORDS = 25  # a note with fewer has too little to say to be missed by others
WORTH_NAMING = 0.40  # cosine from which a note that stands alone is told its nearest
LEAST_NAMING = 2  # notes that name a target before it is more than a slip
THIN_WORDS = 60  # at most, and at most half of what is usual in the vault
LEANED_ON = 3  # notes that link to a stub before its thinness is felt
MAP_LINKS = 6  # a short note with so many links is a map, not a stub
# Properties whose values say how a note stands, and not what it is about.
_HOW_IT_STANDS = "status state stage phase type kind category categories rating priority"
_STANDINGS = frozenset(_HOW_IT_STANDS.split())


def isolated_gaps(view: View) -> Iterator[Gap]:
    """Notes with something to say that no link leads to or from."""
    for path, note in view.notes.items():
        alone = not view.graph.out[path] and not view.graph.into[path]
        if not alone or note.words < LEAST_WORDS or not is_subject(note.title):
            continue
        near = view.meaning.near.get(path, ())[:2]
        details = f"It has {counted(note.words, 'word')}{view.but_for(path)}"
        if near and near[0][1] >= WORTH_NAMING:
            details += f"; the most similar note is {view.name(near[0][0])}"
        yield _gap(
            GapShape.ISOLATED,
            note_topic(note.title),
            (path, *(other for other, _ in near)),
            f"{view.name(path)} stands alone: it links to no note, and no note links to it.",
            f"{details}.",
            need=saturating(note.words, 150),
            demand=max((cosine for _, cosine in near), default=0.0),
            recency=recency(view.times([path]), view.now),
            confidence=1.0 if view.is_about_something(path) else 0.3,
        )


def dangling_gaps(view: View) -> Iterator[Gap]:
    """Names that several notes link to and no note has."""
    for missing in view.unresolved:
        sources = tuple(path for path in missing.sources if path in view.notes)
        topic = target_topic(missing.target, dotted=view.is_dotted)
        if len(missing.sources) < LEAST_NAMING or not sources or not topic:
            continue
        if all(_only_tells_a_standing(view, path, missing.target) for path in missing.sources):
            continue
        if not any(map(view.is_about_something, sources)):
            continue
        yield _gap(
            GapShape.DANGLING,
            topic,
            sources,
            f"{begun(view.linking(missing.sources))} to {quoted(topic)}, which does not exist yet.",
            f"It is named in {view.names(missing.sources)}.",
            need=1.0,
            demand=saturating(len(missing.sources) - 1, 1.5),
            recency=recency(view.times(sources), view.now),
            confidence=min(1.0, 0.5 + 0.1 * missing.count),
        )


def _only_tells_a_standing(view: View, path: str, target: str) -> bool:
    """Whether a note names a target in nothing but properties such as `status`."""
    note = view.notes.get(path)
    if note is None:
        return False
    keys = [key for key, value in note.frontmatter.items() if target in str(value)]
    if not keys or not all(str(key).casefold() in _STANDINGS for key in keys):
        return False
    return f"[[{target}" not in view.texts.get(path, "")


def thin_gaps(view: View) -> Iterator[Gap]:
    """Notes that many link to and that say next to nothing."""
    written = [note.words for note in view.notes.values() if note.words]
    limit = min(THIN_WORDS, median(written) / 2) if written else 0
    for path, note in view.notes.items():
        leaning = sorted(
            source
            for source in view.graph.into[path]
            if source in view.notes and not is_dated(view.titles[source])
        )
        is_map = len(view.graph.out[path]) >= MAP_LINKS
        if len(leaning) < LEANED_ON or note.words >= limit or is_map or not is_subject(note.title):
            continue
        says = f"has only {counted(note.words, 'word')}" if note.words else "is empty"
        yield _gap(
            GapShape.THIN,
            note_topic(note.title),
            (path, *leaning),
            f"{view.name(path)} {says}, although {view.linking(leaning)} to it.",
            f"It is linked from {view.names(leaning)}{view.but_for(path)}.",
            need=1.0 - note.words / limit,
            demand=saturating(len(leaning), 4),
            recency=recency(view.times(leaning), view.now),
            confidence=1.0,
        )


def stale_gaps(view: View) -> Iterator[Gap]:
    """Notes that were left behind while what is around them went on."""
    for path in view.stale:
        note, age = view.notes[path], view.ages[path]
        assert age.edited_at is not None  # noqa: S101 or it would not be stale
        around = surroundings(path, view.graph, view.meaning)
        changed = moved_on(age.edited_at, around, view.ages)
        since = [other for other in changed if not is_dated(view.titles[other])]
        if not since or note.words < LEAST_WORDS or not is_subject(note.title):
            continue
        days = (view.now - age.edited_at).days
        yield _gap(
            GapShape.STALE,
            note_topic(note.title),
            (path, *since),
            f"{view.name(path)} was last updated on {age.edited_at:%Y-%m-%d}, and"
            f" {counted(len(since), 'note')} around it changed since.",
            f"{begun(view.linking(view.graph.into[path]))} to it{view.but_for(path)};"
            f" {view.names(since)} changed since.",
            need=saturating(days - view.stale_days, 365),
            demand=saturating(len(view.graph.into[path]), 3),
            recency=recency(view.times(since), view.now),
            confidence=1.0 if view.is_about_something(path) else 0.3,
        )


def _gap(
    shape: GapShape,
    topic: str,
    notes: tuple[str, ...],
    why: str,
    details: str,
    **answers: float,
) -> Gap:
    told = parts(shape, **answers)
    return Gap(
        kind=GapKind.GAP,
        shape=shape,
        topic=topic,
        notes=tuple(dict.fromkeys(notes)),
        why=why,
        score=round(sum(told.values()), 4),
        parts=told,
        details=details,
    )
