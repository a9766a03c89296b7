"""Topics that are not suggested, and letting them be suggested again."""

from datetime import datetime

from pydantic import Field

from daemon.app import App
from daemon.usecases.command import Command, Work
from daemon.usecases.document import Document, ListDocument, Moment, Request
from daemon.usecases.query import of_now


class TopicRequest(Request):
    """Which topic is meant."""

    topic: str = Field(description="The topic.", examples=["sourdough"])


class Topic(Document):
    """A topic that is not suggested."""

    topic: str = Field(description="The topic.", examples=["sourdough"])
    why: str = Field(description="Why it is not suggested, in words.")
    since: Moment = Field(description="When suggestions of it stopped.")
    until: Moment | None = Field(description="Until when it is not suggested; null: never again.")


class Topics(ListDocument[Topic]):
    """Topics that are not suggested, those that rest longest first."""


class TopicsAfter(Document):
    """Topics that are not suggested, after a command."""

    topics: tuple[Topic, ...] = Field(description="The topics.")


def topics(app: App, *, now: datetime) -> Topics:
    """List the topics that are not suggested, those that rest longest first."""
    return Topics(_topics(app, now))


def restore(work: Work, request: TopicRequest) -> TopicsAfter:
    """Let a topic be suggested again. Raises LacunaError if it is not excluded."""
    work.app.research.topics.restore(request.topic, work.now)
    return TopicsAfter(topics=_topics(work.app, work.now))


def never(work: Work, request: TopicRequest) -> TopicsAfter:
    """Never suggest a topic again, nor similar ones."""
    work.app.research.topics.never_suggest(request.topic, work.now)
    return TopicsAfter(topics=_topics(work.app, work.now))


def _topics(app: App, now: datetime) -> tuple[Topic, ...]:
    return tuple(
        Topic(topic=rest.topic, why=rest.why, since=rest.since_at, until=rest.until_at)
        for rest in app.research.topics.rests(now)
    )


TOPICS = of_now("topics", Topics, topics)
RESTORE = Command(
    name="topic-restore", request=TopicRequest, document=TopicsAfter, carry_out=restore
)
NEVER = Command(name="topic-never", request=TopicRequest, document=TopicsAfter, carry_out=never)
