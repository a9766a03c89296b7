"""Runs of research, as everything speaks of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from daemon.model.agenda import Agenda

BY_USER = "you stopped it"  # why a run ended early


class RunStatus(StrEnum):
    """Where a run is in its life."""

    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"  # asked to stop; goes on from there
    FAILED = "failed"  # torn, or its sources could not be reached: the next try begins anew


@dataclass(frozen=True, slots=True)
class RunRules:
    """The settings that a run's outcome depends on, kept with it."""

    covered_similarity: float
    max_findings: int
    max_by_source: Mapping[str, int] = field(default_factory=dict)
    why_no_more: str = ""  # the budget that `max_findings` is lowered by


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as it is listed. `summary` sums up what came of it, `plan` is what it was to do."""

    id: str
    agenda: str
    status: RunStatus
    started_at: datetime
    ended_at: datetime | None = None
    digest_path: str = ""
    summary: dict[str, Any] = field(default_factory=dict)
    plan: Agenda | None = None  # where that was looked up

    @property
    def pruned_at(self) -> datetime | None:
        """When its folder was removed, if it was."""
        at = self.summary.get("pruned_at")
        return datetime.fromisoformat(at) if at else None
