"""Schedules in the run loop: which are due, and what they wait for.

The engine reports that the time has come; whether that is true is decided by the store, which knows
what has run. Waiting schedules are checked once a minute, and their conditions only then.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo

from daemon.cycle.schedules import Schedules
from daemon.model.agenda import Agenda
from daemon.ports import Conditions
from scheduler.conditions import Network, Surroundings, Wait
from scheduler.engine import Engine

_log = logging.getLogger(__name__)
_CHECK_INTERVAL = timedelta(minutes=1)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class Jobs:
    """Tracks which schedules are due. Used on the run loop's thread alone."""

    schedules: Schedules
    conditions: Conditions
    now: Callable[[], datetime]
    zone: Callable[[], tzinfo]
    _waiting: set[str] = field(default_factory=set)
    _logged: dict[str, str] = field(default_factory=dict)  # why each waits, as last logged
    _checked_at: datetime = _LONG_AGO
    _read_at: datetime = _LONG_AGO
    _surroundings: Surroundings = field(default_factory=Surroundings)
    _busy_since: datetime | None = None
    _zone: tzinfo = UTC

    def engine(self, on_due: Callable[[str], None]) -> Engine:
        """Return the engine that calls `on_due` on its own thread; it reports missed
        schedules at once.
        """
        engine = Engine(on_due, now=self.now, zone=self.zone)
        for job, last_run_at in self.schedules.jobs(self.now(), self.zone()):
            engine.add(job, last_run_at=last_run_at)
        return engine

    def take(self, name: str) -> None:
        """Record that a schedule is due."""
        self._waiting.add(name)
        self._checked_at = _LONG_AGO

    @property
    def has_waiting(self) -> bool:
        """Whether a schedule is due and waits."""
        return bool(self._waiting)

    @property
    def next_check_at(self) -> datetime:
        """When the schedules that wait are checked next."""
        return self._checked_at + _CHECK_INTERVAL

    def ready(self) -> list[str]:
        """Return the schedules that are due and wait for nothing, by the time they were due at."""
        now = self.now()
        if not self._waiting or self._checked_at <= now < self._checked_at + _CHECK_INTERVAL:
            return []
        zone = self.zone()
        meant = {name: self.schedules.missed_time(name, now, zone) for name in self._waiting}
        self._waiting = {name for name, moment in meant.items() if moment is not None}
        ready = [name for name in self._waiting if not self._waits(name, now, zone)]
        if not ready:
            self._checked_at = now
        return sorted(ready, key=lambda name: (meant[name] or now, name))

    def network(self) -> Network:
        """Return the state of the network."""
        return self._read_conditions(self.now()).network

    def may_run(self, agenda: Agenda) -> bool:
        """Return whether a due agenda waits for nothing."""
        now = self.now()
        surroundings = self._read_conditions(now)
        wait = self.schedules.wait_of(agenda, now, self._zone, surroundings)
        self._log_wait(f"{agenda.path or agenda.id}", wait)
        return wait is None

    def may_compute(self, what: str) -> bool:
        """Return whether long work on this machine may run: no need to wait for a charger, or for
        other work.
        """
        now = self.now()
        surroundings = self._read_conditions(now)
        since = (self._busy_since or now) if surroundings.is_busy else None
        self._busy_since = since
        wait = self.schedules.wait_to_compute(surroundings, now - (since or now))
        self._log_wait(what, wait)
        return wait is None

    def _waits(self, name: str, now: datetime, zone: tzinfo) -> bool:
        wait = self.schedules.wait(name, now, zone, self._read_conditions(now))
        self._log_wait(f"the schedule {name}", wait)
        return wait is not None

    def _log_wait(self, what: str, wait: Wait | None) -> None:
        """Log once why something waits, and when it continues."""
        before = self._logged.pop(what, None)
        if wait is not None:
            self._logged[what] = wait.why
            if wait.why != before:
                _log.info("%s waits: %s", what, wait.why)
        elif before is not None:
            _log.info("%s no longer waits", what)

    def _read_conditions(self, now: datetime) -> Surroundings:
        if not self._read_at <= now < self._read_at + _CHECK_INTERVAL:  # a clock may be set back
            self._surroundings, self._zone = self.conditions.read(), self.zone()
            self._read_at = now
        return self._surroundings
