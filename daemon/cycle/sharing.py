"""Publish to a hub what the settings let out, and nothing else."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Protocol, TypeAlias

from daemon.agenda.scope import Scope
from daemon.model.errors import HubConflictError, HubError
from daemon.model.notes import NoteRow, Vector
from daemon.model.progress import Progress, no_progress
from daemon.model.shared_findings import SharedFinding
from daemon.model.shared_notes import (
    DIMENSIONS,
    MAX_CHUNKS,
    MAX_NAME,
    MAX_PATH,
    MAX_TEXT,
    MAX_WANTED,
    Batch,
    Published,
    SharedChunk,
    SharedNote,
    packed,
    sendable,
)
from daemon.store.notes import NoteStore
from daemon.store.published_notes import PublishedNoteStore
from vault_adapters.note import LinkKind, Role

_NOTES, _CHUNKS = 200, 1_000  # at most of each in a batch, about 4 MB
_TRIES = 3  # comparisons with the hub while another machine publishes, too
_WITHDRAWN = 10_000  # paths in a batch

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
        """Return whether a note is let out. A finding that is not accepted is not: others' texts
        are in it.
        """
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
    """What is shared now, by the path that the hub gets: notes, findings, and the hash of each;
    and by path in the vault the names that a note wants.
    """

    rows: Mapping[str, NoteRow]
    wanted: Mapping[str, Names]
    hashes: Mapping[str, str]
    findings: Mapping[str, SharedFinding]


@dataclass(slots=True)
class Sharing:
    """Publishes one vault. `record` gets what is sent before it is sent."""

    notes: NoteStore
    store: PublishedNoteStore
    hub: Hub
    vault: str  # its name on the hub
    model: str
    rule: SharingRule
    findings: Callable[[], Mapping[str, SharedFinding]]  # by the path that the hub gets
    record: Callable[[str], None]

    def publish(self, progress: Progress = no_progress, *, compare: bool = True) -> Shared:
        """Send what is new or changed, and withdraw what is no longer shared.

        Without `compare`, what the hub accepted is taken to be there. What was accepted before an
        error is not sent again. Raises HubError, StoreError.
        """
        shared = {row.path: row for row in self.notes.all() if self.rule.shares(row)}
        wanted = self._wanted_names(shared) if self.rule.with_text else {}
        rows = {self._sent_path(row): row for row in shared.values()}
        findings = self.findings()
        hashes = self._hashes(rows, wanted) | {
            path: _hash(finding.model_dump_json()) for path, finding in findings.items()
        }
        outgoing = _Outgoing(rows, wanted, hashes, findings)
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
            is_named = bool(name.strip()) and kind is not LinkKind.TAG and "." not in name
            if resolved is None and is_named and source in rows:
                found[source].add(sendable(name, MAX_NAME))
        return {path: tuple(sorted(names))[:MAX_WANTED] for path, names in found.items()}

    def _sent_path(self, row: NoteRow) -> str:
        """Return what the hub gets as path: without text its folder, by which rights are given,
        and an id: a file name reveals the topic.
        """
        if self.rule.with_text:
            return sendable(row.path, MAX_PATH)
        folder = row.path.rpartition("/")[0]
        id_ = hashlib.sha256(row.path.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return sendable(f"{folder}/" if folder else "", MAX_PATH - len(id_)) + id_

    def _hashes(self, rows: Mapping[str, NoteRow], wanted: Mapping[str, Names]) -> dict[str, str]:
        """Return the hash of what is published of each note that has something to publish.

        It is of the content alone: two machines with the same vault have the same hashes.
        """
        texts, embedded = self.notes.embeddings.chunk_keys(self.model)
        there = texts if self.rule.with_text else embedded
        found = {}
        for sent_as, row in rows.items():
            if row.path in there:
                name = row.title if self.rule.with_text else ""
                model = self.model if row.path in embedded else ""
                state = (name, texts[row.path], model, wanted.get(row.path, ()))
                found[sent_as] = _hash(repr(state))
        return found

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
        for path in paths:
            if path in outgoing.findings:
                finding, hash_ = outgoing.findings[path], outgoing.hashes[path]
                yield SharedNote(path=path, hash=hash_, finding=finding)
        sent_as = {outgoing.rows[path].path: path for path in paths if path in outgoing.rows}
        with_text = self.rule.with_text
        every = self.notes.embeddings.chunks_to_share(self.model, sent_as)
        for path, group in groupby(every, key=lambda chunk: chunk[0]):
            chunks = (self._chunk(*chunk[1:]) for chunk in islice(group, MAX_CHUNKS))
            row = outgoing.rows[sent_as[path]]
            yield SharedNote(
                path=sent_as[path],
                name=sendable(row.title, MAX_NAME) if with_text else None,
                hash=outgoing.hashes[sent_as[path]],
                chunks=tuple(each for each in chunks if each != SharedChunk()),
                wanted=outgoing.wanted.get(path, ()),
            )

    def _chunk(self, heading: str, text: str, vector: "Vector | None") -> SharedChunk:
        has_vector = vector is not None and len(vector) == DIMENSIONS
        return SharedChunk(
            heading=sendable(heading, MAX_NAME) if self.rule.with_text else "",
            text=sendable(text, MAX_TEXT) if self.rule.with_text else None,
            embedding=packed(vector) if vector is not None and has_vector else None,
        )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _sent_of(note: SharedNote) -> str:
    """Return what leaves this machine of a note, for `lacuna privacy`."""
    if note.finding is not None:
        return f"finding: {note.finding.title} ({len(note.finding.quotes)} quotes)"
    if note.name is None:
        return f"{note.path}: {len(note.chunks)} embeddings"
    return f"{note.path}: {note.name}, with its text ({len(note.chunks)} passages)"
