"""Handle signals for a while."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@contextmanager
def signals(on_signal: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle SIGTERM, SIGINT and SIGHUP for a while."""
    kept = {number: signal.signal(number, on_signal) for number in _HANDLED}
    try:
        yield
    finally:
        for number, before in kept.items():
            signal.signal(number, before)


def has_terminal() -> bool:
    """Return whether the process has a terminal, which sends SIGHUP when it is closed."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
