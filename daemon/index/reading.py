"""Read the files that a sync found different, and make rows of them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from daemon.index.chunk import chunk_note
from daemon.index.compare import Moves, needs_parsing, stamp
from daemon.index.own import Ownership
from daemon.store.notes import LinkRow, NoteRow, Stamp, Stored
from daemon.store.rows import edited_at
from daemon.store.words import count_words
from vault_adapters.base import NoteError, Resolver, VaultAdapter
from vault_adapters.note import Note, Role, VaultFile

# What templates and excluded folders hold is not the user's thinking; a search does not show it.
_SEARCHED = frozenset({Role.NOTE, Role.DAILY, Role.CANVAS})
# What is only listed.
_UNREAD = frozenset({Role.ATTACHMENT, Role.CONFLICT})


@dataclass(slots=True)
class Batch:
    """What reading some files brought; `edited` are moves, (old, new), of what was edited too."""

    stored: list[Stored] = field(default_factory=list)
    restamped: dict[str, Stamp] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    edited: list[tuple[str, str]] = field(default_factory=list)


class Reader:
    """Reads files in the light of what is known of them."""

    def __init__(
        self,
        adapter: VaultAdapter,
        resolver: Resolver,
        known: Mapping[str, Stamp],
        gone: Sequence[str],
        now: datetime,
        own: Ownership,
    ) -> None:
        self._adapter = adapter
        self._resolver = resolver
        self._known = known
        self._moves = Moves(known, gone)
        self._now = now
        self._own = own

    def read(self, files: Sequence[VaultFile]) -> Batch:
        """Load and compare each file; parse those that are new or differ."""
        batch = Batch()
        for file in files:
            if file.role in _UNREAD:
                batch.stored.append(Stored(_row(file, title=file.path.rpartition("/")[2])))
                continue
            try:
                data = self._adapter.load(file.path)
            except NoteError as error:
                if not isinstance(error.__cause__, FileNotFoundError):  # else gone since the scan
                    batch.stored.append(Stored(_row(file, trouble=str(error)), recheck=1))
                continue
            self._take(file, data, batch)
        return batch

    def _take(self, file: VaultFile, data: bytes, batch: Batch) -> None:
        digest = hashlib.sha256(data).hexdigest()
        known = self._known.get(file.path)
        seen = stamp(file, digest, self._now)
        if not needs_parsing(known, file, digest):
            batch.restamped[file.path] = seen
            return
        note = self._adapter.parse(file.path, data)
        batch.stored.append(self._store(file, note, seen))
        old = self._moves.take(file.path, digest) if known is None else None
        if old is not None:
            batch.renamed.append((old, file.path))
        elif known is None or known.hash != digest:
            batch.changed.append(file.path)
            before = self._moves.edited(file.inode) if known is None else None
            batch.edited += [(before, file.path)] if before is not None else []

    def _store(self, file: VaultFile, note: Note, seen: Stamp) -> Stored:
        role = Role.OWN if self._own.is_own(file.path, note.frontmatter) else file.role
        links = () if role is Role.OWN else tuple(self._links(note))
        chunks = tuple(chunk_note(note)) if role in _SEARCHED else ()
        return Stored(_row(file, note, role=role, digest=seen.hash), links, chunks, seen.recheck)

    def _links(self, note: Note) -> list[LinkRow]:
        return [
            LinkRow(
                source=note.path,
                target=link.target,
                subpath=link.subpath,
                display=link.display,
                kind=link.kind,
                line=link.line,
                resolved=self._resolver.resolve(link, note.path),
            )
            for link in note.links
        ]


def _row(
    file: VaultFile,
    note: Note | None = None,
    *,
    role: Role | None = None,
    digest: str = "",
    title: str = "",
    trouble: str = "",
) -> NoteRow:
    stem = file.path.rpartition("/")[2].rpartition(".")[0]
    return NoteRow(
        path=file.path,
        role=role or file.role,
        title=note.title if note else title or stem,
        size=file.size,
        mtime_ns=file.mtime_ns,
        inode=file.inode,
        hash=digest,
        words=_words(note) if note else 0,
        frontmatter=dict(note.frontmatter) if note else {},
        tags=tuple(dict.fromkeys(tag.name for tag in note.tags)) if note else (),
        aliases=note.aliases if note else (),
        headings=note.headings if note else (),
        trouble=note.trouble if note else trouble,
        changed_at=edited_at(file.mtime_ns),
        names=note.names if note else (),
    )


def _words(note: Note) -> int:
    body = note.text
    for _ in range(note.body_line):
        body = body.partition("\n")[2]
    return count_words(body)
