"""When the run loop wakes although nothing has happened."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from daemon.app import App
from daemon.confinement.confine import Confinement
from daemon.host.drop_folder import DropFolder
from daemon.host.due import Due
from daemon.host.isolation import Isolation
from daemon.host.jobs import Jobs
from daemon.host.publishing import Publishing
from daemon.host.reload import Reload
from daemon.host.watchdog import Watchdog
from daemon.model.errors import LacunaError
from daemon.ports import Stop

_TICK_SECONDS = 1.0  # how soon a due agenda is noticed
_MAX_SLEEP_SECONDS = 60.0  # when nothing is planned: commands, edits and schedules wake the loop


@dataclass(slots=True)
class NextWake:
    """Computes how long the loop may sleep, from what is due and what waits."""

    app: App
    now: Callable[[], datetime]
    stop: Stop
    due: Due
    jobs: Jobs
    isolation: Isolation
    confinement: Confinement
    watchdog: Watchdog
    reload: Reload | None
    drop_folder: DropFolder
    publishing: Publishing

    def seconds(self) -> float:
        """Return how long to sleep at most: a second while something waits to be done."""
        return self._until_due() if self._is_idle() else _TICK_SECONDS

    def _until_due(self) -> float:
        """Return the seconds until something is due: at most a minute, however the clock is set."""
        due = self.due
        moments = [due.beat_at, due.review_at, due.reconcile_at, due.settle_at, due.machines_at]
        moments.append(self.publishing.next_at)
        if self.reload is not None:
            moments.append(due.tool_at)
        if self.app.index.library is not None:
            moments.append(due.library_at)
        if self.app.settings.ingest.folder is not None or self.drop_folder.is_settling:
            moments.append(due.drop_at)
        if (notice_at := self.app.notifying.delivery.next_at(self.now())) is not None:
            moments.append(notice_at)
        moments += self._planned_at()
        seconds = (min(moments) - self.now()).total_seconds()
        most = min(_MAX_SLEEP_SECONDS, self.watchdog.seconds / 4 or _MAX_SLEEP_SECONDS)
        return min(max(seconds, _TICK_SECONDS), most)

    def _is_idle(self) -> bool:
        """Return whether nothing is planned, waits or is to be tried again."""
        due = self.due
        is_busy = due.sync or due.review or due.embed or due.resume or due.requests
        is_waiting = self.isolation.has_failures or self.confinement.is_waiting
        return not (is_busy or is_waiting or self.stop.is_requested or self._has_planned())

    def _has_planned(self) -> bool:
        """Whether an agenda is to run now."""
        try:
            return any(map(self.jobs.may_run, self.app.research.agendas.due(self.now())))
        except LacunaError:
            return True

    def _planned_at(self) -> list[datetime]:
        """Return when agendas are due that are not, and when what waits is checked next."""
        now = self.now()
        try:
            begins = [each.runs_at for each in self.app.stores.agendas.open()]
        except LacunaError:
            return [now]
        checks = [self.jobs.next_check_at] if self.jobs.has_waiting else []
        return [*checks, *(each for each in begins if each is not None and each > now)]
