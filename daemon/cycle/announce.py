"""Report events to the user's hooks, and to the user's notification channels.

The guide documents what hooks get; the forms here are of format 1. Errors in reporting are logged,
and never affect the work.
"""

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from daemon.cycle.notices import Notices
from daemon.model.agenda import Agenda, AgendaStatus
from daemon.model.errors import StoreError
from daemon.model.evidence import Answer
from daemon.model.finding import FindingRecord, FindingStatus, Skip
from daemon.model.hook_event import HookEvent
from daemon.ports import Hooks
from daemon.store.troubles import TroubleStore

_log = logging.getLogger(__name__)

_DECIDED = {
    FindingStatus.ACCEPTED: HookEvent.FINDING_ACCEPTED,
    FindingStatus.DISMISSED: HookEvent.FINDING_DISMISSED,
    FindingStatus.PENDING: HookEvent.FINDING_REOPENED,
}


@dataclass(frozen=True, slots=True)
class Announcements:
    """Reports events to all listeners; without any it does nothing."""

    hooks: Hooks | None = None
    notices: Notices | None = None
    troubles: TroubleStore | None = None

    def ran(
        self,
        body: Mapping[str, Any],
        agenda: Agenda,
        now: datetime,
        *,
        findings: Collection[FindingRecord],
        skips: Collection[Skip],
        answers: Collection[Answer],
    ) -> None:
        """Report that a run has ended; `body` has the form of `research --json`."""
        told = {"run": {**body, "trigger": agenda.trigger, "note": agenda.note}}
        self._tell(HookEvent.RESEARCH_COMPLETE, told)
        notices = self.notices
        if notices is not None:
            _in_peace(
                lambda: notices.digest(
                    body["run"],
                    now,
                    findings=findings,
                    skips=skips,
                    answers=answers,
                    is_cut_short=bool(body["stopped_early"]),
                )
            )

    def proposed(self, agenda: Agenda, now: datetime) -> None:
        """Report a new agenda, and notify the user of one that needs approval."""
        if agenda.status is AgendaStatus.CANCELLED:
            return
        self._tell(HookEvent.AGENDA_PROPOSED, {"agenda": _agenda(agenda)})
        notices, waits = self.notices, agenda.runs_at is None
        if notices is not None and waits and agenda.status is AgendaStatus.PROPOSED:
            _in_peace(lambda: notices.agenda(agenda, now))

    def decided(self, record: FindingRecord) -> None:
        """Report the decision on a finding."""
        self._tell(_DECIDED[record.status], {"finding": _finding(record)})

    def budget(self, name: str, line: str, now: datetime) -> None:
        """Report that the budget named `name` is used up."""
        self._tell(HookEvent.BUDGET_REACHED, {"budget": name, "line": line})
        notices = self.notices
        if notices is not None:
            _in_peace(lambda: notices.budget(name, line, now))

    def trouble(self, part: str, line: str, now: datetime, *, is_news: bool = True) -> None:
        """Report what keeps a part of the work from being done, if it is new.

        `is_news` is the caller's knowledge of that; it is used if it cannot be looked up.
        """
        if self._is_news(part, line, now, otherwise=is_news):
            self._tell(HookEvent.ERROR, {"part": part, "line": line})
            notices = self.notices
            if notices is not None:
                _in_peace(lambda: notices.error(part, line, now))

    def failed_hook(self, hook: str, why: str, now: datetime) -> None:
        """Record that a hook failed; no hook is notified: a broken one would be notified of
        itself.
        """
        self._is_news(f"hook {hook}", why, now)

    def begin(self, now: datetime) -> None:
        """A new process finds out itself what is still wrong."""
        troubles = self.troubles
        if troubles is not None:
            _in_peace(lambda: troubles.all_over(now))

    def well_again(self, part: str, now: datetime) -> None:
        """Report that a part of the work has recovered."""
        troubles, notices = self.troubles, self.notices
        if troubles is not None:
            _in_peace(lambda: troubles.over(part, now))
        if notices is not None:
            _in_peace(lambda: notices.well_again(part))

    def _is_news(self, part: str, line: str, now: datetime, *, otherwise: bool = True) -> bool:
        if self.troubles is None:
            return otherwise
        try:
            return self.troubles.add(part, line, now)
        except StoreError as error:  # as when the disk is full: it is logged
            _log.debug("not kept: %s", error)
            return otherwise

    def _tell(self, event: HookEvent, body: Mapping[str, Any]) -> None:
        if self.hooks is not None:
            self.hooks.tell(event, body)


def _in_peace(tell: Callable[[], None]) -> None:
    """Errors in reporting must not undo the reported work."""
    try:
        tell()
    except StoreError as error:
        _log.warning("could not report an event: %s", error)


def _agenda(agenda: Agenda) -> dict[str, Any]:
    from daemon.research import hook_bodies  # noqa: PLC0415 research is for who researches

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
