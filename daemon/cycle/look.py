"""One look at the whole vault, taken from what the index holds of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

from daemon.agenda.scope import WHOLE, Scope, within
from daemon.index.calibrate import scale_of
from daemon.store.findings import FindingStore
from daemon.store.notes import NoteStore

if TYPE_CHECKING:  # a daemon has the vault looked at in another process: it does without all that
    from daemon.analysis.health import Health


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
    """Look at the vault in this process: graphs, clusters, gaps."""
    from daemon.analysis.gaps import analyse  # noqa: PLC0415 only who looks needs it
    from daemon.analysis.pooling import chunk_vectors, note_vectors  # noqa: PLC0415 only who looks needs it

    rows = notes.all()
    tags = {row.path: row.tags for row in rows}
    return analyse(
        rows,
        notes.links(),
        note_vectors(chunk_vectors(notes, terms.model)),
        texts(notes),
        now=terms.until,
        meaning_similarity=terms.meaning_similarity,
        stale_days=terms.stale_days,
        scale=scale_of(notes, terms.model),
        lessons=FindingStore(notes.db).lessons(),
        wanted=lambda gaps: within(gaps, terms.scope, tags),
    )


def texts(notes: NoteStore) -> dict[str, str]:
    """Return path → the note's own text as it was indexed; see `own_text`."""
    from daemon.analysis.own_text import own_chunk  # noqa: PLC0415 only who looks needs it

    chunks = groupby(notes.chunks(), key=lambda chunk: chunk.note)
    return {
        path: "\n\n".join(own_chunk(chunk.heading, chunk.text) for chunk in of)
        for path, of in chunks
    }
