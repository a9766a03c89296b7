"""Handling signals for a while."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def signals(on_signal: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle SIGTERM and SIGINT for a while."""
    kept = {number: signal.signal(number, on_signal) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, before in kept.items():
            signal.signal(number, before)
