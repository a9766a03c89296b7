"""Gaps found in a vault, and the agenda of tasks that would fill them."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from daemon.model.spending import Cap

NIGHTLY = "nightly"  # the schedule whose questions stay in the queue note until they are answered


class GapKind(StrEnum):
    """Whether the vault lacks something, or has something worth taking deeper."""

    GAP = "gap"
    DEEPEN = "deepen"


class GapShape(StrEnum):
    """What was seen in the vault that made this a gap."""

    ISOLATED = "isolated"  # a note with no link in or out
    DANGLING = "dangling"  # a target that several notes name and no note has
    SPARSE = "sparse"  # notes near in meaning that hardly link to each other
    STALE = "stale"  # an area not edited for long while the rest moved on
    THIN = "thin"  # a note that many link to and that says next to nothing
    DENSE = "dense"  # a cluster that is growing: worth deepening
    ASKED = "asked"  # the user asked, by `research:` or on the command line
    PAGE = "page"  # the user named a page that is to be read


@dataclass(frozen=True, slots=True)
class Gap:
    """Something missing (or growing) in the vault, and why a person should believe it.

    `why` is one plain sentence. `score` is in [0, 1] and is the sum of `parts`, so that a reader
    can see what made it.
    """

    kind: GapKind
    shape: GapShape
    topic: str
    notes: tuple[str, ...]  # vault-relative paths, the most telling first
    why: str
    score: float
    parts: dict[str, float] = field(default_factory=dict)
    keywords: tuple[str, ...] = ()  # the area's own words, for choosing sources
    query: str = ""  # what would be searched for; "" for the topic as it stands
    excluded: tuple[str, ...] = ()  # see Task
    details: str = ""  # see Task

    @property
    def is_question(self) -> bool:
        """Whether the user put it in their own words: in a note, a property or a command."""
        return self.shape is GapShape.ASKED and self.kind is GapKind.GAP


class AgendaStatus(StrEnum):
    """Where an agenda is in its life."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    RUNNING = "running"
    WAITING = "waiting"  # its sources could not be reached; it is tried again
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"  # its sources could not be reached, and it is not tried again


class Choice(StrEnum):
    """What the user said of one task, by its checkbox."""

    WANTED = "wanted"  # [x]
    VETOED = "vetoed"  # [ ]
    NEVER = "never"  # [-]: never suggest this topic


class Depth(StrEnum):
    """How far a run goes."""

    QUICK = "quick"
    STANDARD = "standard"
    DEEP = "deep"


class Approval(StrEnum):
    """What it takes for an agenda to run."""

    VETO = "veto"  # runs when its window ends, unless unticked or cancelled
    REQUIRED = "required"  # waits until the user sets status: approved
    NONE = "none"  # runs at once


class Origin(StrEnum):
    """Whose words a task is in. The less the user said, the more a quote must say by itself."""

    QUESTION = "question"  # the user's own
    NOTE = "note"  # made of a note that they tagged
    VAULT = "vault"  # made of what the vault lacks


@dataclass(frozen=True, slots=True)
class Task:
    """One question put to one or more sources.

    `because` is plain text (no links); `note` is the vault-relative path that motivated it, or
    None when a whole area did. `excluded` are DOIs, addresses and titles of works that the note is
    about: research does not offer them back. `details` are the figures behind `because`, as text.
    """

    id: str
    topic: str
    query: str
    sources: tuple[str, ...]
    because: str
    note: str | None
    kind: GapKind
    score: float = 0.0
    choice: Choice = Choice.WANTED
    excluded: tuple[str, ...] = ()
    details: str = ""
    origin: Origin = Origin.QUESTION


@dataclass(frozen=True, slots=True)
class Agenda:
    """What will be researched, when, and what set it off. `trigger` is words for the user.

    `follow` are the sources that are asked for the citations of what is found. A schedule of the
    user's may say how many findings there are to be at most, what the run may spend (`caps`), and
    by `done_by` when it is to end with what it has; `schedule` is its name.

    One that could not reach its sources says why in `trouble`. It is then tried again at `runs_at`;
    `tries` counts the runs that came to nothing, of which the first ended at `first_tried_at`.

    `machine` is the id of the machine that runs it, `term` the rank it had then, and `claim` the
    key of the research request of a note that it answers: see `daemon.model.machine`.
    """

    id: str
    created_at: datetime
    runs_at: datetime | None  # None: waits for approval
    trigger: str
    status: AgendaStatus
    depth: Depth
    tasks: tuple[Task, ...]
    note: str | None = None  # the note that asked, for a tagged note
    path: str | None = None  # where its note is in the vault, once written
    follow: tuple[str, ...] = ()
    schedule: str = ""
    max_findings: int | None = None
    done_by: datetime | None = None
    caps: tuple[Cap, ...] = ()
    tries: int = 0
    first_tried_at: datetime | None = None
    trouble: str = ""
    machine: str = ""
    term: int = 0
    claim: str = ""
