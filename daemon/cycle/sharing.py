"""Publish to a hub what the settings let out, and nothing else."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol, TypeAlias

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
from vault_adapters.note import LinkKind, Role

_NOTES, _CHUNKS = 200, 1_000  # at most of each in a batch, about 4 MB
_TRIES = 3  # comparisons with the hub while another machine publishes, too
_WITHDRAWN = 10_000  # paths in a batch
_WANTED, _NAME = 1_000, 300  # names that a note links to, and characters of each

Names: TypeAlias = tuple[str, ...]


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


@dataclass(frozen=True, slots=True)
class _Outgoing:
    """What is shared now, by path: the notes, the hash of each, and the names that it wants."""

    rows: Mapping[str, NoteRow]
    wanted: Mapping[str, Names]
    hashes: Mapping[str, str]


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
        wanted = self._wanted_names(rows) if self.rule.with_text else {}
        outgoing = _Outgoing(rows, wanted, self._hashes(rows.values(), wanted))
        where = f"{self.hub.url} {self.vault}"
        known = None if compare else self.store.load(where)
        for _ in range(_TRIES):
            if known is None:
                known = self.hub.published(self.vault)
                self.store.replace(where, known)
            try:
                return self._send(outgoing, known, progress)
            except HubConflictError:
                known = None
        raise HubError("another machine publishes to this vault all the time: stop one of them")

    def _send(self, outgoing: _Outgoing, known: Published, progress: Progress) -> Shared:
        hashes = outgoing.hashes
        revision, done = known.revision, 0
        gone = sorted(known.hashes.keys() - hashes.keys())
        for at in range(0, len(gone), _WITHDRAWN):
            some = tuple(gone[at : at + _WITHDRAWN])
            self.record(f"{len(some)} notes withdrawn")
            revision = self.hub.publish(self.vault, Batch(revision=revision, withdrawn=some))
            self.store.change(revision, {}, some)
        changed = [path for path in sorted(hashes) if known.hashes.get(path) != hashes[path]]
        for batch in self._batches(changed, outgoing):
            progress(done, len(changed), "publishing")
            self.record("\n".join(_sent_of(note) for note in batch))
            sent = Batch(revision=revision, model=self.model, notes=batch)
            revision = self.hub.publish(self.vault, sent)
            self.store.change(revision, {note.path: note.hash for note in batch}, ())
            done += len(batch)
        return Shared(len(hashes), done, len(gone))

    def _wanted_names(self, rows: Collection[str]) -> Mapping[str, Names]:
        """Return per note the names that it links to and no note of the vault has."""
        ends = self.notes.link_ends()
        found: defaultdict[str, set[str]] = defaultdict(set)
        columns = (ends.sources, ends.targets, ends.kinds, ends.resolved)
        for source, target, kind, resolved in zip(*columns, strict=True):
            name = target.strip().removesuffix(".md").rpartition("/")[2]
            is_named = bool(name) and kind is not LinkKind.TAG and "." not in name
            if resolved is None and is_named and source in rows:
                found[source].add(name[:_NAME])
        return {path: tuple(sorted(names))[:_WANTED] for path, names in found.items()}

    def _hashes(self, rows: Iterable[NoteRow], wanted: Mapping[str, Names]) -> dict[str, str]:
        """Return the hash of what is published of each note that has something to publish."""
        texts, embedded = self.notes.embeddings.chunk_keys(self.model)
        there = texts if self.rule.with_text else embedded
        return {
            row.path: self._hash(
                row, embedded.get(row.path, texts[row.path]), wanted.get(row.path, ())
            )
            for row in rows
            if row.path in there
        }

    def _hash(self, row: NoteRow, key: bytes, wanted: Names) -> str:
        name = row.title if self.rule.with_text else ""
        state = repr((name, key, self.rule.with_text, wanted))
        return hashlib.sha256(state.encode()).hexdigest()

    def _batches(
        self, paths: Sequence[str], outgoing: _Outgoing
    ) -> Iterator[tuple[SharedNote, ...]]:
        for at in range(0, len(paths), _NOTES):
            some: list[SharedNote] = []
            for note in self._read(paths[at : at + _NOTES], outgoing):
                if some and sum(len(each.chunks) for each in some) + len(note.chunks) > _CHUNKS:
                    yield tuple(some)
                    some = []
                some.append(note)
            yield tuple(some)

    def _read(self, paths: Sequence[str], outgoing: _Outgoing) -> Iterator[SharedNote]:
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
            yield SharedNote(
                path=path,
                name=outgoing.rows[path].title if with_text else None,
                hash=outgoing.hashes[path],
                chunks=sent,
                wanted=outgoing.wanted.get(path, ()),
            )


def _sent_of(note: SharedNote) -> str:
    """Return what leaves this machine of a note, for `lacuna privacy`."""
    if note.name is None:
        return f"{note.path}: {len(note.chunks)} embeddings"
    return f"{note.path}: {note.name}, with its text ({len(note.chunks)} passages)"
