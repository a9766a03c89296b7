"""Value types for what a note holds. Lines count from 0, as editors' APIs do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class LinkKind(StrEnum):
    """Where a link stands."""

    LINK = "link"
    EMBED = "embed"
    FRONTMATTER = "frontmatter"
    CANVAS = "canvas"
    TAG = "tag"  # a tag that the tool reads as a link to the note of that name, where there is one


class Role(StrEnum):
    """What a file in the vault is for. Only `NOTE` takes part in gap analysis."""

    NOTE = "note"
    TEMPLATE = "template"
    DAILY = "daily"
    EXCLUDED = "excluded"  # by the tool's own settings (Obsidian: excluded files)
    CANVAS = "canvas"
    ATTACHMENT = "attachment"
    CONFLICT = "conflict"  # a copy that a sync program made of both sides: left alone, and told
    OWN = "own"  # an agenda, digest or finding that nobody accepted yet; set by sync, not by scan


@dataclass(frozen=True, slots=True)
class Link:
    """One link as written. `target` is what stands before the first `#`, trimmed."""

    target: str
    subpath: str  # "#heading", "#^block" or ""
    display: str | None
    kind: LinkKind
    line: int
    key: str = ""  # the frontmatter key it stands in


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """A block id (`^id`) and the line it ends."""

    id: str
    line: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag with its leading `#`."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Note:
    """A note, read as far as it can be read.

    `text` is the whole decoded file with line ends made `\\n`; `body_line` is the line on which the
    body begins (0 when there is no frontmatter). `trouble` says in words what could not be read
    (invalid YAML, bytes that are not UTF-8), or is empty. `names` are what links may call the note
    besides its path, where the tool knows such things (an id, a title, the id of a block), in a
    form that its adapter's resolver reads. `silent` are the lines of the body that the tool wrote
    for itself and that say nothing to a reader.
    """

    path: str
    title: str
    text: str
    body_line: int = 0
    frontmatter: Mapping[str, Any] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    tags: tuple[Tag, ...] = ()
    aliases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    silent: frozenset[int] = frozenset()
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class VaultFile:
    """A file as a scan saw it, before it is read. `path` is vault-relative with `/`."""

    path: str
    role: Role
    size: int
    mtime_ns: int
    inode: int = 0


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file or folder that a scan had to leave out."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Scan:
    """One look at the whole vault: what is there, and what could not be looked at.

    `evicted` are paths of files that are of the vault but not on this disk: a cloud drive took them
    away to make room, and left a placeholder. Nothing may be concluded from their absence, nor from
    that of what is, or lies below, a `blocked` path: it could not be looked into this time.
    """

    files: tuple[VaultFile, ...]
    unreadable: tuple[Unreadable, ...] = ()
    evicted: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()

    @property
    def conflicts(self) -> tuple[str, ...]:
        """Copies that sync programs made because a file was edited in two places."""
        return tuple(file.path for file in self.files if file.role is Role.CONFLICT)
