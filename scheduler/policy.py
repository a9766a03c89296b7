"""Decide when a job is due, from plain values: its schedule, its last run, and the current time.

After a machine has slept, one run makes up for all that were missed. Each local time counts once:
not again when summer time ends, when the machine travels west, or when the clock is set back. Times
are aware and returned in UTC; `zone` is where the user is.

The UTC offset of the last run shows its local time; a last run in UTC itself is treated as local.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import takewhile

from scheduler import cron
from scheduler.job import ByWall, Cron, Daily, Every, Schedule, Weekly

_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)
# A last run further ahead than this was recorded while the clock was wrong: more than a week, so
# that a clock that is set back by days runs no weekly job twice.
_AHEAD = timedelta(days=8)


def following(schedule: ByWall, now: datetime, zone: tzinfo) -> datetime:
    """Return the first time after `now` at which `schedule` matches the local time.

    A local time that does not exist is moved by the length of the gap; one that occurs twice counts
    the first time.
    """
    if isinstance(schedule, Cron):
        return _following_cron(schedule, now, zone)
    return min(moment for moment in _around(schedule, now, zone) if moment > now)


def latest(schedule: ByWall, now: datetime, zone: tzinfo) -> datetime:
    """Return the last matching time that is not after `now`."""
    if isinstance(schedule, Cron):
        return _latest_cron(schedule, now, zone)
    return max(moment for moment in _around(schedule, now, zone) if moment <= now)


def plausible_last_run(
    schedule: Schedule, last_run_at: datetime, now: datetime, zone: tzinfo = UTC
) -> datetime:
    """Return `last_run_at`, or `now` if it was recorded by a wrong clock.

    A weekly job may have run at a local time that the clock, set back since, has yet to reach: it
    must not run twice. A job that runs every few minutes must not wait for that time.
    """
    if isinstance(schedule, Every):
        return min(last_run_at, now)
    return now.astimezone(zone) if last_run_at > now + _AHEAD else last_run_at


def due(schedule: Schedule, last_run_at: datetime, now: datetime, zone: tzinfo) -> datetime | None:
    """Return the scheduled time that a run now would make up for, or None if no run is due.

    `last_run_at` is when the job last ran; for a new job, when it became known.
    """
    last_run_at = plausible_last_run(schedule, last_run_at, now, zone)
    if isinstance(schedule, Every):
        meant_for_at = last_run_at + schedule.interval
        return meant_for_at.astimezone(UTC) if meant_for_at <= now else None
    meant_for_at = latest(schedule, now, zone)
    return meant_for_at if _is_new(meant_for_at, last_run_at, zone) else None


def next_run(schedule: Schedule, last_run_at: datetime, now: datetime, zone: tzinfo) -> datetime:
    """Return when the job runs next; `now` if it is due."""
    if due(schedule, last_run_at, now, zone) is not None:
        return now.astimezone(UTC)
    last_run_at = plausible_last_run(schedule, last_run_at, now, zone)
    if isinstance(schedule, Every):
        return (last_run_at + schedule.interval).astimezone(UTC)
    # Where the clock has yet to show again what it showed then, nothing runs before it has.
    again_at = _instant(_wall(last_run_at, zone), zone)
    moment = following(schedule, max(now, last_run_at, again_at - _INSTANT), zone)
    while not _is_new(moment, last_run_at, zone):
        moment = following(schedule, moment, zone)
    return moment


def deadline(schedule: Daily, meant_for_at: datetime, now: datetime, zone: tzinfo) -> datetime:
    """Return when nightly work that begins at `now` must end.

    A missed night is made up for with the same amount of time.
    """
    day = meant_for_at.astimezone(zone).date()
    begins, ends = schedule.at, schedule.until or schedule.at
    begins_at = _instant(datetime.combine(day, begins), zone)
    after = 1 if ends <= begins else 0
    ends_at = _instant(datetime.combine(day + after * _DAY, ends), zone)
    return ends_at if now < ends_at else (now + (ends_at - begins_at)).astimezone(UTC)


def _is_new(moment: datetime, last_run_at: datetime, zone: tzinfo) -> bool:
    """Return whether a time is later than the last run, both in UTC and in local time."""
    shown = moment.astimezone(zone).replace(tzinfo=None)
    return moment > last_run_at and shown > _wall(last_run_at, zone)


def _wall(at: datetime, zone: tzinfo) -> datetime:
    """Return the local time at the place of a time."""
    return (at.astimezone(zone) if at.tzinfo is UTC else at).replace(tzinfo=None)


def _instant(wall: datetime, zone: tzinfo) -> datetime:
    """Return the first moment at which clocks in `zone` show a local time."""
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _around(schedule: Weekly | Daily, now: datetime, zone: tzinfo) -> Iterator[datetime]:
    """Return the scheduled times from well before `now` to well after it."""
    step, today = 1, now.astimezone(zone).date()
    if isinstance(schedule, Weekly):
        step, today = 7, today + timedelta(days=schedule.day - today.weekday())
    for number in range(-3, 4):
        day = today + number * step * _DAY
        at = _instant(datetime.combine(day, schedule.at), zone)
        yield at + schedule.jitter.on(at.astimezone(zone).date())


def _following_cron(schedule: Cron, now: datetime, zone: tzinfo) -> datetime:
    shift, wall = _shift(now, zone), now.astimezone(zone).replace(tzinfo=None)
    best: datetime | None = None
    # What the clocks jump over stands earlier on the wall than what it comes at the same time as.
    for named in cron.after(schedule.expression, wall - shift):
        moment = _instant(named, zone)
        if moment > now and (best is None or moment < best):
            best, end = moment, named + shift
        if best is not None and named >= end:
            return best
    raise ValueError(f"{schedule.expression!r} never comes")  # checked when it was made


def _latest_cron(schedule: Cron, now: datetime, zone: tzinfo) -> datetime:
    shift, wall = _shift(now, zone), now.astimezone(zone).replace(tzinfo=None)
    named = cron.before(schedule.expression, wall + shift + timedelta(minutes=1))
    moments = ((each, _instant(each, zone)) for each in named)
    past = ((each, moment) for each, moment in moments if moment <= now)
    first, best = next(past)
    rest = takewhile(lambda pair: pair[0] >= first - shift, past)
    return max([best, *(moment for _, moment in rest)])


def _shift(now: datetime, zone: tzinfo) -> timedelta:
    """Return by how much the clocks change near `now`; zero on nearly every day."""
    offsets = [(now + days * _DAY).astimezone(zone).utcoffset() for days in (-1.5, 1.5)]
    one, other = (offset or timedelta(0) for offset in offsets)
    return abs(one - other)
