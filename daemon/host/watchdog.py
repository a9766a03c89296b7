"""Heartbeats for systemd's watchdog, sent only from the loop itself."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from daemon.host.sd_notify import notify


@dataclass(slots=True)
class Watchdog:
    """Called at each step of the loop's own thread, it notifies systemd twice in each `seconds`.

    It has no thread of its own: a stuck loop must not send heartbeats. None if `seconds` is 0.
    """

    seconds: float
    notify: Callable[[str], None] = notify
    clock: Callable[[], float] = time.monotonic
    _owner: int = field(default_factory=threading.get_ident)
    _notified_at: float = float("-inf")

    def step(self) -> None:
        """Report progress; harmless from any thread, but counts only from its own."""
        if not self.seconds or threading.get_ident() != self._owner:
            return
        now = self.clock()
        if now - self._notified_at >= self.seconds / 2:
            self._notified_at = now
            self.notify("WATCHDOG=1")


def watchdog_seconds(environ: Mapping[str, str] = os.environ) -> float:
    """Return how often systemd expects a heartbeat, or 0 if it does not: sd_watchdog_enabled(3)."""
    microseconds, pid = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    if not microseconds.isdecimal() or pid not in ("", str(os.getpid())):
        return 0.0
    return int(microseconds) / 1_000_000
