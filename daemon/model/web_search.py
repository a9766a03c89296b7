"""The saved result of a search of notes and sources."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class NoteSaying:
    """What a note of the vault says about the question."""

    path: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceSaying:
    """What a source says about a document. `sources` are the names of those that returned it."""

    title: str
    url: str
    text: str
    published: str
    sources: tuple[str, ...]
    figures: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """A sentence of a note, and the sentence of a document that contradicts it."""

    path: str
    ours: str
    title: str
    url: str
    theirs: str


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A search to be written into the inbox. `unavailable` are sources with their reasons."""

    id: str
    query: str
    created_at: datetime
    notes: tuple[NoteSaying, ...]
    results: tuple[SourceSaying, ...]
    conflicts: tuple[Conflict, ...]
    unavailable: tuple[str, ...] = ()
