"""Value types for the content of a note. Lines count from 0, as in editors' APIs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


class LinkKind(StrEnum):
    """The place of a link."""

    LINK = "link"
    EMBED = "embed"
    FRONTMATTER = "frontmatter"
    CANVAS = "canvas"
    TAG = "tag"  # a tag that the tool reads as a link to the note of that name, if it exists


class Role(StrEnum):
    """The role of a file in the vault. Only `NOTE` takes part in gap analysis."""

    NOTE = "note"
    TEMPLATE = "template"
    DAILY = "daily"
    EXCLUDED = "excluded"  # by the tool's own settings (Obsidian: excluded files)
    CANVAS = "canvas"
    ATTACHMENT = "attachment"
    CONFLICT = "conflict"  # a copy that a sync program made of both sides: left alone and reported
    OWN = "own"  # an agenda, digest or finding that is not accepted yet; set by sync, not by scan


@dataclass(frozen=True, slots=True)
class Link:
    """One link as written. `target` is the part before the first `#`, trimmed."""

    target: str
    subpath: str  # "#heading", "#^block" or ""
    display: str | None
    kind: LinkKind
    line: int
    key: str = ""  # the frontmatter key that contains it


class Heading(NamedTuple):
    text: str
    level: int
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """A block id (`^id`) and the line that it ends."""

    id: str
    line: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag with its leading `#`."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Note:
    """A note, read as completely as possible.

    `text` is the whole decoded file with `\\n` line ends; `body_line` is the line on which the body
    begins (0 without frontmatter). `trouble` describes what could not be read (invalid YAML, bytes
    that are not UTF-8), or is empty. `names` are names for links besides the path, if the tool has
    such (an id, a title, the id of a block), in a form that its adapter's resolver reads. `silent`
    are lines of the body that the tool wrote for itself and that mean nothing to a reader.
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


class VaultFile(NamedTuple):
    """A file as a scan saw it, before it is read. `path` is vault-relative with `/`."""

    path: str
    role: Role
    size: int
    mtime_ns: int
    inode: int = 0


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file or folder that a scan had to skip."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Scan:
    """One scan of the whole vault: its files, and what could not be read.

    `evicted` are paths of files that belong to the vault but are not on this disk: a cloud drive
    removed them to free space, and left a placeholder. Nothing may be concluded from their absence,
    nor from that of a `blocked` path or anything below it, which could not be listed this time.
    """

    files: tuple[VaultFile, ...]
    unreadable: tuple[Unreadable, ...] = ()
    evicted: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()

    @property
    def conflicts(self) -> tuple[str, ...]:
        """Copies that sync programs made because a file was edited in two places."""
        return tuple(file.path for file in self.files if file.role is Role.CONFLICT)
