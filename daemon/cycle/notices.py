"""Notices to the user outside the vault: numbers, and names only if enabled."""

import logging
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from daemon.cycle.announce import RECOVERED
from daemon.model.agenda import AgendaStatus, Choice
from daemon.model.errors import StoreError
from daemon.model.event import Announcement, BaseEvent
from daemon.model.evidence import SourceStatus
from daemon.model.hook_event import HookEvent
from daemon.model.notice import Notice, NoticeKind
from daemon.model.wording import counted
from daemon.store.announcements import AnnouncementStore, TakenError
from daemon.store.outbox import OutboxStore

_log = logging.getLogger(__name__)
_NAME = "notices"  # its position in the stream
_SHOWN = 5  # titles or topics
_TROUBLE_DELAY = timedelta(seconds=90)  # that a part may fail: it is retried after a minute
_IN_TROUBLE = (SourceStatus.DEGRADED, SourceStatus.UNAVAILABLE)


@dataclass(frozen=True, slots=True)
class Notices:
    """A reader of the event stream that puts notices into the outbox, in one transaction each.

    Of the enabled `kinds`, for each enabled channel. `with_text` allows titles, topics and reasons,
    which may quote notes.
    """

    store: AnnouncementStore
    outbox: OutboxStore
    channels: Collection[str]
    kinds: Collection[NoticeKind] = field(default_factory=frozenset)
    with_text: bool = False

    def read(self, event: BaseEvent) -> None:
        """Continue reading, if this is an announcement; never raises."""
        if isinstance(event, Announcement):
            self.catch_up()

    def catch_up(self) -> None:
        """Put notices of what is new in the stream into the outbox; never raises."""
        try:
            while (unread := self.store.next(_NAME)) is not None:
                with suppress(TakenError), self.store.claim(_NAME, unread, is_whole=True):
                    if unread.event is not None:
                        self._take(unread.event)
        except StoreError as error:
            _log.warning("could not add a notice: %s", error)

    def _take(self, event: Announcement) -> None:
        body, now = event.body, event.at
        match event.event:
            case HookEvent.RESEARCH_COMPLETE:
                self._digest(body["run"], now)
            case HookEvent.AGENDA_PROPOSED:
                self._agenda(body["agenda"], now)
            case HookEvent.ERROR:
                self._error(body["part"], body["line"], now)
            case HookEvent.BUDGET_REACHED:
                self._budget(body["budget"], body["line"], now)
            case _ if event.event == RECOVERED:
                self.outbox.withdraw(f"{NoticeKind.ERROR}-{_word(body['part'])}-")

    def _digest(self, run: Mapping[str, Any], now: datetime) -> None:
        """Notify that a run has ended, once for each run."""
        found = run["findings"]
        counts = {
            "findings": len(found),
            "left_out": len(run["skipped"]),
            "sources_in_trouble": sum(each["status"] in _IN_TROUBLE for each in run["sources"]),
            "stopped_early": int(run["stopped_early"]),
        }
        lines = [f"{counted(counts['left_out'], 'document')} skipped."]
        if counts["sources_in_trouble"]:
            many = counted(counts["sources_in_trouble"], "source")
            lines.append(f"{many} did not answer in full.")
        if run["stopped_early"]:
            lines.append("The run stopped early.")
        title = f"Lacuna: {counted(len(found), 'finding')} to review" if found else _NOTHING
        names = [each["title"] for each in found]
        self._add(NoticeKind.DIGEST, run["run"], now, title, self._text(lines, names), counts)

    def _agenda(self, agenda: Mapping[str, Any], now: datetime) -> None:
        """Notify that an agenda waits for approval, if it does."""
        if agenda["runs_at"] is not None or agenda["status"] != AgendaStatus.PROPOSED:
            return
        wanted = [task for task in agenda["tasks"] if task["choice"] == Choice.WANTED]
        counts = {"tasks": len(wanted)}
        lines = [f"{counted(len(wanted), 'task')} in the inbox. Approve or ignore it there."]
        names = list(dict.fromkeys(task["topic"] for task in wanted))
        title = "Lacuna: an agenda waits for you"
        self._add(NoticeKind.AGENDA, agenda["id"], now, title, self._text(lines, names), counts)

    def _error(self, part: str, line: str, now: datetime) -> None:
        """Notify what keeps the daemon from working; at most once an hour for each part.

        Sent only if the next attempt also fails.
        """
        lines = ["It retries automatically. `lacuna status` shows the reason."]
        id_ = f"{_word(part)}-{now:%Y%m%d%H}"
        title = "Lacuna: something went wrong"
        text = self._text(lines, [line])
        self._add(NoticeKind.ERROR, id_, now, title, text, {}, due_at=now + _TROUBLE_DELAY)

    def _budget(self, name: str, line: str, now: datetime) -> None:
        """Notify that the budget named `name` is used up; once for each budget and day."""
        lines = ["What was gathered by then is in the inbox. `lacuna costs` shows details."]
        title = "Lacuna: a budget is used up"
        id_ = f"{name}-{now:%Y%m%d}"
        self._add(NoticeKind.BUDGET, id_, now, title, self._text(lines, [line]), {})

    def _text(self, lines: list[str], names: list[str]) -> str:
        shown = names[:_SHOWN] if self.with_text else []
        if self.with_text and len(names) > _SHOWN:
            shown.append(f"and {len(names) - _SHOWN} more")
        return "\n".join([*lines, *(_plain(name) for name in shown)])

    def _add(
        self,
        kind: NoticeKind,
        id: str,
        now: datetime,
        title: str,
        text: str,
        counts: dict[str, int],
        due_at: datetime | None = None,
    ) -> None:
        if kind in self.kinds and self.channels:
            notice = Notice(f"{kind}-{id}", kind, now, title, text, counts)
            self.outbox.add(notice, self.channels, due_at=due_at or now)


_NOTHING = "Lacuna: nothing new was found"


def _word(part: str) -> str:
    """Name a part of the work by its first word: `run a-12ab` is `run`."""
    return part.partition(" ")[0]


def _plain(text: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())[:300]
