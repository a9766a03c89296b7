"""Schedules from the settings, as the scheduler's types."""

from datetime import time, timedelta

from daemon.config.own_schedules import Schedule
from daemon.config.table import Settings
from scheduler.conditions import Rules
from scheduler.job import Cron, Daily, Jitter, Weekly, time_of_day


def weekly_of(settings: Settings) -> Weekly:
    """Return when the whole vault is researched."""
    jitter = _jitter(settings, "weekly", settings.weekly.jitter_minutes)
    return Weekly.parse(settings.weekly.day, settings.weekly.time, jitter)


def nightly_of(settings: Settings) -> Daily:
    """Return when the queue is researched, and by which hour that ends."""
    return Daily(
        time_of_day(settings.nightly.start),
        time_of_day(settings.nightly.end),
        _jitter(settings, "nightly", settings.nightly.jitter_minutes),
    )


def audio_of(settings: Settings) -> Daily:
    """Return when the episodes of a night are made."""
    return Daily(time_of_day(settings.audio.time))


def when_of(settings: Settings, name: str, schedule: Schedule) -> Cron | Weekly | Daily:
    """Return when a user's own schedule runs."""
    if schedule.time is None:
        return Cron(schedule.cron)
    jitter = _jitter(settings, name, schedule.jitter_minutes)
    if schedule.day is None:
        return Daily(time_of_day(schedule.time), jitter=jitter)
    return Weekly.parse(schedule.day, schedule.time, jitter)


def rules_of(settings: Settings) -> Rules:
    """Return what scheduled work waits for."""
    return Rules(
        quiet_from=_time(settings.quiet_hours.start),
        quiet_to=_time(settings.quiet_hours.end),
        battery_min_percent=settings.conditions.min_battery_percent,
        waits_when_metered=settings.conditions.wait_when_metered,
        waits_when_offline=settings.conditions.wait_when_offline,
    )


def _jitter(settings: Settings, name: str, minutes: int) -> Jitter:
    """Equal on every day for a vault and a schedule, whenever the daemon is started."""
    return Jitter(f"{settings.vault} {name}", timedelta(minutes=minutes))


def _time(text: str) -> time | None:
    return time_of_day(text) if text else None
