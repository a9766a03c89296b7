"""Runs in which the user chooses what is read: sources first, then a choice, then the rest."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime

from daemon.agenda.depth_limits import estimate_line
from daemon.cycle.runs import Runs, until_stopped
from daemon.model.agenda import Agenda, AgendaStatus
from daemon.model.errors import NotFoundError
from daemon.model.run import RunStatus
from daemon.ports import Stop
from daemon.research.discovered import Discovered
from daemon.research.hook_filters import chosen_of, keep_choice
from daemon.research.offered import active_tasks
from daemon.research.pipeline import discover as ask_sources
from daemon.research.pipeline import discovered_before
from daemon.store.reporter import SILENT, Reporter


class Choosing:
    """Runs whose documents the user chooses."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def discover(
        self,
        agenda: Agenda,
        *,
        now: datetime,
        stop: Stop,
        report: Reporter = SILENT,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> tuple[str, list[Discovered]]:
        """Ask the sources of an agenda, and return its run with what they offer; nothing is read.

        The agenda counts as cancelled until the user chose. Raises what `Runs.run` raises.
        """
        agenda = self._runs.agendas.mark(replace(agenda, status=AgendaStatus.RUNNING))
        folder = self._runs.store.begin(agenda, now)
        report = report.of_run(folder.id)
        try:
            with (
                self._runs.spending.ledger.running(folder.id, agenda.caps),
                report.step("research", agenda.trigger, tuple(estimate_line(agenda))),
            ):
                parts = self._runs.parts(agenda, folder)
                work = ask_sources(agenda, parts, folder, now=now, stop=stop, report=report)
                found = asyncio.run(until_stopped(work, stop, meanwhile))
        finally:
            self._runs.store.end(folder.id, RunStatus.STOPPED, now)
            self._runs.agendas.mark(replace(agenda, status=AgendaStatus.CANCELLED))
        report.done("run")
        return folder.id, found

    def discovered(self, run: str) -> list[Discovered]:
        """Return what the sources of a run offered; nothing is asked. Raises LacunaError."""
        folder = self._runs.store.folder(run)
        if not folder.has_begun:
            raise NotFoundError(f"{run}: there is no such run")
        return discovered_before(self._runs.parts(folder.agenda, folder), folder)

    def choose(self, run: str, refs: Collection[str] | None) -> Agenda:
        """Keep which of the documents that sources offered are to be read; None for all.

        Return the agenda, to be run now. Raises LacunaError for a run that left no choice.
        """
        folder = self._runs.store.folder(run)
        if not folder.has_begun:
            raise NotFoundError(f"{run}: there is no such run")
        tasks = [
            task for task in active_tasks(folder.agenda) if chosen_of(task.id, folder) is not None
        ]
        for task in tasks:
            keep_choice(task.id, folder, refs)
        return self._runs.agendas.find(folder.agenda.id)
