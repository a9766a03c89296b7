"""Find notes on whose subject the library has a document: it is certain to have something to say.

A document is on the subject of a note if its title contains one of the note's names, or if it is
similar to the note and contains such a name.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from daemon.analysis.code_names import without_identifiers
from daemon.analysis.kinds import kind_without_subject
from daemon.analysis.query_text import weight
from daemon.analysis.subject import is_subject, note_topic
from daemon.analysis.vault_names import name_key
from daemon.analysis.works import identities, is_work
from daemon.model.agenda import Gap, GapKind, GapShape
from daemon.model.notes import NoteRow
from vault_adapters.id_shapes import is_id
from vault_adapters.note import Role

MIN_WORDS = 25  # of a note that has a subject to compare
_MAX_TITLE = 80  # characters
_SIMILAR = 0.4  # similarity from which a document that contains the name is on the note's subject
_VERY_SIMILAR = 0.5  # the same for one that contains most words of a long name
_COPY = 0.85  # similarity from which the note says what the document says
_ONE_WORD = 0.35  # the same for a title that contains a name of a single word
_COMMON = 0.2  # of the titles contain it: a name that does not distinguish documents
_FEW = 10  # documents: among fewer, every name distinguishes
_TITLED, _MENTIONED, _CLOSE = 0.5, 0.35, 0.4  # parts of the score


@dataclass(frozen=True, slots=True)
class Shelf:
    """The documents of the library: their titles by id, and how similar they are to notes.

    `similarity` of a note's path and a document's id is None if that is unknown; `nearest` gives
    the documents most similar to a note, and `text` a document's text.
    """

    titles: Mapping[int, str]
    similarity: Callable[[str, int], float | None] = lambda _path, _id: None
    nearest: Callable[[str], Iterable[int]] = lambda _path: ()
    text: Callable[[int], str] = lambda _id: ""


def library_gaps(notes: Iterable[NoteRow], shelf: Shelf) -> list[Gap]:
    """Return a topic for each note on whose subject there is a document, best first."""
    holding: dict[str, set[int]] = {}
    for id_, title in shelf.titles.items():
        for word in name_key(without_identifiers(title, "")).split():
            holding.setdefault(word, set()).add(id_)
    found = []
    for note in filter(_has_subject, notes):
        matches = [match for name in _names(note) for match in _matches(note, name, shelf, holding)]
        if _is_work(note):  # the document of that title is the work itself
            matches = [one for one in matches if not _is_titled(shelf.titles[one.document], note)]
        if matches:
            found.append(_gap(note, matches, shelf.titles))
    return sorted(found, key=lambda gap: (-gap.score, gap.topic))


@dataclass(frozen=True, slots=True)
class _Match:
    name: str
    document: int
    score: float
    is_titled: bool = False  # by the name


def _matches(
    note: NoteRow, name: str, shelf: Shelf, holding: Mapping[str, Collection[int]]
) -> Iterator[_Match]:
    """Find the documents that a name of a note fits."""
    words = set(name_key(name).split())
    titled = set.intersection(*(set(holding.get(word, ())) for word in words))
    is_common = len(titled) > max(_COMMON * len(shelf.titles), _FEW)
    for id_ in sorted(titled) if not is_common else ():
        similarity = shelf.similarity(note.path, id_)
        if similarity is not None and similarity >= _COPY:
            continue
        if len(words) > 1 or similarity is None or similarity >= _ONE_WORD:
            yield _Match(name, id_, _TITLED + _CLOSE * (similarity or 0.0), is_titled=True)
    for id_ in shelf.nearest(note.path):
        similarity = shelf.similarity(note.path, id_) or 0.0
        if not _SIMILAR <= similarity < _COPY or id_ not in shelf.titles or id_ in titled:
            continue
        there = words & set(name_key(shelf.text(id_)).split())
        is_most = 3 * len(there) >= 2 * len(words) > 4 and similarity >= _VERY_SIMILAR
        if there == words or is_most:
            yield _Match(name, id_, _MENTIONED + _CLOSE * similarity)


def _gap(note: NoteRow, matches: Sequence[_Match], titles: Mapping[int, str]) -> Gap:
    best = max(matches, key=lambda match: (match.score, -match.document))
    shown = max(matches, key=lambda match: (match.is_titled, match.score, -match.document))
    more = len({match.document for match in matches}) - 1
    others = f" and {more} more {'document' if more == 1 else 'documents'}" if more else ""
    score = round(min(best.score, 1.0), 3)
    return Gap(
        kind=GapKind.DEEPEN,
        shape=GapShape.LIBRARY,
        topic=best.name,
        notes=(note.path,),
        why=f"Your library has “{_short(titles[shown.document])}”{others} on the topic of your"
        f" note “{note.title}”",
        score=score,
        parts={"library": score},
        keywords=(note.title,),
        query=best.name,
        excluded=identities(note.title, note.frontmatter) if _is_work(note) else (),
    )


def _has_subject(note: NoteRow) -> bool:
    return (
        note.role is Role.NOTE
        and note.words >= MIN_WORDS
        and not kind_without_subject(note.path, note.title, note.frontmatter)
    )


def _names(note: NoteRow) -> list[str]:
    """Return the names of a note that can be searched for."""
    names = [note_topic(each) for each in (note.title, *note.aliases)]
    return [name for name in names if weight(name) and not is_id(name) and is_subject(name)]


def _is_titled(title: str, note: NoteRow) -> bool:
    return name_key(title) == name_key(note.title)


def _is_work(note: NoteRow) -> bool:
    return is_work(note.frontmatter, "")


def _short(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= _MAX_TITLE else f"{line[:_MAX_TITLE].rsplit(' ', 1)[0]} …"
