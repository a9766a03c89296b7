"""Progress of long work, as a function that is called now and then."""

from collections.abc import Callable

Progress = Callable[[int, int, str], None]  # done, total, last item


def no_progress(_done: int, _total: int, _what: str) -> None:
    """Ignore progress."""
