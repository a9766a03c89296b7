"""Notices to the user outside the vault: numbers, and names only if enabled."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from daemon.model.agenda import Agenda, Choice
from daemon.model.evidence import Answer, SourceStatus
from daemon.model.finding import FindingRecord, Skip
from daemon.model.notice import Notice, NoticeKind
from daemon.store.outbox import OutboxStore

_SHOWN = 5  # titles or topics
_FORGIVEN = timedelta(seconds=90)  # that a part may fail: it is retried after a minute
_IN_TROUBLE = (SourceStatus.DEGRADED, SourceStatus.UNAVAILABLE)


@dataclass(frozen=True, slots=True)
class Notices:
    """Puts notices into the outbox: of the enabled `kinds`, for each enabled channel.

    `with_text` allows titles, topics and reasons, which may quote notes.
    """

    outbox: OutboxStore
    channels: Collection[str]
    kinds: Collection[NoticeKind] = field(default_factory=frozenset)
    with_text: bool = False

    def digest(
        self,
        run: str,
        now: datetime,
        *,
        findings: Iterable[FindingRecord],
        skips: Iterable[Skip],
        answers: Iterable[Answer],
        is_cut_short: bool,
    ) -> None:
        """Notify that a run has ended, once for each run."""
        found = list(findings)
        counts = {
            "findings": len(found),
            "left_out": len(list(skips)),
            "sources_in_trouble": len({a.source for a in answers if a.status in _IN_TROUBLE}),
            "stopped_early": int(is_cut_short),
        }
        lines = [f"{_count(counts['left_out'], 'document')} left out."]
        if counts["sources_in_trouble"]:
            many = _count(counts["sources_in_trouble"], "source")
            lines.append(f"{many} did not answer in full.")
        if is_cut_short:
            lines.append("It ended before everything was gathered.")
        title = f"Lacuna: {_count(len(found), 'finding')} to review" if found else _NOTHING
        names = [record.title for record in found]
        self._add(NoticeKind.DIGEST, run, now, title, self._text(lines, names), counts)

    def agenda(self, agenda: Agenda, now: datetime) -> None:
        """Notify that an agenda waits for approval."""
        wanted = [task for task in agenda.tasks if task.choice is Choice.WANTED]
        counts = {"tasks": len(wanted)}
        lines = [f"{_count(len(wanted), 'task')} in the inbox. Approve it there, or leave it."]
        names = list(dict.fromkeys(task.topic for task in wanted))
        title = "Lacuna: an agenda waits for you"
        self._add(NoticeKind.AGENDA, agenda.id, now, title, self._text(lines, names), counts)

    def error(self, part: str, line: str, now: datetime) -> None:
        """Notify what keeps the daemon from working; at most once an hour for each part.

        Sent only if the next attempt also fails.
        """
        lines = ["It retries automatically. `lacuna status` shows the reason."]
        id_ = f"{_word(part)}-{now:%Y%m%d%H}"
        title = "Lacuna: something went wrong"
        text = self._text(lines, [line])
        self._add(NoticeKind.ERROR, id_, now, title, text, {}, due_at=now + _FORGIVEN)

    def well_again(self, part: str) -> None:
        """Cancel an unsent notice: it is no longer true."""
        self.outbox.withdraw(f"{NoticeKind.ERROR}-{_word(part)}-")

    def budget(self, name: str, line: str, now: datetime) -> None:
        """Notify that the budget named `name` is used up; once for each budget and day."""
        lines = ["What was gathered by then is in the inbox. `lacuna costs` shows details."]
        title = "Lacuna: a budget is used up"
        id_ = f"{name}-{now:%Y%m%d}"
        self._add(NoticeKind.BUDGET, id_, now, title, self._text(lines, [line]), {})

    def _text(self, lines: list[str], names: list[str]) -> str:
        told = names[:_SHOWN] if self.with_text else []
        if self.with_text and len(names) > _SHOWN:
            told.append(f"and {len(names) - _SHOWN} more")
        return "\n".join([*lines, *(_plain(name) for name in told)])

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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _plain(text: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())[:300]
