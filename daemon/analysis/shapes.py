"""The shapes a gap can have in a single note or name: alone, missing, thin, left behind."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import takewhile
from statistics import median

from daemon.analysis.score import parts, recency, saturating
from daemon.analysis.stale import moved_on, surroundings
from daemon.analysis.view import View, counted, quoted
from daemon.analysis.words import is_date, is_telling, words_of
from daemon.model.agenda import Gap, GapKind, GapShape
from daemon.store.notes import NoteRow

LEAST_WORDS = 25  # a note with fewer has too little to say to be missed by others
WORTH_NAMING = 0.40  # cosine from which a note that stands alone is told its nearest
LEAST_NAMING = 2  # notes that name a target before it is more than a slip
THIN_WORDS = 60  # at most, and at most half of what is usual in the vault
LEANED_ON = 3  # notes that link to a stub before its thinness is felt
MAP_LINKS = 6  # a short note with so many links is a map, not a stub
LONGEST_TARGET = 80  # characters
# Pages that every collection has; they are about the collection.
_PAGES = """
home index readme about contact license changelog contributing privacy imprint now uses untitled
test start dashboard moc
"""
_NO_SUBJECT = frozenset(_PAGES.split())
# Properties whose values say how a note stands, and not what it is about.
_HOW_IT_STANDS = "status state stage phase type kind category categories rating priority"
_STANDINGS = frozenset(_HOW_IT_STANDS.split())
_SIGNS = frozenset({"So", "Sm", "Sk", "Cf", "Mn"})
_ATTACHMENT = re.compile(r"\.(?!md$)[a-z][a-z0-9]{1,9}$", re.IGNORECASE)
_MARKUP = re.compile(r"[{}<>\n\r\t|^%]|\]\]|\[\[|://|^mailto:")


def isolated_gaps(view: View) -> Iterator[Gap]:
    """Notes with something to say that no link leads to or from."""
    for path, note in view.notes.items():
        alone = not view.graph.out[path] and not view.graph.into[path]
        if not alone or note.words < LEAST_WORDS or not is_subject(note.title):
            continue
        near = view.meaning.near.get(path, ())[:2]
        why = (
            f"{view.name(path)} ({counted(note.words, 'word')}) links to no note,"
            f" and no note links to it{view.but_for(path)}"
        )
        if near and near[0][1] >= WORTH_NAMING:
            why += f"; nearest in meaning is {view.name(near[0][0])}"
        yield _gap(
            GapShape.ISOLATED,
            note_topic(note),
            (path, *(other for other, _ in near)),
            why + ".",
            need=saturating(note.words, 150),
            demand=max((cosine for _, cosine in near), default=0.0),
            recency=recency(view.times([path]), view.now),
            confidence=1.0 if view.is_about_something(path) else 0.3,
        )


def dangling_gaps(view: View) -> Iterator[Gap]:
    """Names that several notes link to and no note has."""
    for missing in view.unresolved:
        sources = tuple(path for path in missing.sources if path in view.notes)
        topic = target_topic(missing.target)
        if len(missing.sources) < LEAST_NAMING or not sources or not topic:
            continue
        if all(_only_tells_a_standing(view, path, missing.target) for path in missing.sources):
            continue
        why = (
            f"{quoted(topic)} is named by {view.many(missing.sources)}"
            f" ({view.names(missing.sources)}), and it leads to no note."
        )
        yield _gap(
            GapShape.DANGLING,
            topic,
            sources,
            why,
            need=1.0,
            demand=saturating(len(missing.sources) - 1, 1.5),
            recency=recency(view.times(sources), view.now),
            confidence=min(1.0, 0.5 + 0.1 * missing.count),
        )


def _only_tells_a_standing(view: View, path: str, target: str) -> bool:
    """Whether a note names a target in nothing but properties such as `status`."""
    note, link = view.notes.get(path), f"[[{target}"
    if note is None or link in view.texts.get(path, ""):
        return False
    keys = [key for key, value in note.frontmatter.items() if target in str(value)]
    return bool(keys) and all(str(key).casefold() in _STANDINGS for key in keys)


def thin_gaps(view: View) -> Iterator[Gap]:
    """Notes that many link to and that say next to nothing."""
    written = [note.words for note in view.notes.values() if note.words]
    limit = min(THIN_WORDS, median(written) / 2) if written else 0
    for path, note in view.notes.items():
        leaning = sorted(source for source in view.graph.into[path] if source in view.notes)
        is_map = len(view.graph.out[path]) >= MAP_LINKS
        if len(leaning) < LEANED_ON or note.words >= limit or is_map or not is_subject(note.title):
            continue
        says = f"has only {counted(note.words, 'word')}, and" if note.words else "is empty, and"
        why = (
            f"{view.name(path)} {says} {view.linking(leaning)} to it"
            f" ({view.names(leaning)}){view.but_for(path)}."
        )
        yield _gap(
            GapShape.THIN,
            note_topic(note),
            (path, *leaning),
            why,
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
        since = moved_on(age.edited_at, surroundings(path, view.graph, view.meaning), view.ages)
        if not since or note.words < LEAST_WORDS or not is_subject(note.title):
            continue
        days = (view.now - age.edited_at).days
        leaning = view.linking(view.graph.into[path])
        says = "says it was last updated" if age.says_so else "was last edited"
        why = (
            f"{view.name(path)} {says} on {age.edited_at:%Y-%m-%d};"
            f" {leaning} to it{view.but_for(path)},"
            f" and around it {view.names(since)} changed since."
        )
        yield _gap(
            GapShape.STALE,
            note_topic(note),
            (path, *since),
            why,
            need=saturating(days - view.stale_days, 365),
            demand=saturating(len(view.graph.into[path]), 3),
            recency=recency(view.times(since), view.now),
            confidence=1.0 if view.is_about_something(path) else 0.3,
        )


def is_subject(title: str) -> bool:
    """Whether a title names something that can be looked into."""
    words = words_of(title)
    return (
        not is_date(title)
        and any(map(is_telling, words))
        and not {word.casefold() for word in words} <= _NO_SUBJECT
    )


def note_topic(note: NoteRow) -> str:
    """What a note is about: the title it gives itself, or its name with a slug's hyphens gone."""
    own = note.frontmatter.get("title")
    return own.strip() if isinstance(own, str) and own.strip() else _unslugged(note.title)


def target_topic(target: str) -> str:
    """The subject that a link names, or "" for a file, a date, a template's blank or a page."""
    name = target.rstrip("/").rpartition("/")[2].strip()
    name = name[:-3] if name.lower().endswith(".md") else name
    if _MARKUP.search(target) or _ATTACHMENT.search(name) or len(name) > LONGEST_TARGET:
        return ""
    return _unslugged(name) if is_subject(name) else ""


def _unslugged(name: str) -> str:
    """Leave out the sign or emoji that sorts a note, and the hyphens of a slug."""
    words = name if " " in name else re.sub(r"[-_]+", " ", name)
    signs = takewhile(lambda c: c in " §»•" or unicodedata.category(c) in _SIGNS, words)
    return words[len(list(signs)) :].strip() or name


def _gap(
    shape: GapShape,
    topic: str,
    notes: tuple[str, ...],
    why: str,
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
    )
