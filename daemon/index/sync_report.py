"""The options and the result of a sync."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from daemon.model.progress import Progress
from daemon.ports import Stop
from daemon.store.notes import NoteStore
from vault_adapters.note import Unreadable

Moved = Callable[[str, str], None]  # old path, new path


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What the index holds now, and what it took.

    `changed` are notes that are new or were edited, `renamed` those that only moved: (old, new).
    `reused` counts chunks whose embedding was there already. `trouble` says why nothing could be
    embedded, or is empty.
    """

    notes: int
    links: int
    unresolved: int
    chunks: int
    embedded: int
    reused: int
    removed: int
    skipped: tuple[Unreadable, ...]
    seconds: float
    changed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    trouble: str = ""


@dataclass(slots=True)
class Tally:
    """The counts of a sync so far."""

    changed: list[str] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    removed: int = 0
    embedded: int = 0
    trouble: str = ""
    files: int = 0  # that were read


class Urgent(Protocol):
    """Small work that goes before the rest of a bulk change; checked between two batches."""

    def changed(self) -> Collection[str]:
        """Return the paths of a few notes that changed meanwhile."""
        ...

    def indexed(self) -> None:
        """Do what waits for these notes: they are in the index now."""
        ...


@dataclass(frozen=True, slots=True)
class SyncWork:
    """What reading the vault works with, and the tally that it adds to."""

    now: datetime
    tally: Tally
    moved: Moved
    halt: Stop
    progress: Progress
    urgent: Urgent | None


def report_of(notes: NoteStore, model: str, tally: Tally, seconds: float) -> SyncReport:
    """Sum up a sync. `model` is that of the embeddings, "" without one."""
    count, links, unresolved, chunks = notes.counts()
    skipped = {**notes.state.unreadable(), **notes.troubles()}
    return SyncReport(
        notes=count,
        links=links,
        unresolved=unresolved,
        chunks=chunks,
        embedded=tally.embedded,
        reused=max(notes.embeddings.covered(model) - tally.embedded, 0),
        removed=tally.removed,
        skipped=tuple(Unreadable(path, skipped[path]) for path in sorted(skipped)),
        seconds=round(seconds, 3),
        changed=tuple(tally.changed),
        renamed=tuple(tally.renamed),
        trouble=tally.trouble,
    )
