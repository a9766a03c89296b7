"""Announce in the event stream what hooks and notices inform the user of.

The guide documents what hooks get; the forms here are of format 1. Errors in reporting are logged,
and never affect the work.
"""

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from daemon.model.agenda import Agenda, AgendaStatus
from daemon.model.errors import StoreError
from daemon.model.event import Announcement
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.hook_event import HookEvent
from daemon.research import hook_bodies
from daemon.store.troubles import TroubleStore

_log = logging.getLogger(__name__)

RECOVERED = "recovered"  # cancels the notice of an error
_DECIDED = {
    FindingStatus.ACCEPTED: HookEvent.FINDING_ACCEPTED,
    FindingStatus.DISMISSED: HookEvent.FINDING_DISMISSED,
    FindingStatus.PENDING: HookEvent.FINDING_REOPENED,
}


class Stream(Protocol):
    """Takes announcements; see `EventLog`."""

    def announce(self, event: Announcement, key: str | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class Announcements:
    """Writes announcements into the event stream; without one it does nothing.

    Inside a transaction, an announcement is committed with the change that it announces.
    """

    stream: Stream | None = None
    troubles: TroubleStore | None = None

    def run_finished(self, body: Mapping[str, Any], agenda: Agenda, now: datetime) -> None:
        """Announce that a run has ended, once; `body` has the form of `research --json`."""
        run = {**body, "trigger": agenda.trigger, "note": agenda.note}
        self._write(HookEvent.RESEARCH_COMPLETE, {"run": run}, now, run["run"], run=run["run"])

    def proposed(self, agenda: Agenda, now: datetime) -> None:
        """Announce a new agenda."""
        if agenda.status is not AgendaStatus.CANCELLED:
            self._write(HookEvent.AGENDA_PROPOSED, {"agenda": _agenda(agenda)}, now, agenda.id)

    def decided(self, record: FindingRecord, now: datetime) -> None:
        """Announce the decision on a finding."""
        self._write(_DECIDED[record.status], {"finding": _finding(record)}, now)

    def saved_search(self, path: str, search: Mapping[str, Any], now: datetime) -> None:
        """Announce a search that was saved in a note."""
        self._write(HookEvent.SEARCH_SAVE, {"path": path, "search": search}, now)

    def took_in(self, result: Mapping[str, Any], now: datetime) -> None:
        """Announce a literature note; `result` is that of its input."""
        self._write(HookEvent.POST_INGEST, {"result": result}, now)

    def ingested(self, report: Mapping[str, Any], now: datetime) -> None:
        """Announce that an ingest has ended; `report` has the form of `ingest --json`."""
        self._write(HookEvent.INGEST_COMPLETE, {"ingest": report}, now)

    def budget(self, name: str, line: str, now: datetime) -> None:
        """Announce that the budget named `name` is used up, once a day."""
        key = f"{name} {now:%Y%m%d}"
        self._write(HookEvent.BUDGET_REACHED, {"budget": name, "line": line}, now, key)

    def trouble(self, part: str, line: str, now: datetime, *, is_new: bool = True) -> None:
        """Announce what keeps a part of the work from being done, if it is new.

        `is_new` is the caller's knowledge of that; it is used if it cannot be looked up.
        """
        if self._is_new(part, line, now, otherwise=is_new):
            self._write(HookEvent.ERROR, {"part": part, "line": line}, now)

    def failed_hook(self, hook: str, why: str, now: datetime) -> None:
        """Record that a hook failed; no hook is notified: a broken one would be notified of
        itself.
        """
        self._is_new(f"hook {hook}", why, now)

    def begin(self, now: datetime) -> None:
        """Mark earlier errors as over: a new process detects those that persist."""
        if self.troubles is not None:
            try:
                self.troubles.all_over(now)
            except StoreError as error:
                _log.warning("could not report an event: %s", error)

    def recovered(self, part: str, now: datetime) -> None:
        """Announce that a part of the work has recovered."""
        try:
            if self.troubles is not None:
                self.troubles.over(part, now)
        except StoreError as error:
            _log.warning("could not report an event: %s", error)
        self._write(RECOVERED, {"part": part}, now)

    def _is_new(self, part: str, line: str, now: datetime, *, otherwise: bool = True) -> bool:
        if self.troubles is None:
            return otherwise
        try:
            return self.troubles.add(part, line, now)
        except StoreError as error:  # as when the disk is full: it is logged
            _log.debug("not kept: %s", error)
            return otherwise

    def _write(
        self,
        event: str,
        body: Mapping[str, Any],
        now: datetime,
        key: str = "",
        run: str | None = None,
    ) -> None:
        """Write an announcement; with a `key`, only the first one of its kind."""
        if self.stream is None:
            return
        announcement = Announcement(
            at=now, pid=os.getpid(), run=run, event=str(event), body=dict(body)
        )
        try:
            self.stream.announce(announcement, f"{event} {key}" if key else None)
        except StoreError as error:
            _log.warning("could not report an event: %s", error)


def _agenda(agenda: Agenda) -> dict[str, Any]:
    return {
        "id": agenda.id,
        "path": agenda.path,
        "status": agenda.status.value,
        "trigger": agenda.trigger,
        "note": agenda.note,
        "depth": agenda.depth.value,
        "runs_at": agenda.runs_at.isoformat() if agenda.runs_at else None,
        "tasks": [{**hook_bodies.task(task), "choice": task.choice.value} for task in agenda.tasks],
    }


def _finding(record: FindingRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "run": record.run,
        "path": record.path,
        "status": record.status.value,
        "title": record.title,
        "source": record.source,
        "topic": record.topic,
        "credibility": record.credibility,
        "feedback": record.feedback,
    }
