"""Analyse the whole vault in this process, from its index.

Loads numpy and all of the analysis: a daemon does this in another process.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import TypeVar

from daemon.agenda.scope import within
from daemon.analysis.gaps import analyse
from daemon.analysis.graph import COUNTED
from daemon.analysis.health import Health
from daemon.analysis.keep import rules
from daemon.analysis.meaning import meaning_graph
from daemon.analysis.note_facts import Reading
from daemon.analysis.own_text import own_chunk
from daemon.analysis.pooled import pooled_vectors
from daemon.analysis.stages import Stage, begin
from daemon.analysis.vault_map import VaultMap, vault_map
from daemon.cycle.analysis_options import AnalysisOptions
from daemon.index.calibrate import scale_of
from daemon.model.errors import StoreError
from daemon.model.progress import Progress, no_progress
from daemon.store.derived import ChangedPartError, Derived, DerivedInMemory, DerivedStore
from daemon.store.notes import NoteStore

T = TypeVar("T")
DERIVED = "derived.db"  # the file beside the index
_MAX_CACHED_TEXTS = 500  # texts


def analyse_vault(
    notes: NoteStore, options: AnalysisOptions, progress: Progress = no_progress
) -> Health:
    """Analyse the vault in this process: graphs, clusters, gaps.

    What earlier analyses computed is stored beside the index and used where its inputs have not
    changed, so that the answer is that of a first analysis.
    """
    return _with_derived(notes, options, lambda derived: compute(notes, options, derived, progress))


def draw_map(
    notes: NoteStore,
    options: AnalysisOptions,
    clusters: Sequence[tuple[str, Sequence[str]]],
    progress: Progress = no_progress,
) -> VaultMap:
    """Compute in this process where to draw the notes; `clusters` are labels with paths."""

    def drawn(derived: Derived) -> VaultMap:
        progress(0, 2, "comparing notes")
        rows = notes.all()
        counted = {row.path for row in rows if row.role in COUNTED}
        _, embedded = notes.embeddings.chunk_keys(options.model)
        vectors = pooled_vectors(notes, options.model, derived, counted, embedded)
        scale = scale_of(notes, options.model)
        similar = meaning_graph(vectors, options.meaning_similarity, scale, derived).pairs
        progress(1, 2, "placing notes")
        return vault_map(rows, notes.link_ends(), clusters, similar)

    return _with_derived(notes, options, drawn)


def _with_derived(notes: NoteStore, options: AnalysisOptions, work: Callable[[Derived], T]) -> T:
    """Do work with the results of earlier analyses, and keep those that it brings up to date."""
    before = notes.generation()
    try:
        derived = DerivedStore(notes.file.with_name(DERIVED), f"{rules()} {options.model}")
        with closing(derived):
            try:
                with derived.keep_if(lambda: notes.generation() == before):
                    return work(derived)
            except ChangedPartError:
                derived.forget()
            with derived.keep_if(lambda: notes.generation() == before):
                return work(derived)
    except StoreError:  # no space or no permission: this is only a cache
        return work(DerivedInMemory())


def compute(
    notes: NoteStore,
    options: AnalysisOptions,
    derived: Derived,
    progress: Progress = no_progress,
) -> Health:
    """Analyse the vault; use what is `derived` as far as it holds, and bring it up to date."""
    begin(Stage.READING_NOTES, progress)
    keys, embedded = notes.embeddings.chunk_keys(options.model)
    reading = Reading(Texts(notes, keys), keys, derived)
    rows = notes.all()
    tags = {row.path: row.tags for row in rows}
    counted = {row.path for row in rows if row.role in COUNTED}
    vectors = pooled_vectors(notes, options.model, derived, counted, embedded)
    return analyse(
        rows,
        notes.link_ends(),
        vectors,
        reading,
        now=options.until,
        meaning_similarity=options.meaning_similarity,
        stale_days=options.stale_days,
        scale=scale_of(notes, options.model),
        lessons=options.lessons,
        choose=None if options.scope.is_whole else partial(within, scope=options.scope, tags=tags),
        derived=derived,
        progress=progress,
    )


class Texts(Mapping[str, str]):
    """Path → the note's own text as it was indexed; see `own_text`. The last read are held."""

    def __init__(self, notes: NoteStore, paths: Iterable[str]) -> None:
        self._notes = notes
        self._paths = dict.fromkeys(paths)
        self._held: dict[str, str] = {}

    def __getitem__(self, path: str) -> str:
        if path not in self._paths:
            raise KeyError(path)
        if path not in self._held:
            if len(self._held) == _MAX_CACHED_TEXTS:
                self._held.clear()
            parts = (own_chunk(each.heading, each.text) for each in self._notes.chunks(path))
            self._held[path] = "\n\n".join(parts)
        return self._held[path]

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)
