"""Topics that rest: why they are not proposed, and the user's decisions on them."""

from datetime import datetime
from difflib import get_close_matches

from daemon.agenda.rest import RestingTopic, resting_topics
from daemon.model.errors import LacunaError
from daemon.model.topics import topic_key
from daemon.store.agendas import AgendaStore
from daemon.store.findings import FindingStore


class Topics:
    """Lists the resting topics, and applies the user's decisions on them."""

    def __init__(self, agendas: AgendaStore, findings: FindingStore) -> None:
        self._agendas = agendas
        self._findings = findings

    def rests(self, now: datetime) -> list[RestingTopic]:
        """Return the topics that are not proposed at `now`, why, and until when."""
        return resting_topics(self._agendas, self._findings, now)

    def restore(self, topic: str, now: datetime) -> None:
        """Allow a topic to be proposed again. Raises LacunaError if it was not blocked."""
        kept = {topic_key(rest.topic): rest.topic for rest in self.rests(now)}
        key = topic_key(topic)
        if key not in kept:
            near = get_close_matches(key, kept, n=1)
            hint = f"; did you mean {kept[near[0]]}?" if near else "; `lacuna topics` lists those"
            raise LacunaError(f"{topic}: it is not blocked{hint}")
        self._agendas.topics.restore(topic, at=now)

    def never_suggest(self, topic: str, now: datetime) -> None:
        """Prevent a topic from being proposed. Raises LacunaError for one without words."""
        if not topic_key(topic):
            raise LacunaError(f"{topic!r} is not a topic: it contains no word")
        self._agendas.never_suggest(topic, at=now, by="you")
