"""Why the loop woke, what is due, and recent errors."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, auto

NEVER = datetime.max.replace(tzinfo=UTC)
LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Wake(Enum):
    """Why the loop woke, if not for changed paths."""

    STOP = auto()
    RELOAD = auto()
    EMBEDDED = auto()
    REQUEST = auto()
    PUBLISHED = auto()


@dataclass(frozen=True, slots=True)
class JobDue:
    """The loop woke because a schedule is due."""

    name: str


@dataclass(slots=True)
class Due:
    """What is to be done in the next turn."""

    sync: bool = True
    changed: set[str] = field(default_factory=set)  # paths that the watcher reported
    whole: bool = True  # whether more may have changed than was reported
    embed: bool = False  # whether there may be notes without an embedding
    resume: bool = True
    review: bool = False
    review_at: datetime = NEVER  # when the grace period of a missing note ends
    reconcile_at: datetime = LONG_AGO
    beat_at: datetime = LONG_AGO
    requests: bool = True  # whether commands may wait
    network_at: datetime = LONG_AGO
    settle_at: datetime = LONG_AGO  # unfinished work of a night in the vault
    pulse_at: datetime = LONG_AGO  # when long work sends its next heartbeat
    machines_at: datetime = LONG_AGO  # when the notes of other machines are read next
    tool_at: datetime = LONG_AGO  # when the vault's tool is checked next
    integrity_at: datetime | None = None
    library_at: datetime = LONG_AGO  # when the library's folders are scanned next
    drop_at: datetime = LONG_AGO  # when the drop folder is scanned next
    library: bool = False  # whether there is more to index
