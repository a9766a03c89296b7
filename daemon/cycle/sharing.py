"""Publish to a hub what the settings let out, and nothing else."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from daemon.agenda.scope import Scope
from daemon.model.errors import HubConflictError, HubError
from daemon.model.notes import NoteRow
from daemon.model.progress import Progress, no_progress
from daemon.model.shared_notes import (
    DIMENSIONS,
    Batch,
    Published,
    SharedChunk,
    SharedNote,
    packed,
)
from daemon.store.notes import NoteStore
from daemon.store.published_notes import PublishedNoteStore
from vault_adapters.note import Role

_NOTES, _CHUNKS = 200, 1_000  # at most of each in a batch, about 4 MB
_TRIES = 3  # comparisons with the hub while another machine publishes, too
_WITHDRAWN = 10_000  # paths in a batch


class Hub(Protocol):
    """A hub on another machine or on this one. Methods raise HubError."""

    @property
    def url(self) -> str: ...

    def published(self, vault: str) -> Published:
        """Return what the hub has of a vault of ours."""
        ...

    def publish(self, vault: str, batch: Batch) -> int:
        """Send changes; return the new revision. Raises HubConflictError if it is another one."""
        ...


@dataclass(frozen=True, slots=True)
class SharingRule:
    """Which notes are shared, and what of them: in a folder, with a tag, or with a true property.

    Without any of these nothing is shared. `.` as a folder is the whole vault.
    """

    folders: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    property: str = ""
    with_text: bool = False

    def shares(self, row: NoteRow) -> bool:
        """Return whether a note is let out. Notes of ours are not: others' texts are in them."""
        if row.role is not Role.NOTE:
            return False
        if "." in self.folders or (self.property and row.frontmatter.get(self.property) is True):
            return True
        scope = Scope(self.folders, self.tags)
        return not scope.is_whole and scope.contains(row.path, row.tags)


@dataclass(frozen=True, slots=True)
class Shared:
    """What was published: notes that are shared now, were sent, and were withdrawn."""

    shared: int
    sent: int = 0
    withdrawn: int = 0


@dataclass(slots=True)
class Sharing:
    """Publishes one vault. `record` gets what is sent before it is sent."""

    notes: NoteStore
    store: PublishedNoteStore
    hub: Hub
    vault: str  # its name on the hub
    model: str
    rule: SharingRule
    record: Callable[[str], None]

    def publish(self, progress: Progress = no_progress, *, compare: bool = True) -> Shared:
        """Send what is new or changed, and withdraw what is no longer shared.

        Without `compare`, what the hub accepted is taken to be there. What was accepted before an
        error is not sent again. Raises HubError, StoreError.
        """
        rows = {row.path: row for row in self.notes.all() if self.rule.shares(row)}
        wanted = self._hashes(rows.values())
        where = f"{self.hub.url} {self.vault}"
        known = None if compare else self.store.load(where)
        for _ in range(_TRIES):
            if known is None:
                known = self.hub.published(self.vault)
                self.store.replace(where, known)
            try:
                return self._send(rows, wanted, known, progress)
            except HubConflictError:
                known = None
        raise HubError("another machine publishes to this vault all the time: stop one of them")

    def _send(
        self,
        rows: dict[str, NoteRow],
        wanted: dict[str, str],
        known: Published,
        progress: Progress,
    ) -> Shared:
        revision, done = known.revision, 0
        gone = sorted(known.hashes.keys() - wanted.keys())
        for at in range(0, len(gone), _WITHDRAWN):
            some = tuple(gone[at : at + _WITHDRAWN])
            self.record(f"{len(some)} notes withdrawn")
            revision = self.hub.publish(self.vault, Batch(revision=revision, withdrawn=some))
            self.store.change(revision, {}, some)
        changed = [path for path in sorted(wanted) if known.hashes.get(path) != wanted[path]]
        for batch in self._batches(changed, rows, wanted):
            progress(done, len(changed), "publishing")
            self.record("\n".join(_sent_of(note) for note in batch))
            sent = Batch(revision=revision, model=self.model, notes=batch)
            revision = self.hub.publish(self.vault, sent)
            self.store.change(revision, {note.path: note.hash for note in batch}, ())
            done += len(batch)
        return Shared(len(wanted), done, len(gone))

    def _hashes(self, rows: Iterable[NoteRow]) -> dict[str, str]:
        """Return the hash of what is published of each note that has something to publish."""
        texts, embedded = self.notes.embeddings.chunk_keys(self.model)
        there = texts if self.rule.with_text else embedded
        return {
            row.path: self._hash(row, embedded.get(row.path, texts[row.path]))
            for row in rows
            if row.path in there
        }

    def _hash(self, row: NoteRow, key: bytes) -> str:
        name = row.title if self.rule.with_text else ""
        return hashlib.sha256(repr((name, key, self.rule.with_text)).encode()).hexdigest()

    def _batches(
        self, paths: Sequence[str], rows: dict[str, NoteRow], hashes: dict[str, str]
    ) -> Iterator[tuple[SharedNote, ...]]:
        for at in range(0, len(paths), _NOTES):
            some: list[SharedNote] = []
            for note in self._read(paths[at : at + _NOTES], rows, hashes):
                if some and sum(len(each.chunks) for each in some) + len(note.chunks) > _CHUNKS:
                    yield tuple(some)
                    some = []
                some.append(note)
            yield tuple(some)

    def _read(
        self, paths: Sequence[str], rows: dict[str, NoteRow], hashes: dict[str, str]
    ) -> Iterator[SharedNote]:
        every = self.notes.embeddings.chunks_to_share(self.model, paths)
        with_text = self.rule.with_text
        for path, group in groupby(every, key=lambda chunk: chunk[0]):
            chunks = [
                SharedChunk(
                    heading=heading if with_text else "",
                    text=text if with_text else None,
                    embedding=packed(vector)
                    if vector is not None and len(vector) == DIMENSIONS
                    else None,
                )
                for _, heading, text, vector in group
            ]
            sent = tuple(each for each in chunks if each != SharedChunk())
            name = rows[path].title if with_text else None
            yield SharedNote(path=path, name=name, hash=hashes[path], chunks=sent)


def _sent_of(note: SharedNote) -> str:
    """Return what leaves this machine of a note, for `lacuna privacy`."""
    if note.name is None:
        return f"{note.path}: {len(note.chunks)} embeddings"
    return f"{note.path}: {note.name}, with its text ({len(note.chunks)} passages)"
