"""How a planned piece of research gets to run."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from daemon.model.agenda import Approval, Depth
from daemon.model.spending import Cap


@dataclass(frozen=True, slots=True)
class ResearchOptions:
    """How an agenda gets to run: what it waits for, how long, how far it goes, and where.

    All sources that the user `named` are queried; otherwise those that suit the topic. A schedule's
    agenda has its name, and may be limited by it. It `has_note` in the inbox, unless somebody waits
    for it at a command line. One that answers a note's research request `claims` it: the note's
    path, and the request.
    """

    approval: Approval
    window: timedelta
    depth: Depth
    sources: Sequence[str]
    named: bool = False
    schedule: str = ""
    max_findings: int | None = None
    deadline_at: datetime | None = None
    caps: tuple[Cap, ...] = ()
    has_note: bool = True
    claims: tuple[str, str] = ("", "")
