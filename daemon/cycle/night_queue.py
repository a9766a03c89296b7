"""The night's queue: from the queue note to an agenda, and from its run to a ticked note.

The note is the user's; only a tick and an answer are written on processed lines, when the note is
not being edited, and otherwise again later.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from daemon.cycle.late_research import research
from daemon.cycle.proposals import Also, Proposals
from daemon.findings.briefing import Briefing, Outcome, briefing_text
from daemon.findings.literature_note import FOLDER as LITERATURE
from daemon.findings.queue_note import QUEUE, QueueEntry, entries_in, queue_text, ticked
from daemon.inbox.inbox import Inbox
from daemon.model.agenda import Agenda, Choice, Gap, GapKind, GapShape, Task
from daemon.model.errors import ReplayError
from daemon.model.evidence import NO_NETWORK, STOPPED, Answer, SourceStatus
from daemon.model.finding import FindingRecord
from daemon.model.research_options import ResearchOptions
from daemon.model.run import RunRow
from daemon.model.wording import counted
from daemon.store.agendas import AgendaStore
from daemon.store.evidence import RunFolder
from daemon.store.findings import FindingStore
from daemon.store.own_notes import OwnNoteStore
from daemon.store.runs import RunStore
from vault_adapters.inert import inert_line

_NAME = "Queue"
_VETOED = "you said no in the agenda"
_NOT_NOW = (STOPPED, NO_NETWORK, "no such host")  # why a page is asked for again


TakeIn = Callable[[Sequence[str], datetime], object]
"""Queues the command that takes these documents in."""


@dataclass(frozen=True, slots=True)
class QueueStores:
    """The storage and services that the queue needs."""

    agendas: AgendaStore
    findings: FindingStore
    runs: RunStore
    notes: OwnNoteStore


class NightQueue:
    """Manages the queue note and the briefings. `most` questions are researched in a night."""

    def __init__(
        self,
        proposals: Proposals,
        inbox: Inbox,
        stores: QueueStores,
        *,
        schedule: str,
        most: int,
        until: str,
        tz: tzinfo,
        take_in: TakeIn,
    ) -> None:
        self._proposals = proposals
        self._knowledge = proposals.knowledge
        self._inbox = inbox
        self._stores = stores
        self._schedule = schedule
        self._most = most
        self._until = until
        self._tz = tz
        self._take_in = take_in

    def make_note(self, now: datetime) -> str:
        """Return the path of the queue note, which is created if necessary."""
        path, files = self._path(), self._inbox.files
        if path is not None and (path in self._present() or files.read(path) is not None):
            return path
        text = queue_text(now, most=self._most, until=self._until, tz=self._tz)
        return self._inbox.write_own(QUEUE, _NAME, text, taken=self._knowledge.paths())

    def propose(self, options: ResearchOptions, now: datetime, *, also: Also) -> Agenda | None:
        """Make an agenda of the first questions in the note; None if there are none."""
        path = self.make_note(now)
        entries = entries_in(self._inbox.files.read(path) or "")
        self._queue_inputs(path, [each for each in entries if each.is_input], now)
        gaps = self._gaps(entries)
        return self._proposals.for_gaps(gaps, now, options, trigger="nightly queue", also=also)

    def planned(self, options: ResearchOptions, now: datetime) -> Agenda | None:
        """Return that agenda without storing anything."""
        path = self._path()
        entries = entries_in((self._inbox.files.read(path) if path else None) or "")
        return self._proposals.planned(self._gaps(entries), now, options, trigger="nightly queue")

    def _gaps(self, entries: Sequence[QueueEntry]) -> list[Gap]:
        asked = [each for each in entries if not each.is_input][: self._most]
        return [_gap(each) for each in asked]

    def _queue_inputs(self, path: str, entries: Sequence[QueueEntry], now: datetime) -> None:
        """Have documents taken in by the command, after their lines are ticked.

        If the note is being edited, they wait for the next night.
        """
        answers = {each.key: f"{LITERATURE}/" for each in entries}
        if entries and self._inbox.files.edit(path, lambda was: ticked(was, answers)):
            self._take_in([each.text for each in entries], now)

    def settle(self, now: datetime) -> bool:
        """Tick what was researched, and write the briefing of each night that has ended.

        False if the note is being edited: retry later.
        """
        return all(self._settle(agenda, now) for agenda in self._unsettled())

    def _unsettled(self) -> list[Agenda]:
        ended_agenda = self._stores.agendas.last_ended_of(self._schedule)
        return [
            each for each in ended_agenda if self._stores.notes.path(_briefing_id(each)) is None
        ]

    def _settle(self, agenda: Agenda, now: datetime) -> bool:
        run = next((row for row in self._stores.runs.all(100) if row.agenda == agenda.id), None)
        records = self._stores.findings.of_run(run.id) if run is not None else []
        outcomes = _outcomes(agenda, self._folder(run), records)
        if run is not None and (why := run.summary.get("unreached")):
            outcomes = [_retained(each, str(why)) for each in outcomes]
        path, link = self._path() or "", self._knowledge.linker()
        text = self._inbox.files.read(path) if path else None
        if text is not None:
            answers = {
                each.asked.key: ", ".join(link(record.path) for record in each.findings)
                or f"{_summary(each)} ({now.astimezone(self._tz):%Y-%m-%d})"
                for each in outcomes
                if not each.is_kept
            }
            if not self._inbox.files.edit(path, lambda was: ticked(was, answers)):
                return False
        done = {each.asked.key for each in outcomes}
        every = entries_in(text or "")
        waiting = [each for each in every if each.key not in done and not each.is_input]
        briefing = Briefing(
            id=_briefing_id(agenda),
            created_at=now,
            outcomes=outcomes,
            queue=path,
            digest=run.digest_path if run is not None else "",
            ended=str(run.summary.get("stopped_why") or "") if run is not None else "",
            waiting=len(waiting),
        )
        written = briefing_text(briefing, link=link, tz=self._tz)
        name = f"Briefing {now.astimezone(self._tz):%Y-%m-%d}"
        self._inbox.write_own(briefing.id, name, written, taken=self._knowledge.paths())
        return True

    def _folder(self, run: RunRow | None) -> RunFolder | None:
        try:
            return self._stores.runs.folder(run.id) if run is not None else None
        except ReplayError:
            return None

    def _path(self) -> str | None:
        """Return where the note is: the user may have moved it."""
        return self._knowledge.own_paths().get(QUEUE) or self._stores.notes.path(QUEUE)

    def _present(self) -> set[str]:
        return set(self._knowledge.own_paths().values())


def _summary(outcome: Outcome) -> str:
    """Return why a question had no result; for a page, what was wrong with it."""
    return inert_line(outcome.why) if outcome.asked.is_page else "nothing new"


def _briefing_id(agenda: Agenda) -> str:
    return f"briefing-{agenda.id}"


def _gap(asked: QueueEntry) -> Gap:
    return Gap(
        kind=GapKind.GAP,
        shape=GapShape.PAGE if asked.is_page else GapShape.ASKED,
        topic=asked.text,
        notes=(),
        why="you put it in your queue",
        score=1.0,
        parts={"asked": 1.0},
    )


def _outcomes(
    agenda: Agenda, folder: RunFolder | None, records: Sequence[FindingRecord]
) -> list[Outcome]:
    """Return the result of each question."""
    answers: dict[str, list[Answer]] = {}
    for task_id, answer in folder.answers() if folder is not None else ():
        answers.setdefault(task_id, []).append(answer)
    return [
        _outcome(task, folder, answers, [each for each in records if each.topic == task.topic])
        for task in agenda.tasks
    ]


def _retained(outcome: Outcome, why: str) -> Outcome:
    """Leave an unanswered question in the queue if no source could be queried; a vetoed one is
    removed.
    """
    if outcome.is_kept or outcome.why == _VETOED:
        return outcome
    return Outcome(outcome.asked, (), why, is_kept=True)


def _outcome(
    task: Task,
    folder: RunFolder | None,
    answers: Mapping[str, Sequence[Answer]],
    records: Sequence[FindingRecord],
) -> Outcome:
    asked = QueueEntry(task.topic, is_page=task.is_page)
    if records:
        return Outcome(asked, records)
    if task.choice is not Choice.WANTED:
        return Outcome(asked, (), _VETOED)
    if folder is None:
        return Outcome(asked, (), "not started", is_kept=True)
    if asked.is_page:
        why = _why_no_page(task, folder)
        return Outcome(asked, (), why, is_kept=any(each in why for each in _NOT_NOW))
    task_answers = answers.get(task.id, ())
    reached = [each for each in task_answers if each.status is not SourceStatus.UNAVAILABLE]
    if not reached:
        why = next((each.why for each in task_answers if each.why), "no source was asked")
        return Outcome(asked, (), f"no source could be asked: {why}", is_kept=True)
    hits = sum(len(each.hits) for each in reached)
    why = f"{counted(hits, 'result')}, none new and relevant" if hits else "no results"
    return Outcome(asked, (), why)


def _why_no_page(task: Task, folder: RunFolder) -> str:
    found = research.offered(task, folder)
    outcome = folder.outcome(found[0].ref) if found else None
    if outcome is None:
        return "offered before" if found else STOPPED
    return outcome.why or "read, but nothing in it is new to your notes"
