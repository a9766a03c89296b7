"""Convert one file to rows: everything that needs neither the index nor the rest of the vault.

Runs in this process or in another; see `parallel`. `reading`, which knows the rest, resolves links
and ownership.
"""

import hashlib
import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from daemon.index.chunk import chunk_note
from daemon.model.notes import LinkRow, NoteRow, StoredNote
from daemon.store.query import count_words
from daemon.store.rows import edited_at, stored
from vault_adapters.base import NoteError, VaultAdapter
from vault_adapters.naming import display_name, headings_of
from vault_adapters.note import Note, Role, VaultFile

_log = logging.getLogger(__name__)

# Templates and excluded folders are not the user's thinking; a search does not show them.
_SEARCHED = frozenset({Role.NOTE, Role.DAILY, Role.CANVAS})
# Files that are only listed.
UNREAD = frozenset({Role.ATTACHMENT, Role.CONFLICT})
_ASKED = ("lacuna_id", "type", "status")  # the properties that `Ownership` reads
_NOTHING: Mapping[str, Any] = {}  # picklable


class Wanted(NamedTuple):
    """A file to read; `same` is the digest of bytes that need not be parsed again."""

    file: VaultFile
    same: str = ""


class Parsed(NamedTuple):
    """The content of a file: its bytes' digest (`""` if they were not read), and its rows.

    There are none if the bytes are the `same`, or the file is gone. Links are not resolved yet.
    `properties` are the properties that determine whose note it is.
    """

    digest: str = ""
    rows: StoredNote | None = None
    properties: Mapping[str, Any] = _NOTHING


def parse_file(adapter: VaultAdapter, wanted: Wanted) -> Parsed:
    """Read a file, and parse it unless its bytes are the same; other files have rows, too.

    Links are not resolved yet, and no stamp is set.
    """
    file = wanted.file
    if file.role in UNREAD:
        return Parsed(rows=stored(_row(file, title=file.path.rpartition("/")[2])))
    try:
        data = adapter.load(file.path)
    except NoteError as error:
        if isinstance(error.__cause__, FileNotFoundError):  # gone since the scan
            return Parsed()
        why = str(error).removeprefix(f"{file.path}: ")  # it is reported next to the path
        return Parsed(rows=stored(_row(file, trouble=why), recheck=1))
    digest = hashlib.sha256(data).hexdigest()
    if digest == wanted.same:
        return Parsed(digest)
    try:
        return _parsed(adapter, file, data, digest)
    except Exception as error:  # noqa: BLE001 one note must not stop the index of the others
        return Parsed(digest, unparsed(file, digest, error))


def unparsed(file: VaultFile, digest: str, error: Exception) -> StoredNote:
    """Return the row of a file that could not be parsed or stored; its trouble names the error."""
    _log.warning("could not index %s: %r", file.path, error)
    why = f"could not be indexed ({type(error).__name__}: {str(error)[:200]})"
    return stored(_row(file, digest=digest, trouble=why))


def _parsed(adapter: VaultAdapter, file: VaultFile, data: bytes, digest: str) -> Parsed:
    note = adapter.parse(file.path, data)
    if file.role in _SEARCHED:
        chunks = chunk_note(note)
        words = sum(chunk.words for chunk in chunks)
    else:
        body = note.text.split("\n", note.body_line)[note.body_line :]
        chunks, words = [], sum(map(count_words, body))
    properties = {key: note.frontmatter[key] for key in _ASKED if key in note.frontmatter}
    row = _row(file, note, digest=digest, words=words)
    return Parsed(digest, stored(row, _links(note), chunks), properties)


def _links(note: Note) -> list[LinkRow]:
    return [
        LinkRow(note.path, link.target, link.subpath, link.display, link.kind, link.line, None)
        for link in note.links
    ]


def _row(
    file: VaultFile,
    note: Note | None = None,
    *,
    digest: str = "",
    words: int = 0,
    title: str = "",
    trouble: str = "",
) -> NoteRow:
    stem = file.path.rpartition("/")[2].rpartition(".")[0]
    return NoteRow(
        path=file.path,
        role=file.role,
        title=_name(file, note) if note else title or stem,
        size=file.size,
        mtime_ns=file.mtime_ns,
        inode=file.inode,
        hash=digest,
        words=words,
        frontmatter=dict(note.frontmatter) if note else {},
        tags=tuple(dict.fromkeys(tag.name for tag in note.tags)) if note else (),
        aliases=note.aliases if note else (),
        headings=headings_of(note) if note else (),
        trouble=note.trouble if note else trouble,
        changed_at=edited_at(file.mtime_ns),
        names=note.names if note else (),
    )


def _name(file: VaultFile, note: Note) -> str:
    """Return the display name of a file: a daily note's day, a canvas's file name."""
    return display_name(note) if file.role not in (Role.DAILY, Role.CANVAS) else note.title
