"""Jobs and their schedules."""

from dataclasses import dataclass
from datetime import date, time, timedelta
from hashlib import sha256

from scheduler.cron import check

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MAX_JITTER = timedelta(hours=12)  # a run stays on its day, or in the night after it


@dataclass(frozen=True, slots=True)
class Jitter:
    """A delay of up to `most`: different each day, but the same for one `seed` and day.

    Machines that share a schedule therefore do not query a source in the same minute, and a
    restarted machine computes the same delay.
    """

    seed: str
    most: timedelta

    def on(self, day: date) -> timedelta:
        """Return the delay of the run on `day`, in whole seconds."""
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
        """Parse the settings, such as `sun` and `09:00`. Raises ValueError."""
        return cls(DAYS.index(day), time_of_day(at), jitter)


@dataclass(frozen=True, slots=True)
class Daily:
    """Once a day, at a local time; nightly work has a deadline, `until`."""

    at: time
    until: time | None = None
    jitter: Jitter = NO_JITTER


@dataclass(frozen=True, slots=True)
class Cron:
    """By five fields of local time: minute, hour, day of month, month, day of week (0 is Sunday).

    As in cron, if both day fields are given, a day matches if either does.
    """

    expression: str

    @classmethod
    def parse(cls, expression: str) -> "Cron":
        """Raises ValueError with the problem."""
        return cls(check(expression))


@dataclass(frozen=True, slots=True)
class Every:
    """Repeatedly, an interval after the last run."""

    interval: timedelta


Schedule = Weekly | Daily | Cron | Every
ByWall = Weekly | Daily | Cron  # those that go by the clock on the wall


@dataclass(frozen=True, slots=True)
class Job:
    """A named schedule. The caller knows what to run."""

    id: str
    schedule: Schedule


def time_of_day(text: str) -> time:
    """Parse `9:00` or `09:00`. Raises ValueError."""
    return time.fromisoformat(text.zfill(5))
