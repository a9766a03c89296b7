"""Research runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from daemon.model.agenda import Agenda

BY_USER = "you stopped it"  # why a run ended early


class RunStatus(StrEnum):
    """The state of a run."""

    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"  # stopped; will be resumed
    # unreadable, or its sources could not be reached: the next attempt starts again
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RunRules:
    """The settings that affect a run's result, stored with it."""

    covered_similarity: float
    max_findings: int
    max_by_source: Mapping[str, int] = field(default_factory=dict)
    why_no_more: str = ""  # the budget that lowered `max_findings`


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a list. `summary` sums up its result, `plan` its purpose."""

    id: str
    agenda: str
    status: RunStatus
    started_at: datetime
    ended_at: datetime | None = None
    digest_path: str = ""
    summary: dict[str, Any] = field(default_factory=dict)
    plan: Agenda | None = None  # the place of that record

    @property
    def pruned_at(self) -> datetime | None:
        """When its folder was removed, if it was."""
        at = self.summary.get("pruned_at")
        return datetime.fromisoformat(at) if at else None
