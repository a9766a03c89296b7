"""How many requests each program and each browser may send: a sliding window of a minute.

Who sends is known by the token or the session, never by what a header claims.
"""

import math
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

PER_MINUTE = 1200


class RequestRate:
    """Counts the requests of each sender."""

    def __init__(self, per_minute: int = PER_MINUTE) -> None:
        self._limit = RateLimitItemPerMinute(per_minute)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def wait(self, sender: str) -> int:
        """Count a request; return 0, or the seconds until the next one if it is one too many."""
        if self._limiter.hit(self._limit, sender):
            return 0
        reset = self._limiter.get_window_stats(self._limit, sender).reset_time
        return max(math.ceil(reset - time.time()), 1)
