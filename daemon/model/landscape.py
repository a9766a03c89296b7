"""What reports and documents mention: people, organisations, works and terms."""

from dataclasses import dataclass
from enum import StrEnum


class EntityKind(StrEnum):
    """What is mentioned."""

    PERSON = "person"
    ORGANISATION = "organisation"
    WORK = "work"
    TERM = "term"


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that a document mentions. All text is untrusted.

    `about` says more: the authors and year of a work, the meaning of a term. `source` is the
    address of the document.
    """

    kind: EntityKind
    name: str
    about: str
    source: str

    @property
    def key(self) -> tuple[str, str]:
        """What equal entities have in common."""
        return self.kind.value, " ".join(self.name.split()).casefold()


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity, the path of the note that came of it, and its run ("" for none)."""

    entity: Entity
    note: str
    run: str
