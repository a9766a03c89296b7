"""What runs, and when."""

from dataclasses import dataclass
from datetime import date, time, timedelta
from hashlib import sha256

from scheduler.cron import check

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MAX_JITTER = timedelta(hours=12)  # a run stays on its day, or in the night after it


@dataclass(frozen=True, slots=True)
class Jitter:
    """Later by a part of `most`: another part each day, the same for one `seed` and day.

    So machines that share a schedule do not all ask the same source in the same minute, and a
    machine that starts again comes to the same minute.
    """

    seed: str
    most: timedelta

    def on(self, day: date) -> timedelta:
        """Return how much later a run of `day` comes, in whole seconds."""
        parts = int.from_bytes(sha256(f"{self.seed} {day.isoformat()}".encode()).digest()[:8])
        return timedelta(seconds=parts % (int(self.most.total_seconds()) + 1))


NO_JITTER = Jitter("", timedelta(0))


@dataclass(frozen=True, slots=True)
class Weekly:
    """Once a week, at a local time. `day` is as in `date.weekday()`: 0 is Monday."""

    day: int
    at: time
    jitter: Jitter = NO_JITTER

    @classmethod
    def parse(cls, day: str, at: str, jitter: Jitter = NO_JITTER) -> "Weekly":
        """Make one of settings: `sun`, `09:00`. Raises ValueError."""
        return cls(DAYS.index(day), time_of_day(at), jitter)


@dataclass(frozen=True, slots=True)
class Daily:
    """Once a day, at a local time; nightly work has an hour `until` which it is to be done."""

    at: time
    until: time | None = None
    jitter: Jitter = NO_JITTER


@dataclass(frozen=True, slots=True)
class Cron:
    """By five fields of local time: minute, hour, day of month, month, day of week (0 is Sunday).

    As in cron, a day fits when either of the fields for days does, if both are given.
    """

    expression: str

    @classmethod
    def parse(cls, expression: str) -> "Cron":
        """Raises ValueError with what is wrong with it."""
        return cls(check(expression))


@dataclass(frozen=True, slots=True)
class Every:
    """Again and again, an interval after it last ran."""

    interval: timedelta


Schedule = Weekly | Daily | Cron | Every
ByWall = Weekly | Daily | Cron  # those that go by the clock on the wall


@dataclass(frozen=True, slots=True)
class Job:
    """Something with a name that has a schedule. What it does is its caller's business."""

    id: str
    schedule: Schedule


def time_of_day(text: str) -> time:
    """Read `9:00` or `09:00`. Raises ValueError."""
    return time.fromisoformat(text.zfill(5))
