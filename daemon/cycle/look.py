"""One look at the whole vault, taken from what the index holds of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from daemon.agenda.scope import WHOLE, Scope, within
from daemon.index.calibrate import scale_of
from daemon.model.errors import StoreError
from daemon.store.derived import ChangedPartError, Derived, DerivedInMemory, DerivedStore
from daemon.store.findings import FindingStore
from daemon.store.generation import generation
from daemon.store.notes import NoteStore

if TYPE_CHECKING:  # a daemon has the vault looked at in another process: it does without all that
    from daemon.analysis.health import Health


DERIVED = "derived.db"  # the file beside the index
_MOST_HELD = 500  # texts


@dataclass(frozen=True, slots=True)
class Terms:
    """What a look hangs on besides the index: the settings, the time up to which ages count, and
    the part of the vault that gaps are wanted of."""

    model: str
    meaning_similarity: float
    stale_days: int
    until: datetime
    scope: Scope = WHOLE


Look = Callable[[NoteStore, Terms], "Health"]


def look(notes: NoteStore, terms: Terms) -> Health:
    """Look at the vault in this process: graphs, clusters, gaps.

    What earlier looks computed stands beside the index and is used where nothing that it was
    computed from has changed, so that the answer is that of a first look.
    """
    from daemon.analysis.keep import rules  # noqa: PLC0415 only who looks needs it

    before = generation(notes.db)
    try:
        derived = DerivedStore(notes.db.path.with_name(DERIVED), f"{rules()} {terms.model}")
        with closing(derived):
            try:
                with derived.kept_if(lambda: generation(notes.db) == before):
                    return compute(notes, terms, derived)
            except ChangedPartError:
                derived.forget()
            with derived.kept_if(lambda: generation(notes.db) == before):
                return compute(notes, terms, derived)
    except StoreError:  # no room, or no right to write: it is only kept to be faster the next time
        return compute(notes, terms, DerivedInMemory())


def compute(notes: NoteStore, terms: Terms, derived: Derived) -> Health:
    """Look at the vault; what is `derived` is used as far as it holds, and brought up to date."""
    from daemon.analysis.gaps import analyse  # noqa: PLC0415 only who looks needs it
    from daemon.analysis.graph import COUNTED  # noqa: PLC0415 only who looks needs it
    from daemon.analysis.pooled import pooled_vectors  # noqa: PLC0415 only who looks needs it
    from daemon.analysis.reading import Reading  # noqa: PLC0415 only who looks needs it

    keys = notes.text_keys()
    reading = Reading(Texts(notes, keys), keys, derived)
    rows = notes.all()
    tags = {row.path: row.tags for row in rows}
    counted = {row.path for row in rows if row.role in COUNTED}
    vectors = pooled_vectors(notes, terms.model, derived, counted)
    return analyse(
        rows,
        notes.links(),
        vectors,
        reading,
        now=terms.until,
        meaning_similarity=terms.meaning_similarity,
        stale_days=terms.stale_days,
        scale=scale_of(notes, terms.model),
        lessons=FindingStore(notes.db).lessons(),
        wanted=lambda gaps: within(gaps, terms.scope, tags),
        derived=derived,
    )


class Texts(Mapping[str, str]):
    """Path → the note's own text as it was indexed; see `own_text`. The last read are held."""

    def __init__(self, notes: NoteStore, paths: Iterable[str]) -> None:
        self._notes = notes
        self._paths = dict.fromkeys(paths)
        self._held: dict[str, str] = {}

    def __getitem__(self, path: str) -> str:
        from daemon.analysis.own_text import own_chunk  # noqa: PLC0415 only who looks needs it

        if path not in self._paths:
            raise KeyError(path)
        if path not in self._held:
            if len(self._held) == _MOST_HELD:
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
