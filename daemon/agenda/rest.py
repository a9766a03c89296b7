"""How long a topic is left to rest after something was done with it."""

from datetime import datetime, timedelta

from daemon.model.agenda import AgendaStatus
from daemon.model.finding import FindingStatus
from daemon.store.agendas import AgendaStore
from daemon.store.findings import FindingStore

FINDING_DAYS = {
    FindingStatus.PENDING: 30,  # there is something to read about it already
    FindingStatus.ACCEPTED: 30,  # it was answered; what is new comes slower than that
    FindingStatus.DISMISSED: 30,  # it was not wanted; "never" is for always
}
AGENDA_DAYS = {
    AgendaStatus.DONE: 7,  # sources know hardly more a week later: it skips one weekly run
    AgendaStatus.CANCELLED: 7,  # it was not wanted this week
}


def turned_down(agendas: AgendaStore, findings: FindingStore, now: datetime) -> list[str]:
    """Return the topics that rest even when the user asks for more: dismissed, or planned."""
    days = FINDING_DAYS[FindingStatus.DISMISSED]
    dismissed = findings.topics_since(FindingStatus.DISMISSED, now - timedelta(days=days))
    return [*agendas.open_topics(), *dismissed]


def resting(agendas: AgendaStore, findings: FindingStore, now: datetime) -> list[str]:
    """Return the topics that are not to be proposed at `now`, those of open agendas first."""
    topics = agendas.open_topics()
    for ended, days in AGENDA_DAYS.items():
        topics += agendas.topics_since(ended, now - timedelta(days=days))
    for status, days in FINDING_DAYS.items():
        topics += findings.topics_since(status, now - timedelta(days=days))
    return list(dict.fromkeys(topics))
