"""Retry agendas that could not reach their sources: soon at first, then daily, for a week.

All of it is in the store, so that a killed process resumes where it was.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from daemon.model.agenda import NIGHTLY, Agenda, AgendaStatus
from daemon.store.agendas import AgendaStore
from daemon.store.meta import NetworkState
from scheduler.conditions import Network

RETRY_DAYS = timedelta(days=7)  # after the first attempt, during which it is retried
MAX_TRIES = 20  # with an unstable network, there are more than the delays allow
_DELAYS = (timedelta(minutes=15), timedelta(hours=1), timedelta(hours=4))
_LATER = timedelta(days=1)
_AWAY = (Network.ABSENT, Network.PORTAL)


def after_trouble(agenda: Agenda, why: str, now: datetime) -> Agenda:
    """Return an agenda that reached nothing, with the time of its next attempt, or given up.

    One without a note in the inbox was requested by a waiting user: it is not retried. Nor is one
    of a night, whose questions stay in the queue.
    """
    tries, first = agenda.tries + 1, agenda.first_tried_at or now
    delay = _DELAYS[tries - 1] if tries <= len(_DELAYS) else _LATER
    is_over = tries >= MAX_TRIES or now + delay > first + RETRY_DAYS
    tried = replace(agenda, tries=tries, first_tried_at=first, trouble=why)
    if is_over or not agenda.path or agenda.schedule == NIGHTLY:
        return replace(tried, status=AgendaStatus.FAILED)
    return replace(tried, status=AgendaStatus.WAITING, runs_at=now + delay)


def as_new(agenda: Agenda) -> Agenda:
    """Return an agenda as one that was not tried yet."""
    return replace(agenda, tries=0, first_tried_at=None, trouble="")


class Retries:
    """Agendas to retry, and the network that they may wait for."""

    def __init__(self, agendas: AgendaStore, network: NetworkState) -> None:
        self._agendas = agendas
        self._network = network

    def must_check_network(self) -> bool:
        """Return whether anything depends on the state of the network."""
        return bool(self._agendas.waiting())

    def update(self, network: Network, now: datetime) -> list[Agenda]:
        """Make waiting agendas due at once when the network is back; return them."""
        is_away, was_away = network in _AWAY, self._network.was_away()
        if is_away == was_away:
            return []
        woken = [] if is_away else [replace(each, runs_at=now) for each in self._agendas.waiting()]
        with self._network.transaction():
            self._network.save_away(is_away=is_away)
            for agenda in woken:
                self._agendas.save(agenda)
        return woken
