"""Trying again what could not reach its sources: soon at first, then daily, for a week.

All of it is in the store, so that a process that is killed goes on where it was.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from daemon.model.agenda import NIGHTLY, Agenda, AgendaStatus
from daemon.store.agendas import AgendaStore
from daemon.store.meta import NetworkState
from scheduler.conditions import Network

KEPT = timedelta(days=7)  # after the first try, within which it is tried again
MOST_TRIES = 20  # with a network that comes and goes, there are more than the delays allow
_DELAYS = (timedelta(minutes=15), timedelta(hours=1), timedelta(hours=4))
_LATER = timedelta(days=1)
_AWAY = (Network.ABSENT, Network.PORTAL)


def after_trouble(agenda: Agenda, why: str, now: datetime) -> Agenda:
    """Return an agenda that reached nothing, with the time of its next try, or given up.

    One that nobody could see in the inbox was asked for by somebody who waits: it is not tried
    again. Nor is one of a night, whose questions stay in the queue.
    """
    tries, first = agenda.tries + 1, agenda.first_tried_at or now
    delay = _DELAYS[tries - 1] if tries <= len(_DELAYS) else _LATER
    is_over = tries >= MOST_TRIES or now + delay > first + KEPT
    tried = replace(agenda, tries=tries, first_tried_at=first, trouble=why)
    if is_over or not agenda.path or agenda.schedule == NIGHTLY:
        return replace(tried, status=AgendaStatus.FAILED)
    return replace(tried, status=AgendaStatus.WAITING, runs_at=now + delay)


def as_new(agenda: Agenda) -> Agenda:
    """Return an agenda as one that was not tried yet."""
    return replace(agenda, tries=0, first_tried_at=None, trouble="")


class Retries:
    """What waits to be tried again, and the network that it may wait for."""

    def __init__(self, agendas: AgendaStore, network: NetworkState) -> None:
        self._agendas = agendas
        self._network = network

    def are_due_for_a_look(self) -> bool:
        """Whether anything waits for which the state of the network matters."""
        return bool(self._agendas.waiting())

    def mind(self, network: Network, now: datetime) -> list[Agenda]:
        """Make due at once what waits, when the network is back; return what that is."""
        is_away, was_away = network in _AWAY, self._network.was_away()
        if is_away == was_away:
            return []
        woken = [] if is_away else [replace(each, runs_at=now) for each in self._agendas.waiting()]
        with self._network.transaction():
            self._network.save_away(is_away=is_away)
            for agenda in woken:
                self._agendas.save(agenda)
        return woken
