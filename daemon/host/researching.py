"""Research when it is due: proposals of schedules, and due agendas."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import partial

from daemon.app import App
from daemon.host.due import NEVER, Due
from daemon.host.heartbeats import Heartbeats
from daemon.host.isolation import Isolation
from daemon.host.jobs import Jobs
from daemon.model.agenda import Agenda
from daemon.ports import Stop
from scheduler.conditions import Network

_log = logging.getLogger(__name__)
_RETRY = timedelta(minutes=1)  # after which the results of a night are checked again
_NETWORK_INTERVAL = timedelta(minutes=1)  # how often, while something waits for it
_MACHINES_INTERVAL = timedelta(minutes=1)  # how often the notes of other machines are read


@dataclass(slots=True)
class Researching:
    """Proposes for due schedules, and runs one agenda after the other."""

    app: App
    now: Callable[[], datetime]
    zone: Callable[[], tzinfo]
    stop: Stop
    due: Due
    jobs: Jobs
    isolation: Isolation
    heartbeats: Heartbeats
    meanwhile: Callable[[], None]  # called while a run waits for the network
    _deadlines: datetime | None = None  # when the current run must end

    def propose_scheduled(self) -> None:
        """Do the work of one schedule; the next one gets its turn after that.

        Gaps are only known once the notes are embedded: do not call this before.
        """
        for name in self.jobs.ready():
            if self.isolation.may_try(f"schedule {name}"):
                self.isolation.run(f"schedule {name}", partial(self._propose_for, name))
                return

    def run_due(self) -> None:
        """Run one due agenda; decisions on the others during the run take effect."""
        if not any(map(self.jobs.may_run, self.app.research.agendas.due(self.now()))):
            return
        # A veto of this minute counts, and so does an agenda of another machine.
        self.isolation.run("agendas", partial(self.app.research.agendas.read, self.now()))
        self.isolation.run(
            "machines", partial(self.app.research.agendas.yield_to_others, self.now())
        )
        for agenda in self.app.research.agendas.due(self.now()):
            if self.isolation.may_try(f"run {agenda.id}") and self.jobs.may_run(agenda):
                self.isolation.run(f"run {agenda.id}", partial(self._run, agenda))
                return

    def settle(self) -> None:
        """Update the queue note with the night's results, and write its briefing."""
        now = self.now()
        is_done = self.app.scheduling.schedules.settle(now)
        self.due.settle_at = NEVER if is_done else now + _RETRY

    def check_network(self) -> None:
        """Retry what could not reach its sources as soon as the network is back."""
        if self.now() < self.due.network_at or not self.app.scheduling.retries.must_check_network():
            return
        self.due.network_at = self.now() + _NETWORK_INTERVAL
        for agenda in self.app.scheduling.retries.update(self.jobs.network(), self.now()):
            _log.info("%s: the network is back", agenda.path or agenda.id)

    def check_deadline(self) -> None:
        """End a run at its deadline, with its results so far."""
        if self._deadlines is not None and self.now() >= self._deadlines:
            self.stop.enough = True
            self.stop.why = f"its deadline was {self._deadlines.astimezone(self.zone()):%H:%M}"

    def check_machines(self, *, is_running: bool = False) -> None:
        """Find out which machine leads, write a heartbeat, and give way if another one
        researches.
        """
        if self.now() < self.due.machines_at:
            return
        self.due.machines_at = self.now() + _MACHINES_INTERVAL
        self.app.review.machines.check(
            self.now(), is_online=lambda: self.jobs.network() is not Network.ABSENT
        )
        if not is_running:
            self.app.research.agendas.yield_to_others(self.now())

    def _propose_for(self, name: str) -> None:
        schedules, now, zone = self.app.scheduling.schedules, self.now(), self.zone()
        if (command := schedules.find(name).command) is not None:
            meant_for_at = schedules.missed_time(name, now, zone) or now
            # The key: after a kill before the run is counted, it is not queued a second time.
            key = f"{name} {meant_for_at.isoformat()}"
            self.app.stores.requests.ask(*command, now=now, key=key)
            schedules.record_run(name, now, zone)
            self.due.requests = True
            return
        with self.app.report.step("planning", f"what {name} researches") as stages:
            agenda = self.app.scheduling.schedules.run(
                name, self.now(), self.zone(), progress=stages, stop=self.stop
            )
        _log.info("%s: %s", name, agenda.path if agenda else "nothing to propose")

    def _run(self, agenda: Agenda) -> None:
        self.heartbeats.report(f"researching {agenda.trigger}")
        self._deadlines = agenda.deadline_at
        self.check_deadline()
        try:
            ran = self.app.research.runs.run(
                agenda,
                now=self.now(),
                stop=self.stop,
                report=self.app.report,
                meanwhile=self.meanwhile,
            )
        finally:
            self._deadlines, self.stop.enough, self.stop.why = None, False, ""
            self.due.settle_at = self.now()
        extra = {"run": ran.run, "findings": len(ran.findings), "left_out": len(ran.skips)}
        if not ran.unreached:
            _log.info("researched %s: %d findings", agenda.path, len(ran.findings), extra=extra)
        self.due.sync = True  # its notes are seen; and one more note may get its turn
        self.heartbeats.report("watching")
