"""The machines that share a vault, and their notes about themselves."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

_KEY_LENGTH = 12  # hexadecimal digits
# The lead moves a few times a year. A note with a greater term is malformed: it would always lead.
MAX_TERM = 1_000_000


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine, as its note shows it.

    `beat` counts its heartbeats. The machine with the highest `term` leads; ties go to the greater
    id. `ran` says when each schedule last ran; `served` are the keys (see `request_key`) of the
    research requests that it has taken up.
    """

    id: str
    name: str
    beat: int = 0
    term: int = 0
    ran: Mapping[str, datetime] = field(default_factory=dict)
    served: frozenset[str] = frozenset()

    @property
    def rank(self) -> tuple[int, str]:
        """The sort key of machines: the greatest leads."""
        return self.term, self.id


@dataclass(frozen=True, slots=True)
class Claim:
    """An agenda of another machine: what it researches, and its status.

    `key` is that of the research request it answers, or ""; `schedule` is the name of its schedule.
    `status` is from its note.
    """

    agenda: str
    machine: str
    term: int
    key: str
    schedule: str
    status: str
    created_at: datetime | None

    @property
    def rank(self) -> tuple[int, str]:
        """The rank of its machine when it made the claim."""
        return self.term, self.machine

    @property
    def has_begun(self) -> bool:
        """Whether it runs or has run."""
        return self.status in ("running", "done")

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.status in ("proposed", "approved", "running", "waiting")


def request_key(note: str, request: str) -> str:
    """Return the key of a note's research request, equal on every machine.

    `note` is the vault-relative path, in any Unicode normalisation.
    """
    text = f"{unicodedata.normalize('NFC', note)}\0{request}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_LENGTH]


@dataclass(frozen=True, slots=True)
class Sighting:
    """The last heartbeat of another machine, and when it arrived, by the local clock."""

    beat: int
    at: datetime


@dataclass(frozen=True, slots=True)
class OwnMachine:
    """This machine's memory.

    `waits_until` is set if it was away for so long that another may lead by now. `claims` says when
    the agenda of another machine was first seen; `taken` are those whose request was taken over.
    """

    id: str
    beat: int = 0
    term: int = 0
    beat_at: datetime | None = None
    waits_until: datetime | None = None
    sightings: Mapping[str, Sighting] = field(default_factory=dict)
    claims: Mapping[str, datetime] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
