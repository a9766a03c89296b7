"""Cron expressions of five fields: the only module that knows cronsim.

They are followed on the clock on the wall, without a zone: what a zone makes of a time that is
skipped, or comes twice, is for the policy to say, the same for every kind of schedule.
"""

from collections.abc import Iterator
from datetime import datetime

from cronsim import CronSim, CronSimError

_FIELDS = ("minute", "hour", "day of the month", "month", "day of the week")
_SOME_DAY = datetime(2024, 1, 1)  # noqa: DTZ001 a time on the wall has no zone


def check(expression: str) -> str:
    """Return the expression with single spaces. Raises ValueError in words for a user."""
    fields = expression.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"must have five fields ({', '.join(_FIELDS)}), not {len(fields)}")
    tidy = " ".join(fields)
    try:
        if next(after(tidy, _SOME_DAY), None) is None:
            raise ValueError(f"{tidy!r} names a day that never comes")
    except CronSimError as error:
        wrong = str(error).removeprefix("Bad ").replace("day-of-", "day of the ")
        raise ValueError(f"{tidy!r} is wrong at the {wrong}") from None
    return tidy


def after(expression: str, wall: datetime) -> Iterator[datetime]:
    """Give the minutes that fit, later than `wall`, which has no zone, as they come."""
    yield from CronSim(expression.upper(), wall)


def before(expression: str, wall: datetime) -> Iterator[datetime]:
    """Give the minutes that fit, earlier than `wall`, the latest first."""
    yield from CronSim(expression.upper(), wall, reverse=True)
