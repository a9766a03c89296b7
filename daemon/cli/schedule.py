"""What runs when, and what waits."""

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from typing import Any

import click

from daemon.app import App, now
from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import counted, emit, moment, say
from daemon.cli.research import check_reached, tell_run
from daemon.cli.session import ask, opened
from daemon.cycle.schedules import ALL, Standing
from scheduler.engine import local_zone
from scheduler.job import Cron, Daily, Every, Schedule, Weekly

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NAME = click.argument("name", required=False, default=ALL, metavar="[NAME]")


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def schedule(context: click.Context, options: Options) -> None:
    """Show what runs when; run it now, or pause it."""
    if context.invoked_subcommand is None:
        context.invoke(schedule_list)


@schedule.command("list")
@common
def schedule_list(options: Options) -> None:
    """Show every schedule that is on: when it runs next, when it last did, what it waits for."""
    with opened(options) as app:
        found = standings(app)
    if options.json:
        emit([standing_json(each) for each in found])
        return
    width = max((len(each.plan.name) for each in found), default=0)
    for each in found:
        first, *others = lines_of(each, now(), local_zone())
        say(f"{each.plan.name:<{width}}  {first}")
        for line in others:
            say(f"{'':<{width}}  {line}")
    if not found:
        say("No schedule is on. `weekly = true` in the settings turns the weekly run on.")


@schedule.command("run")
@click.argument("name")
@common
def schedule_run(options: Options, *, name: str) -> None:
    """Do at once what the schedule NAME does, and count it as its run.

    Nothing waits for a veto then, nor for quiet hours, the network or the battery.
    """
    found = ask(options, "schedule-run", {"name": name})
    if options.json:
        emit(found)
    else:
        tell_run(found)
    check_reached(found)


@schedule.command("pause")
@_NAME
@common
def schedule_pause(options: Options, *, name: str) -> None:
    """Let a schedule run no more, or all of them, until you resume it.

    Notes that ask for research, and what you ask for here, are researched all the same.
    """
    with opened(options) as app:
        app.schedules.pause(name, now())
        found = standings(app)
    _tell_of(options, found, f"{name or 'all schedules'}: paused")


@schedule.command("resume")
@_NAME
@common
def schedule_resume(options: Options, *, name: str) -> None:
    """Let a paused schedule run again, or all of them.

    What was missed meanwhile is made up for by one run, at once.
    """
    with opened(options) as app:
        app.schedules.resume(name)
        found = standings(app)
    _tell_of(options, found, f"{name or 'all schedules'}: resumed")


def _tell_of(options: Options, found: list[Standing], line: str) -> None:
    if options.json:
        emit([standing_json(each) for each in found])
    else:
        say(line)


def standings(app: App) -> list[Standing]:
    """Return how each schedule stands at this moment, where the machine is."""
    return app.schedules.standings(now(), local_zone(), app.conditions.look())


def standing_json(each: Standing) -> dict[str, Any]:
    """How a schedule stands, for programs."""
    return {
        "name": each.plan.name,
        "when": rule_in_words(each.plan.schedule),
        "next_at": each.next_at.isoformat(),
        "last_at": each.last_at.isoformat() if each.last_at else None,
        "due": each.is_due,
        "paused_at": each.paused_at.isoformat() if each.paused_at else None,
        "waits": each.wait.why if each.wait else "",
        "waits_until": each.wait.until.isoformat() if each.wait and each.wait.until else None,
        "fault": each.plan.fault,
    }


def lines_of(each: Standing, at: datetime, zone: tzinfo) -> Iterator[str]:
    """Tell how a schedule stands: when it runs next first."""
    if each.paused_at is not None:
        yield f"paused since {moment(each.paused_at)}"
    elif each.wait is not None:
        yield f"due now, waits: {each.wait.why}"
    elif each.is_due:
        yield "due now"
    else:
        yield in_words(each.next_at, at, zone)
    yield f"{rule_in_words(each.plan.schedule)}; {_last(each)}"
    if each.plan.fault and each.wait is None:
        yield f"cannot run: {each.plan.fault}"


def _last(each: Standing) -> str:
    return f"last ran {moment(each.last_at)}" if each.last_at else "has not run yet"


def in_words(moment_at: datetime, at: datetime, zone: tzinfo) -> str:
    """Say when something is and how far off: `Sunday 09:00, in 2 days`."""
    there, here = moment_at.astimezone(zone), at.astimezone(zone)
    days = (there.date() - here.date()).days
    if days == 0:
        return f"today {there:%H:%M}, in {_short(moment_at - at)}"
    if days == 1:
        return f"tomorrow {there:%H:%M}, in {_short(moment_at - at)}"
    date = "" if days < 7 else f" {there:%Y-%m-%d}"
    return f"{_DAYS[there.weekday()]}{date} {there:%H:%M}, in {counted(days, 'day')}"


def _short(left: timedelta) -> str:
    minutes = max(1, round(left.total_seconds() / 60))
    return counted(minutes, "minute") if minutes < 90 else counted(round(minutes / 60), "hour")


def rule_in_words(schedule: Schedule) -> str:
    """Say by what rule a schedule runs."""
    match schedule:
        case Weekly(day, at, jitter):
            return f"every {_DAYS[day]} at {at:%H:%M}{_later(jitter.most)}"
        case Daily(at, until, jitter):
            by = f", done by {until:%H:%M}" if until else ""
            return f"every day at {at:%H:%M}{_later(jitter.most)}{by}"
        case Cron(expression):
            return f"cron {expression}"
        case Every(interval):
            return f"every {_short(interval)}"


def _later(most: timedelta) -> str:
    minutes = int(most.total_seconds() // 60)
    return f" or up to {counted(minutes, 'minute')} later" if minutes else ""
