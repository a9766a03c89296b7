"""Notices to the user outside the vault."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class NoticeKind(StrEnum):
    """The kinds, each of which can be turned off separately."""

    DIGEST = "digest"  # a run has ended
    AGENDA = "agenda"  # an agenda waits until the user approves it
    ERROR = "error"  # something keeps the daemon from its work
    BUDGET = "budget"  # a budget has ended


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice. `counts` contains its numbers by name; `title` and `text` are for a reader.

    Nothing in it comes from a note, or from a page, unless the user enabled that. `id` stays the
    same however often it is sent.
    """

    id: str
    kind: NoticeKind
    created_at: datetime
    title: str
    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueuedNotice:
    """A notice that waits for one channel; `trouble` is the error of the last attempt."""

    id: int
    channel: str
    notice: Notice
    due_at: datetime
    tries: int
    trouble: str


@dataclass(frozen=True, slots=True)
class TroubleRow:
    """An error of one part of the work, `times` in a row."""

    part: str
    line: str
    first_at: datetime
    last_at: datetime
    times: int
    over_at: datetime | None
