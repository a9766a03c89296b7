"""Notes of the vault in the index: files, links, chunks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from vault_adapters.note import Heading, LinkKind, Role

if TYPE_CHECKING:  # a process that only needs names loads no vectors
    import numpy as np
    import numpy.typing as npt

Vector: TypeAlias = "npt.NDArray[np.float32]"  # `(d,)`, of unit length


class NoteRow(NamedTuple):
    """One file of the vault. Attachments are listed, but never read."""

    path: str
    role: Role
    title: str
    size: int
    mtime_ns: int
    inode: int
    hash: str  # sha256 of the bytes, or "" when they could not be or are never read
    words: int
    frontmatter: dict[str, Any]
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    headings: tuple[Heading, ...]
    trouble: str
    changed_at: datetime
    names: tuple[str, ...] = ()  # link names besides its path; see `Note.names`


class LinkRow(NamedTuple):
    """One link as written, and the path of its target now, or None."""

    source: str
    target: str
    subpath: str
    display: str | None
    kind: LinkKind
    line: int
    resolved: str | None


class LinkEnds(NamedTuple):
    """Many links without their text and line, by column: those of `LinkRow`."""

    sources: Sequence[str]
    targets: Sequence[str]
    kinds: Sequence[LinkKind]
    resolved: Sequence[str | None]


def ends_of(links: "Sequence[LinkRow] | LinkEnds") -> LinkEnds:
    """Return links by column."""
    if isinstance(links, LinkEnds):
        return links
    return LinkEnds(
        [link.source for link in links],
        [link.target for link in links],
        [link.kind for link in links],
        [link.resolved for link in links],
    )


class Chunk(NamedTuple):
    """A stretch of a note that is searched and embedded as a unit.

    `hash` is that of the embedded text, `context` the headings above `heading`, outermost first.
    `words` are those of the text, and of the headings that it begins with.
    """

    heading: str
    line: int
    text: str
    hash: str
    context: tuple[str, ...] = ()
    words: int = 0


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk in its note."""

    id: int
    note: str
    ordinal: int
    heading: str
    line: int
    text: str
    hash: str


class Stamp(NamedTuple):
    """What a sync compares with a scan; `recheck` is 1 to compare bytes, 2 to parse again."""

    role: Role
    size: int
    mtime_ns: int
    inode: int
    hash: str
    recheck: int


class StoredNote(NamedTuple):
    """A note with all dependent rows, as one write: values in the order of the tables' columns.

    It is built in the process that reads the note, so that the writer has little left to do. Chunks
    have no numbers yet.
    """

    note: tuple[Any, ...]
    links: tuple[tuple[Any, ...], ...] = ()
    chunks: tuple[tuple[str, int, str, str], ...] = ()  # heading, line, text, hash
    words: tuple[tuple[str, str, str], ...] = ()  # of each chunk: title, headings, text, folded

    @property
    def path(self) -> str:
        return str(self.note[0])
