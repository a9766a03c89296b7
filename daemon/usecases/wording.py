"""Numbers and times as sentences for people say them."""

from datetime import datetime


def counted(number: int, one: str, many: str = "") -> str:
    """Return `1 finding`, `2 findings`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def moment(at: datetime) -> str:
    """Return a time as `Sat 2026-11-21 09:30`, in local time."""
    return f"{at.astimezone():%a %Y-%m-%d %H:%M}"
