"""Analyse the whole vault in this process, from its index.

Loads numpy and all of the analysis: a daemon does this in another process.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial

from daemon.agenda.scope import within
from daemon.analysis.gaps import analyse
from daemon.analysis.graph import COUNTED
from daemon.analysis.health import Health
from daemon.analysis.keep import rules
from daemon.analysis.note_facts import Reading
from daemon.analysis.own_text import own_chunk
from daemon.analysis.pooled import pooled_vectors
from daemon.analysis.stages import Stage, begin
from daemon.cycle.vault_analysis import AnalysisOptions
from daemon.index.calibrate import scale_of
from daemon.model.errors import StoreError
from daemon.store.derived import ChangedPartError, Derived, DerivedInMemory, DerivedStore
from daemon.store.notes import NoteStore
from daemon.store.reporter import Progress, no_progress

DERIVED = "derived.db"  # the file beside the index
_MAX_CACHED_TEXTS = 500  # texts


def analyse_vault(
    notes: NoteStore, options: AnalysisOptions, progress: Progress = no_progress
) -> Health:
    """Analyse the vault in this process: graphs, clusters, gaps.

    What earlier analyses computed is stored beside the index and used where its inputs have not
    changed, so that the answer is that of a first analysis.
    """
    before = notes.generation()
    try:
        derived = DerivedStore(notes.file.with_name(DERIVED), f"{rules()} {options.model}")
        with closing(derived):
            try:
                with derived.keep_if(lambda: notes.generation() == before):
                    return compute(notes, options, derived, progress)
            except ChangedPartError:
                derived.forget()
            with derived.keep_if(lambda: notes.generation() == before):
                return compute(notes, options, derived, progress)
    except StoreError:  # no space or no permission: this is only a cache
        return compute(notes, options, DerivedInMemory(), progress)


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
