"""Read the files that a sync found different, using what is known about the vault."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from daemon.index.compare import Moves, needs_parsing, stamp
from daemon.index.own import Ownership
from daemon.index.parse import Parsed, Wanted, unparsed
from daemon.model.notes import Stamp, StoredNote
from vault_adapters.base import Resolver
from vault_adapters.note import Link, LinkKind, Role, VaultFile

_RECHECK = -2  # its position among the values of a note


@dataclass(slots=True)
class Batch:
    """The result of reading some files; `edited` are moves, (old, new), of files that were also
    edited.
    """

    stored: list[StoredNote] = field(default_factory=list)
    restamped: dict[str, Stamp] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    edited: list[tuple[str, str]] = field(default_factory=list)
    files: int = 0
    bytes: int = 0
    sources: dict[str, tuple[VaultFile, str]] = field(default_factory=dict)  # file and its digest


class Reader:
    """Converts the content of files to rows for the store, using what is known about them."""

    def __init__(
        self,
        resolver: Resolver,
        known: Mapping[str, Stamp],
        gone: Sequence[str],
        now: datetime,
        own: Ownership,
    ) -> None:
        self._resolver = resolver
        self._known = known
        self._moves = Moves(known, gone)
        self._now = now
        self._own = own

    def wanted(self, files: Iterable[VaultFile]) -> list[Wanted]:
        """Return the digest of each file; a file that still has it need not be parsed."""
        return [Wanted(file, self._same(file)) for file in files]

    def _same(self, file: VaultFile) -> str:
        known = self._known.get(file.path)
        return "" if known is None or needs_parsing(known, file, known.hash) else known.hash

    def take(self, wanted: Wanted, parsed: Parsed, batch: Batch) -> None:
        """Add the content of one file to a batch."""
        file, digest, rows = wanted.file, parsed.digest, parsed.rows
        batch.files, batch.bytes = batch.files + 1, batch.bytes + file.size
        batch.sources[file.path] = (file, digest)
        if not digest:
            batch.stored += [rows] if rows is not None else []
            return
        seen = stamp(file, digest, self._now)
        if rows is None:
            batch.restamped[file.path] = seen
            return
        try:
            batch.stored.append(self._resolved(rows, parsed.properties, seen))
        except Exception as error:  # noqa: BLE001 one note must not stop the index of the others
            batch.stored.append(unparsed(file, digest, error))
        known = self._known.get(file.path)
        old = self._moves.take(file.path, digest) if known is None else None
        if old is not None:
            batch.renamed.append((old, file.path))
        elif known is None or known.hash != digest:
            batch.changed.append(file.path)
            before = self._moves.edited(file.inode) if known is None else None
            batch.edited += [(before, file.path)] if before is not None else []

    def _resolved(self, rows: StoredNote, says: Mapping[str, Any], seen: Stamp) -> StoredNote:
        """Set whose note it is, and the targets of its links."""
        note = rows.note
        if seen.recheck:
            note = (*note[:_RECHECK], seen.recheck, *note[_RECHECK + 1 :])
        if self._own.is_own(rows.path, says):
            return StoredNote((note[0], Role.OWN, *note[2:]))
        if not rows.links:
            return rows if note is rows.note else rows._replace(note=note)
        return StoredNote(
            note, tuple(map(self._leading_value, rows.links)), rows.chunks, rows.words
        )

    def _leading_value(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        source, ordinal, target, subpath, display, kind, line, _ = values
        link = Link(target, subpath, display, LinkKind(kind), line)
        return (
            *(source, ordinal, target, subpath, display, kind, line),
            self._resolver.resolve(link, source),
        )
