"""How many questions a client of the daemon may ask: a sliding window for each client."""

import math
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from daemon.model.errors import LacunaError


class TooManyError(LacunaError):
    """A client has asked too many questions within a minute."""


class RateLimits:
    """Counts the questions of each client; `per_minute` 0 means no limit."""

    def __init__(self, per_minute: int) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._limit = RateLimitItemPerMinute(per_minute) if per_minute else None

    def hit(self, client: str) -> None:
        """Count a question. Raises TooManyError if it is one too many; that one does not count."""
        if self._limit is None or self._limiter.hit(self._limit, client):
            return
        reset = self._limiter.get_window_stats(self._limit, client).reset_time
        seconds = max(math.ceil(reset - time.time()), 1)
        raise TooManyError(
            f"more than {self._limit.amount} questions within a minute: try again in {seconds} s, "
            "or change asking.per_minute"
        )
