"""Notes that request research: an agenda for each new request, in order."""

import logging
from dataclasses import replace
from datetime import datetime
from functools import partial

from daemon.cycle.agendas import Agendas
from daemon.cycle.machines import Machines
from daemon.cycle.proposals import Proposals
from daemon.cycle.research_requests import ResearchRequests
from daemon.cycle.waiting import Queue, places
from daemon.model.agenda import REQUESTED, Agenda, AgendaStatus
from daemon.model.notes import NoteRow
from daemon.model.research_options import ResearchOptions
from daemon.ports import Stop
from daemon.store.agendas import OPEN, AgendaStore

_log = logging.getLogger(__name__)


class TaggedNotes:
    """Compares the notes' requests with the plans, and proposes what is new."""

    def __init__(
        self,
        requests: ResearchRequests,
        proposals: Proposals,
        agendas: Agendas,
        store: AgendaStore,
        machines: Machines | None = None,
    ) -> None:
        """`machines` are the others that share the vault."""
        self._requests = requests
        self._proposals = proposals
        self._agendas = agendas
        self._store = store
        self._machines = machines
        self._later: tuple[str, ...] = ()  # the waiting notes, as last logged

    def propose(
        self, now: datetime, options: ResearchOptions, stop: Stop | None = None
    ) -> list[Agenda]:
        """Propose for every note with a new request, and remember its current one.

        That one has fired is stored together with its agenda: an interruption makes it fire neither
        twice nor never. A moved and edited note was not tagged again. A former request is cancelled
        unless its agenda was approved or has begun. At most so many agendas wait at once; further
        notes follow when these end. Raises StoppedError.
        """
        self._requests.begin()
        asked = self._requests.snapshot()
        for path in (*asked.withdrawn, *asked.fired):
            self._withdraw(path, now)
        free, machines = self._free(), self._machines
        if machines is not None:
            asked = asked.without(lambda path, request: machines.is_taken(path, request, now))
            free = 0 if machines.standby(now) else free
        agendas, later = [], asked.fired
        while later and free > 0:
            path, *rest = later
            agenda = self._for_request(asked.rows[path], asked.current[path], now, options, stop)
            agendas.append(agenda)
            free -= agenda.status in OPEN
            later = tuple(rest)
        if later and later != self._later:
            leader = machines.standby(now) if machines is not None else ""
            why = leader or f"{self._requests.most} wait already"
            _log.info("%s more request research: %s", len(later), why)
        self._later = later
        self._requests.save(asked, later)
        return agendas

    def queue(self, now: datetime) -> Queue:
        """Return the agendas that are going to run, in order, and the notes that are not in
        the queue yet.
        """
        asked = self._requests.snapshot().fired
        is_full = self._free() <= 0
        waiting = places(self._store.open(), now, self._proposals.knowledge.titles())
        return Queue(waiting, asked, self._requests.most, is_full)

    def _free(self) -> int:
        """Return how many more notes may have a place in the queue."""
        return self._requests.most - sum(map(_is_of_tagged, self._store.open()))

    def _withdraw(self, note: str, now: datetime) -> None:
        """Cancel a note's former request if nobody approved it and it has not begun."""
        for agenda in self._store.open():
            is_ahead = agenda.status in (AgendaStatus.PROPOSED, AgendaStatus.WAITING)
            if agenda.note == note and is_ahead and _is_of_tagged(agenda):
                self._agendas.keep(replace(agenda, status=AgendaStatus.CANCELLED), now)

    def _for_request(
        self,
        row: NoteRow,
        request: str,
        now: datetime,
        options: ResearchOptions,
        stop: Stop | None,
    ) -> Agenda:
        trigger = f"{REQUESTED[0]}{row.title}"
        fired = partial(self._requests.fired, row.path, request)
        options = replace(options, claims=(row.path, request))
        return self._proposals.for_row(
            row, now, options, trigger=trigger, also=lambda _: fired(), stop=stop
        )


def _is_of_tagged(agenda: Agenda) -> bool:
    return agenda.trigger.startswith(REQUESTED)
