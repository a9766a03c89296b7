"""How many questions a client of the daemon may ask: a sliding window for each client."""

import math
import time
from functools import cached_property
from typing import TYPE_CHECKING

from daemon.model.errors import LacunaError
from daemon.model.late import LateModule

if TYPE_CHECKING:
    import limits
else:
    limits = LateModule("limits")  # most daemons are asked nothing


class TooManyError(LacunaError):
    """A client has asked too many questions within a minute."""


class RateLimits:
    """Counts the questions of each client; `per_minute` 0 means no limit."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute

    @cached_property
    def _limiter(self) -> "limits.strategies.MovingWindowRateLimiter":
        return limits.strategies.MovingWindowRateLimiter(limits.storage.MemoryStorage())

    def hit(self, client: str) -> None:
        """Count a question. Raises TooManyError if it is one too many; that one does not count."""
        if not self._per_minute:
            return
        limit = limits.RateLimitItemPerMinute(self._per_minute)
        if self._limiter.hit(limit, client):
            return
        reset = self._limiter.get_window_stats(limit, client).reset_time
        seconds = max(math.ceil(reset - time.time()), 1)
        raise TooManyError(
            f"more than {self._per_minute} questions within a minute: try again in {seconds} s, "
            "or change asking.per_minute"
        )
