"""Cron expressions of five fields: the only module that imports cronsim.

They are evaluated in local time without a zone: the policy handles local times that do not exist or
occur twice, in the same way for every kind of schedule.
"""

from collections.abc import Iterator
from datetime import datetime

from cronsim import CronSim, CronSimError

_FIELDS = ("minute", "hour", "day of the month", "month", "day of the week")
_SOME_DAY = datetime(2024, 1, 1)  # noqa: DTZ001 a time on the wall has no zone


def check(expression: str) -> str:
    """Return the expression with single spaces. Raises ValueError with a message for the user."""
    fields = expression.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"must have five fields ({', '.join(_FIELDS)}), not {len(fields)}")
    tidy = " ".join(fields)
    try:
        if next(after(tidy, _SOME_DAY), None) is None:
            raise ValueError(f"{tidy!r} never matches a date")
    except CronSimError as error:
        wrong = str(error).removeprefix("Bad ").replace("day-of-", "day of the ")
        raise ValueError(f"{tidy!r} is wrong at the {wrong}") from None
    return tidy


def after(expression: str, wall: datetime) -> Iterator[datetime]:
    """Yield the matching minutes later than `wall`, a local time without a zone, in order."""
    yield from CronSim(expression.upper(), wall)


def before(expression: str, wall: datetime) -> Iterator[datetime]:
    """Yield the matching minutes earlier than `wall`, latest first."""
    yield from CronSim(expression.upper(), wall, reverse=True)
