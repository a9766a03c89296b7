"""How often each of many senders may do something: a moving window of a minute."""

import math
import time
from collections import deque
from collections.abc import Callable

_WINDOW = 60.0  # seconds
_SENDERS = 10_000  # at most; then those with nothing in the window are forgotten


class MovingWindow:
    """Counts what each sender does; what is refused does not count. For one thread, or a lock."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = per_minute, clock
        self._times: dict[str, deque[float]] = {}

    @property
    def senders(self) -> int:
        """How many senders are known."""
        return len(self._times)

    def wait(self, sender: str) -> int:
        """Count once; return 0, or the seconds until the sender may try again."""
        now = self._clock()
        times = self._times.setdefault(sender, deque())
        _forget(times, now)
        if len(times) >= self._most:
            return max(math.ceil(times[0] + _WINDOW - now), 1)
        times.append(now)
        if len(self._times) > _SENDERS:
            self._tidy(now)
        return 0

    def _tidy(self, now: float) -> None:
        for times in self._times.values():
            _forget(times, now)
        self._times = {sender: times for sender, times in self._times.items() if times}


def _forget(times: deque[float], now: float) -> None:
    while times and times[0] <= now - _WINDOW:
        times.popleft()
