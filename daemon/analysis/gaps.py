"""Analyse a vault once: from its rows and vectors to its health and its gaps."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from daemon.analysis.ages import ages
from daemon.analysis.areas import deep_gaps, sparse_gaps, stale_areas
from daemon.analysis.clusters import clusters
from daemon.analysis.drafts import Draft, likely
from daemon.analysis.gap_queries import Queries
from daemon.analysis.graph import LINKING, isolated, link_graph, unreferenced, unresolved
from daemon.analysis.health import Health, Refused
from daemon.analysis.lessons import Lessons
from daemon.analysis.lexicon import Lexicon, Words
from daemon.analysis.meaning import NoteVectors, Vector, meaning_graph
from daemon.analysis.memo import Memo
from daemon.analysis.note_facts import Reading
from daemon.analysis.note_words import is_dated
from daemon.analysis.score import ranked
from daemon.analysis.shapes import dangling_gaps, isolated_gaps, stale_gaps, thin_gaps
from daemon.analysis.stages import Stage, begin
from daemon.analysis.stale import stale_notes
from daemon.analysis.subject import subject
from daemon.analysis.vault_names import is_dotted, vault_names
from daemon.analysis.view import View
from daemon.model.agenda import Gap
from daemon.model.embedding_models import DEFAULT_SCALE, Scale
from daemon.model.finding import Lesson
from daemon.model.notes import LinkEnds, LinkRow, NoteRow, ends_of
from daemon.model.progress import Progress, no_progress
from daemon.store.derived import Derived, DerivedInMemory
from vault_adapters.note import Role

_MANY_NOTES = 100  # share from which notes without links are a habit
_LINKED_SHARE = 0.2  # links per note, below which the user does not link notes
UNCOUNTED = frozenset({Role.DAILY, Role.TEMPLATE, Role.EXCLUDED})
__all__ = ["Health", "analyse"]


def analyse(  # noqa: PLR0913  all that a look hangs on, each by its name
    notes: Sequence[NoteRow],
    links: Sequence[LinkRow] | LinkEnds,
    vectors: Mapping[str, Vector],
    texts: Mapping[str, str],
    *,
    now: datetime,
    meaning_similarity: float,
    stale_days: int,
    scale: Scale = DEFAULT_SCALE,
    lessons: Iterable[Lesson] = (),
    choose: Callable[[Sequence[Gap]], Sequence[Gap]] | None = None,
    derived: Derived | None = None,
    progress: Progress = no_progress,
) -> Health:
    """Analyse a whole vault. The same rows give the same health, in any order.

    `vectors` are `(d,)` float32 of unit length and `texts` plain text, both by path; a note may be
    missing from either, and files that do not count are ignored (NoteVectors contain only notes
    that count, and are used up). `scale` locates the cosines of these vectors. `lessons` are the
    user's decisions on findings. `choose` filters gaps before the number of each shape is limited.
    `derived` is what earlier analyses computed.
    """
    reading = texts if isinstance(texts, Reading) else Reading(texts)
    derived = derived or DerivedInMemory()
    subjects = Memo("subjects", subject, derived)
    view = analyse_vault(
        notes,
        ends_of(links),
        vectors,
        reading,
        subjects,
        derived,
        now=now,
        meaning_similarity=meaning_similarity,
        stale_days=stale_days,
        scale=scale,
        progress=progress,
    )
    del links  # a twentieth of the memory, which the following stages can use
    begin(Stage.SEARCHING_FOR_GAPS, progress)
    drafts = _distinct(_gaps(view))
    kept = _kept(drafts, Lessons(lessons, view), choose)
    begin(Stage.WORDING_QUERIES, progress)
    built = Queries(view, derived).build_all([drafts[_key(gap)].worded(gap) for gap in kept])
    for known in (reading, subjects, view.lexicon):
        known.save()
    return _health(view, notes, built)


def analyse_vault(  # noqa: PLR0913  as above
    notes: Sequence[NoteRow],
    links: LinkEnds,
    vectors: Mapping[str, Vector],
    texts: Reading,
    subjects: Callable[[str], str],
    derived: Derived,
    *,
    now: datetime,
    meaning_similarity: float,
    stale_days: int,
    scale: Scale = DEFAULT_SCALE,
    progress: Progress = no_progress,
) -> View:
    """Collect everything that the shapes of gaps are searched in."""
    begin(Stage.COLLECTING_WORDS, progress)
    graph = link_graph(notes, links)
    rows = {note.path: note for note in notes if note.path in graph.into}
    counted = {path: rows[path] for path in graph.notes}
    known = ages(counted.values(), now)
    names = vault_names(counted.values(), links.targets, derived)
    lexicon = Lexicon({path: _words(note) for path, note in counted.items()}, names, texts, derived)
    begin(Stage.COMPARING_NOTES, progress)
    if not isinstance(vectors, NoteVectors):
        vectors = {path: vectors[path] for path in counted if path in vectors}
    meaning = meaning_graph(vectors, meaning_similarity, scale, derived)
    if isinstance(vectors, NoteVectors):
        vectors.release()
    begin(Stage.NAMING_CLUSTERS, progress)
    titles = {note.path: note.title for note in notes if note.role in LINKING}
    return View(
        notes=counted,
        titles=titles,
        graph=graph,
        meaning=meaning,
        lexicon=lexicon,
        clusters=clusters(graph, meaning, lexicon, derived),
        unresolved=unresolved(notes, links),
        ages=known,
        texts=texts,
        stale=stale_notes(graph, known, now, stale_days, meaning),
        now=now,
        stale_days=stale_days,
        excluded=_excluded_notes(notes, links),
        subject=subjects,
        dated=frozenset(path for path, title in titles.items() if is_dated(title)),
        is_dotted=is_dotted(counted),
    )


def _excluded_notes(notes: Sequence[NoteRow], links: LinkEnds) -> frozenset[str]:
    """Return the notes that are linked with notes that do not count."""
    others = {note.path for note in notes if note.role in UNCOUNTED}
    return frozenset(
        here
        for one, other in zip(links.sources, links.resolved, strict=True)
        if other is not None
        for here, there in ((one, other), (other, one))
        if there in others
    )


def _words(note: NoteRow) -> Words:
    """Return the words that names may be built from besides the text."""
    return Words(note.title, tuple([each.text for each in note.headings]))


def _gaps(view: View) -> Iterator[Draft]:
    areas = list(stale_areas(view))
    covered = {path for area, _ in areas for path in area.notes}
    yield from (draft for _, draft in areas)
    yield from stale_gaps(view, covered)
    sparse = list(sparse_gaps(view)) if _links_notes(view) else []
    named = {path for draft in sparse for path in draft.notes}
    yield from sparse
    for draft in isolated_gaps(view) if _links_notes(view) else ():
        yield draft.held() if draft.notes[0] in named else draft
    for shape in (dangling_gaps, thin_gaps, deep_gaps):
        yield from shape(view)


def _kept(
    drafts: Mapping[tuple[str, str], Draft],
    learned: Lessons,
    choose: Callable[[Sequence[Gap]], Sequence[Gap]] | None,
) -> Sequence[Gap]:
    """Return the gaps that are proposed, by score."""
    if choose is None:
        gaps = (draft.gap() for draft in likely(drafts.values(), learned.margin))
        return ranked(map(learned.apply, gaps))
    return ranked(choose([learned.apply(draft.gap()) for draft in drafts.values()]))


def _links_notes(view: View) -> bool:
    """Return whether the user links notes at all: otherwise no note lacks a link."""
    return len(view.notes) < _MANY_NOTES or len(view.graph) >= _LINKED_SHARE * len(view.notes)


def _distinct(drafts: Iterator[Draft]) -> dict[tuple[str, str], Draft]:
    """Keep the most important of several gaps with one kind and topic."""
    best: dict[tuple[str, str], Draft] = {}
    for draft in drafts:
        key = _key(draft)
        if key not in best or draft.score > best[key].score:
            best[key] = draft
    return best


def _key(gap: Gap | Draft) -> tuple[str, str]:
    return gap.kind, gap.topic.casefold()


def _health(view: View, notes: Iterable[NoteRow], built: Sequence[Gap | Refused]) -> Health:
    return Health(
        notes=len(view.notes),
        links=len(view.graph),
        isolated=isolated(view.graph),
        unreferenced=unreferenced(view.graph),
        unresolved=view.unresolved,
        clusters=view.clusters,
        stale=tuple(view.stale),
        gaps=tuple(gap for gap in built if isinstance(gap, Gap)),
        refused=tuple(each for each in built if isinstance(each, Refused)),
        conflicts=tuple(sorted(note.path for note in notes if note.role is Role.CONFLICT)),
        troubles=tuple(sorted((note.path, note.trouble) for note in notes if note.trouble)),
    )
