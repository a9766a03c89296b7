"""Heartbeats: to systemd, to `lacuna status`, and to the log."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from daemon.confinement.confine import Confinement
from daemon.host.due import Due
from daemon.host.processes import Held, memory_held
from daemon.host.reload import Reload
from daemon.host.sd_notify import notify
from daemon.host.watchdog import Watchdog
from daemon.model.errors import StoreError
from daemon.store.heartbeat import Heartbeat, beat, last_beat
from vault_adapters.watch import Watcher

BEAT = timedelta(minutes=1)  # how often the heartbeat is written, and the watcher checked


@dataclass(slots=True)
class Heartbeats:
    """Reports what the daemon is doing, and that it is alive."""

    state: Path
    due: Due
    now: Callable[[], datetime]
    watchdog: Watchdog
    on_pulse: Callable[[], None] = lambda: None  # called during long work; raises StoreError
    doing: str = "starting"

    def report(self, doing: str) -> None:
        """Set the current activity."""
        self.doing = doing
        notify(f"STATUS={doing}")

    def pulse(self) -> None:
        """Report that long work makes progress, to systemd and to `lacuna status`."""
        self.watchdog.step()
        now = self.now()
        if now < self.due.pulse_at:
            return
        self.due.pulse_at = now + BEAT
        last = last_beat(self.state) or Heartbeat(now, watching=True, polling="", doing="")
        with suppress(StoreError):
            beat(self.state, replace(last, beat_at=now, doing=self.doing))
            self.on_pulse()

    def write(self, watcher: Watcher, confinement: Confinement, reload: Reload | None) -> None:
        """Write the heartbeat for `lacuna status`. Raises StoreError."""
        held = memory_held() or Held(0, 0, 0)
        sign = Heartbeat(
            self.now(),
            watcher.alive,
            watcher.polling,
            self.doing,
            unconfined=confinement.why_not,
            not_reloaded=reload.trouble if reload else "",
            reloaded_at=reload.reloaded_at if reload else None,
            memory=held.own,
            children=held.children_count,
            children_memory=held.children,
        )
        beat(self.state, sign)
