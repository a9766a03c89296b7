"""When a job is due, decided from plain values: its schedule, when it last ran, and now.

However long a machine slept, one run makes up for all that were missed. All datetimes are aware and
come back in UTC; `zone` is where the user is.
"""

from datetime import UTC, datetime, time, timedelta, tzinfo

from scheduler.job import Every, Schedule

_WEEK = timedelta(days=7)
# A last run further ahead than this was recorded while the clock was wrong.
_AHEAD = timedelta(days=1)


def next_weekly(now: datetime, day: int, at: time, zone: tzinfo) -> datetime:
    """Return the first moment after `now` at which it is `day`, `at`, in `zone`.

    A time that the clocks jump over comes by as much later; one that comes twice counts the first
    time.
    """
    return next(moment for moment in _around(now, day, at, zone) if moment > now)


def last_weekly(now: datetime, day: int, at: time, zone: tzinfo) -> datetime:
    """Return the last such moment that is not after `now`."""
    return max(moment for moment in _around(now, day, at, zone) if moment <= now)


def _around(now: datetime, day: int, at: time, zone: tzinfo) -> list[datetime]:
    """The moments of a schedule from a fortnight before `now` to a fortnight after it."""
    today = now.astimezone(zone).date()
    first = today + timedelta(days=day - today.weekday())
    return [
        datetime.combine(first + weeks * _WEEK, at.replace(fold=0), tzinfo=zone).astimezone(UTC)
        for weeks in range(-2, 3)
    ]


def believable(schedule: Schedule, last_run_at: datetime, now: datetime) -> datetime:
    """Return `last_run_at`, or `now` where it was taken from a clock that was wrong.

    A weekly job may have run at an hour that the clock, put back a little, has yet to reach: it is
    not to run twice. One that runs every few minutes is not to wait for that hour.
    """
    if isinstance(schedule, Every):
        return min(last_run_at, now)
    return now if last_run_at > now + _AHEAD else last_run_at


def due(schedule: Schedule, last_run_at: datetime, now: datetime, zone: tzinfo) -> datetime | None:
    """Return the moment that a run now would make up for, or None when none is due.

    `last_run_at` is when the job last ran, or for one that never did when it became known.
    """
    last_run_at = believable(schedule, last_run_at, now)
    if isinstance(schedule, Every):
        meant_for_at = last_run_at + schedule.interval
        return meant_for_at.astimezone(UTC) if meant_for_at <= now else None
    meant_for_at = last_weekly(now, schedule.day, schedule.at, zone)
    return meant_for_at if meant_for_at > last_run_at else None


def next_run(schedule: Schedule, last_run_at: datetime, now: datetime, zone: tzinfo) -> datetime:
    """Return when the job runs next: now, if it is due."""
    if due(schedule, last_run_at, now, zone) is not None:
        return now.astimezone(UTC)
    last_run_at = believable(schedule, last_run_at, now)
    if isinstance(schedule, Every):
        return (last_run_at + schedule.interval).astimezone(UTC)
    return next_weekly(max(now, last_run_at), schedule.day, schedule.at, zone)
