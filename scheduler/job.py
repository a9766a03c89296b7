"""What runs, and when."""

from dataclasses import dataclass
from datetime import time, timedelta

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class Weekly:
    """Once a week, at a local time. `day` is as in `date.weekday()`: 0 is Monday."""

    day: int
    at: time

    @classmethod
    def parse(cls, day: str, at: str) -> "Weekly":
        """Make one of settings: `sun`, `09:00`. Raises ValueError."""
        return cls(DAYS.index(day), time.fromisoformat(at.zfill(5)))


@dataclass(frozen=True, slots=True)
class Every:
    """Again and again, an interval after it last ran."""

    interval: timedelta


Schedule = Weekly | Every


@dataclass(frozen=True, slots=True)
class Job:
    """Something with a name that has a schedule. What it does is its caller's business."""

    id: str
    schedule: Schedule
