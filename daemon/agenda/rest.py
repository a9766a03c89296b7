"""How long a topic rests after a decision or a run, and why."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from daemon.model.agenda import AgendaStatus
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.topics import topic_key
from daemon.store.agendas import AgendaStore
from daemon.store.findings import FindingStore

FINDING_DAYS = {
    FindingStatus.PENDING: 30,  # there is already something to read about it
    FindingStatus.ACCEPTED: 30,  # it was answered; new results come more slowly
    FindingStatus.DISMISSED: 30,  # it was rejected; "never" is permanent
}
OFTEN, OFTEN_DAYS = 3, 90  # dismissed in this many runs, a topic rests longer
AGENDA_DAYS = {
    AgendaStatus.DONE: 7,  # sources have hardly more a week later: it skips one weekly run
    AgendaStatus.CANCELLED: 7,  # it was rejected this week
}
_MAX_DAYS = timedelta(days=max(AGENDA_DAYS.values()))


@dataclass(frozen=True, slots=True)
class RestingTopic:
    """A topic that is not proposed, why in words, and until when: None is permanent.

    A permanent one is not proposed even if the user asks and there is nothing else.
    """

    topic: str
    why: str
    since_at: datetime
    until_at: datetime | None
    is_permanent: bool = False


def resting_topics(
    agendas: AgendaStore, findings: FindingStore, now: datetime
) -> list[RestingTopic]:
    """Return every topic that rests at `now`, once, the longest first.

    Anything done with a topic before the user restored it does not count.
    """
    topics = agendas.topics
    restored = topics.restored()
    never = [
        RestingTopic(topic, "never", at, None, is_permanent=True)
        for topic, at in topics.banned().items()
    ]
    lately = [
        topic
        for topic in (*_of_findings(findings, restored), *_of_agendas(agendas, now))
        if topic.until_at is not None
        and topic.until_at > now
        and _is_after(topic.since_at, restored.get(topic_key(topic.topic)))
    ]
    longest: dict[str, RestingTopic] = {}
    for topic in (*never, *sorted(lately, key=_longest_first)):
        longest.setdefault(topic_key(topic.topic), topic)
    return list(longest.values())


def rejected_topics(agendas: AgendaStore, findings: FindingStore, now: datetime) -> list[str]:
    """Return the topics that stay paused even if the user asks for more: dismissed, or planned."""
    firm = [topic.topic for topic in resting_topics(agendas, findings, now) if topic.is_permanent]
    return [*agendas.open_topics(), *firm]


def resting_names(agendas: AgendaStore, findings: FindingStore, now: datetime) -> list[str]:
    """Return the topics that must not be proposed at `now`, those of open agendas first."""
    topics = agendas.open_topics()
    topics += [topic.topic for topic in resting_topics(agendas, findings, now)]
    return list(dict.fromkeys(topics))


def _of_findings(findings: FindingStore, restored: dict[str, datetime]) -> Iterator[RestingTopic]:
    records = findings.all()
    times = _times_dismissed(records, restored)
    for record in records:
        since = record.decided_at or record.created_at
        why, days = f"a finding was {record.status}", FINDING_DAYS[record.status]
        if record.status is FindingStatus.PENDING:
            why = "a finding waits for you"
        often = times.get(topic_key(record.topic), 0)
        if record.status is FindingStatus.DISMISSED and often >= OFTEN:
            why, days = f"it was dismissed in {often} runs", OFTEN_DAYS
        firm = record.status is FindingStatus.DISMISSED
        yield RestingTopic(record.topic, why, since, since + timedelta(days=days), firm)


def _times_dismissed(
    records: Iterable[FindingRecord], restored: dict[str, datetime]
) -> dict[str, int]:
    """Return in how many runs each topic was dismissed: several findings of one run count once."""
    runs: dict[str, set[str]] = {}
    for record in records:
        key = topic_key(record.topic)
        if (
            record.status is FindingStatus.DISMISSED
            and record.decided_at is not None
            and _is_after(record.decided_at, restored.get(key))
        ):
            runs.setdefault(key, set()).add(record.run)
    return {key: len(among) for key, among in runs.items()}


def _of_agendas(agendas: AgendaStore, now: datetime) -> Iterator[RestingTopic]:
    for agenda, ended_at in agendas.ended_since(now - _MAX_DAYS):
        until = ended_at + timedelta(days=AGENDA_DAYS[agenda.status])
        is_done = agenda.status is AgendaStatus.DONE
        why = "it was researched" if is_done else "its agenda was cancelled"
        for task in agenda.tasks:
            yield RestingTopic(task.topic, why, ended_at, until)


def _is_after(at: datetime, restored_at: datetime | None) -> bool:
    return restored_at is None or at > restored_at


def _longest_first(rest: RestingTopic) -> tuple[float, bool, str]:
    return -(rest.until_at or rest.since_at).timestamp(), not rest.is_permanent, rest.topic
