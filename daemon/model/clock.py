"""The clock of everything that is not given a time."""

from datetime import UTC, datetime


def now() -> datetime:
    """The one place where the clock is read."""
    return datetime.now(UTC)
