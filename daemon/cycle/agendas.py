"""Agendas that have not run: the user's changes, and decisions about them."""

import logging
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

from daemon.agenda.agenda_note import (
    clean_query,
    read_agenda,
    rewrite,
    with_choices,
    with_query,
)
from daemon.cycle.knowledge import Knowledge
from daemon.cycle.machines import Machines
from daemon.cycle.retries import as_new
from daemon.inbox.inbox import Inbox
from daemon.model.agenda import Agenda, AgendaStatus, Choice, Task
from daemon.model.errors import LacunaError, NotFoundError
from daemon.store.agendas import AgendaStore
from vault_adapters.base import NoteError, VaultAdapter
from vault_adapters.inert import inert_line
from vault_adapters.wikilink import note_name

_log = logging.getLogger(__name__)

# The process that decides is the one writer: an agenda that is running at that time was
# interrupted.
_NOT_STARTED = (AgendaStatus.PROPOSED, AgendaStatus.APPROVED, AgendaStatus.WAITING)
_MAY_BECOME = {
    AgendaStatus.APPROVED: (*_NOT_STARTED, AgendaStatus.FAILED),
    AgendaStatus.CANCELLED: (*_NOT_STARTED, AgendaStatus.RUNNING),
}
_NO_CHOICES: Mapping[str, Choice] = {}
_REF_MIN = 5  # characters of an id, of which `a-` is two, that may abbreviate it


class Agendas:
    """Reads agendas, decides about them, and stores their outcome."""

    def __init__(
        self,
        knowledge: Knowledge,
        agendas: AgendaStore,
        inbox: Inbox,
        adapter: VaultAdapter,
        machines: Machines | None = None,
    ) -> None:
        """`machines` are the others that share the vault."""
        self.knowledge = knowledge
        self._agendas = agendas
        self._inbox = inbox
        self._adapter = adapter
        self._machines = machines

    def read(self, now: datetime) -> None:
        """Apply the user's changes to the agendas that have not run yet.

        One whose note is gone is cancelled when it is due: until then a sync may still be restoring
        it.
        """
        present = self.knowledge.own_paths()
        for agenda in self._agendas.open():
            if agenda.path is None:
                continue
            agenda = replace(agenda, path=present.get(agenda.id, agenda.path))  # noqa: PLW2901
            text = self._inbox.files.read(agenda.path or "")
            if text is None and agenda.id in present:  # it was moved out: there it is only read
                text = self._text_outside(present[agenda.id])
            if text is None and not self._agendas.is_written(agenda.id):
                continue  # it is not gone, it never existed
            is_due = agenda.status is AgendaStatus.APPROVED or (
                agenda.runs_at is not None and agenda.runs_at <= now
            )
            if text is None and not is_due:
                continue
            read = _with_tasks_left(read_agenda(text, agenda))
            if read != self._agendas.get(agenda.id):
                self.keep(read, now)

    def yield_to_others(self, now: datetime) -> None:
        """Cancel agendas for what another machine researches. Not while one of them runs here."""
        for agenda in self._agendas.open():
            other = self._machines.yields(agenda) if self._machines is not None else ""
            if other:
                cancelled = replace(agenda, status=AgendaStatus.CANCELLED)
                self.mark(cancelled, outcome=f"{inert_line(other)} researches this.")
                _log.info("%s: cancelled: %s researches this", agenda.path or agenda.id, other)

    def decide(
        self, ref: str, status: AgendaStatus, now: datetime, *, blocked: Collection[str] = ()
    ) -> Agenda:
        """Approve or cancel an agenda by (the beginning of) its id.

        Tasks whose ids are in `blocked` are not researched. Raises LacunaError, also if one of them
        is unknown or no task would be left.
        """
        agenda = self.find(ref)
        if agenda.status not in _MAY_BECOME[status]:
            raise LacunaError(f"agenda {agenda.id} is {agenda.status}; it cannot become {status}")
        decided = _without(replace(as_new(agenda), status=status), blocked)
        self.keep(decided, now, dict.fromkeys(blocked, Choice.VETOED))
        return decided

    def change(
        self, ref: str, task: str, now: datetime, *, choice: Choice | None, query: str
    ) -> Agenda:
        """Store a choice for a task of an agenda that has not started, or another query.

        Raises LacunaError. An agenda without a wanted task is cancelled.
        """
        agenda = self.find(ref)
        if agenda.status not in _NOT_STARTED:
            raise LacunaError(f"agenda {agenda.id} is {agenda.status}; its tasks do not change")
        (old,) = _tasks_of(agenda, [task])
        new = replace(old, choice=choice or old.choice, query=clean_query(query) or old.query)
        tasks = tuple(new if each is old else each for each in agenda.tasks)
        changed = _with_tasks_left(replace(agenda, tasks=tasks))
        choices = {new.id: new.choice} if choice is not None else {}
        self.keep(changed, now, choices, new if new.query != old.query else None)
        return changed

    def find(self, ref: str) -> Agenda:
        """Return one agenda by (the beginning of) its id, path or name. Raises LacunaError."""
        found = [agenda for agenda in self._agendas.all() if _matches(agenda, ref)]
        if len(found) != 1:
            kind = LacunaError if found else NotFoundError
            problem = f"{len(found)} agendas match" if found else "no such agenda"
            raise kind(f"{ref}: {problem}; `lacuna agenda` shows them")
        return found[0]

    def due(self, now: datetime) -> list[Agenda]:
        """Return what is to run now: first what was interrupted, then what is due."""
        return [*self._agendas.running(), *self._agendas.due(now)]

    def mark(
        self,
        agenda: Agenda,
        *,
        digest: str = "",
        outcome: str = "",
        choices: Mapping[str, Choice] = _NO_CHOICES,
        asking: Task | None = None,
    ) -> Agenda:
        """Store an agenda's new status, also in its note, with the outcome or its place.

        `choices` are new ones for tasks, by their ids; `asking` is a task with a new query.
        """
        link = self.knowledge.linker()(digest) if digest else ""
        edit = partial(rewrite, agenda=agenda, tz=self._inbox.tz, digest=link, outcome=outcome)

        def edited(text: str) -> str:
            chosen = with_choices(edit(text), choices)
            return chosen if asking is None else with_query(chosen, asking)

        self._inbox.update_agenda(agenda, edited)
        return agenda

    def keep(
        self,
        agenda: Agenda,
        now: datetime,
        choices: Mapping[str, Choice] = _NO_CHOICES,
        asking: Task | None = None,
    ) -> None:
        """Store a decision, also in its note; a topic that was banned becomes permanent."""
        never = [task.topic for task in agenda.tasks if task.choice is Choice.NEVER]
        self._agendas.never_instead(never, at=now, by=agenda.id)
        self.mark(agenda, choices=choices, asking=asking)
        _log.info("%s: %s", agenda.path or agenda.id, agenda.status)

    def _text_outside(self, path: str) -> str | None:
        try:
            return self._adapter.load(path).decode("utf-8", errors="replace")
        except NoteError:
            return None


def _without(agenda: Agenda, blocked: Collection[str]) -> Agenda:
    """Return an agenda without some of its tasks, by their ids. Raises LacunaError."""
    _tasks_of(agenda, blocked)
    tasks = tuple(
        replace(task, choice=Choice.VETOED) if task.id in blocked else task for task in agenda.tasks
    )
    if blocked and not any(task.choice is Choice.WANTED for task in tasks):
        raise LacunaError(f"agenda {agenda.id} has no other task: cancel it instead")
    return replace(agenda, tasks=tasks)


def _tasks_of(agenda: Agenda, ids: Collection[str]) -> list[Task]:
    """Return tasks by their ids. Raises LacunaError if one is unknown."""
    if unknown := set(ids) - {task.id for task in agenda.tasks}:
        raise NotFoundError(f"agenda {agenda.id} has no task {min(unknown)}")
    return [task for task in agenda.tasks if task.id in ids]


def _matches(agenda: Agenda, ref: str) -> bool:
    path = agenda.path or ""
    if ref and ref in (agenda.id, path, path.rpartition("/")[2], note_name(path)):
        return True
    begun = ref if ref.startswith("a-") else f"a-{ref}"
    return len(begun) >= _REF_MIN and agenda.id.startswith(begun)


def _with_tasks_left(agenda: Agenda) -> Agenda:
    """Cancel an agenda of which every task was vetoed."""
    if agenda.status is AgendaStatus.RUNNING or any(
        task.choice is Choice.WANTED for task in agenda.tasks
    ):
        return agenda
    return replace(agenda, status=AgendaStatus.CANCELLED)
