"""Signs of life for systemd's watchdog, given only where the loop itself gets on."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from daemon.host.sd_notify import notify


@dataclass(slots=True)
class Watchdog:
    """Told of each step of the loop's own thread, it tells systemd twice in each `seconds`.

    No thread of its own does it: a loop that is stuck gives no sign. None where `seconds` is 0.
    """

    seconds: float
    tell: Callable[[str], None] = notify
    clock: Callable[[], float] = time.monotonic
    _owner: int = field(default_factory=threading.get_ident)
    _told_at: float = float("-inf")

    def step(self) -> None:
        """Say that the loop gets on; harmless from any thread, and counts from its own only."""
        if not self.seconds or threading.get_ident() != self._owner:
            return
        now = self.clock()
        if now - self._told_at >= self.seconds / 2:
            self._told_at = now
            self.tell("WATCHDOG=1")


def watchdog_seconds(environ: Mapping[str, str] = os.environ) -> float:
    """Return how often systemd wants to be told, or 0 where it does not: sd_watchdog_enabled(3)."""
    microseconds, pid = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    if not microseconds.isdecimal() or pid not in ("", str(os.getpid())):
        return 0.0
    return int(microseconds) / 1_000_000
