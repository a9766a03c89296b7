"""The index of the user's documents: its progress, and its documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TextSpan = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LibraryCounts:
    """How much of the library is indexed. `unread` files failed; `due` ones are yet to be read."""

    files: int
    due: int
    unread: int
    documents: int
    embedded: int
    passages: int
    embedded_passages: int
    recorded: int  # documents that an index knows


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document of the index. `about` is its own metadata; `record` an index's."""

    id: int
    path: str  # of the first of its files
    digest: str
    title: str
    about: Mapping[str, Any]
    text: str
    spans: Sequence[TextSpan]
    record: str

    def passage(self, ordinal: int) -> str:
        """Return the text of a passage, white space as single spaces."""
        start, end = self.spans[ordinal]
        return " ".join(self.text[start:end].split())
