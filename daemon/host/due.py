"""What the loop woke for, what is due, and what went wrong lately."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, auto

NEVER = datetime.max.replace(tzinfo=UTC)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Wake(Enum):
    """Why the loop woke, if not by paths that changed."""

    STOP = auto()
    RELOAD = auto()
    EMBEDDED = auto()
    REQUEST = auto()


@dataclass(frozen=True, slots=True)
class JobDue:
    """The loop woke because the time of a schedule has come."""

    name: str


@dataclass(slots=True)
class Due:
    """What is to be done the next time round."""

    sync: bool = True
    changed: set[str] = field(default_factory=set)  # paths that the watcher reported
    whole: bool = True  # whether more may have changed than it reported
    embed: bool = False  # whether there may be notes without an embedding
    resume: bool = True
    review: bool = False
    review_at: datetime = NEVER  # when the grace of a note that is gone ends
    reconcile_at: datetime = _LONG_AGO
    beat_at: datetime = _LONG_AGO
    requests: bool = True  # whether commands may wait
    network_at: datetime = _LONG_AGO
    settle_at: datetime = _LONG_AGO  # what a night left to do in the vault
    pulse_at: datetime = _LONG_AGO  # when work that takes long leaves its next sign of life
    machines_at: datetime = _LONG_AGO  # when the notes of other machines are looked at next
    tool_at: datetime = _LONG_AGO  # when it is seen next whose vault this is
    look_through_at: datetime | None = None
    library_at: datetime = _LONG_AGO  # when the library's folders are looked at next
    library: bool = False  # whether there is more of it to be indexed
