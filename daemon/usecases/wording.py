"""Format numbers and times for sentences."""

from datetime import datetime

_MINUTE = 60.0  # seconds


def counted(number: int, one: str, many: str = "") -> str:
    """Return `1 finding`, `2 findings`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def moment(at: datetime) -> str:
    """Return a time as `Sat 2026-11-21 09:30`, in local time."""
    return f"{at.astimezone():%a %Y-%m-%d %H:%M}"


def time_left(seconds: float | None) -> str:
    """Return an estimate to append to a count, as `, about 3 min left`; "" without one."""
    if seconds is None:
        return ""
    if seconds < _MINUTE:
        return ", less than 1 min left"
    return f", about {round(seconds / _MINUTE)} min left"
