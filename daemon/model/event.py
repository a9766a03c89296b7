"""Typed events of work in progress, in one numbered stream per vault.

The worker writes an event once. Progress bars, `lacuna status --follow` and streams over the
daemon's socket read it; each event is one JSON object.
"""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, TypeAdapter
from pydantic_core import PydanticSerializationError

from daemon.model.encodable import encodable_values
from daemon.model.errors import ErrorKind

Ends = Literal["command", "run", "query"]
Count = int | float | bool | str  # also a word of ours, such as the depth of a run
Time = Annotated[datetime, PlainSerializer(datetime.isoformat, return_type=str, when_used="json")]


class BaseEvent(BaseModel):
    """The fields of every event."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    seq: int = Field(default=0, description="Number in the vault's stream; increases by 1.")
    at: Time
    pid: int = Field(description="Process that does the work.")
    run: str | None = Field(default=None, description="Id of the run that it belongs to.")
    request: int | None = Field(
        default=None, description="Id of the command that it belongs to; of a query: negative."
    )


class StepStart(BaseEvent):
    """A step of the work begins."""

    type: Literal["step_start"] = "step_start"
    step: str = Field(examples=["reading", "embedding", "gather", "judge", "research"])
    what: str = Field(default="", description="What it is about, in words.")
    plan: tuple[str, ...] = Field(default=(), description="What it is going to do, line by line.")
    part: str = Field(default="", description="Id, unique among steps of its name.")
    counts: dict[str, Count] = Field(default={}, description="Numbers; no text of notes or pages.")


class StepProgress(BaseEvent):
    """Progress of a step. At most a few are written per second."""

    type: Literal["step_progress"] = "step_progress"
    step: str
    done: int
    total: int
    what: str = Field(default="", description="What was done last, in words.")
    seconds_left: float | None = Field(default=None, description="Estimate; null: unknown.")
    part: str = ""


class StepComplete(BaseEvent):
    """A step has ended; also one that failed, which an `error` then explains."""

    type: Literal["step_complete"] = "step_complete"
    step: str
    done: int = 0
    seconds: float = Field(description="Duration of the step.")
    part: str = ""
    counts: dict[str, Count] = Field(default={}, description="Numbers; no text of notes or pages.")
    failed: str = Field(default="", description='Kind of the error that ended it; "" if none did.')


class FindingWritten(BaseEvent):
    """A finding is in the inbox."""

    type: Literal["finding_written"] = "finding_written"
    id: str
    path: str = Field(description="Vault-relative path of its note.")
    title: str
    source: str = Field(description="URL of its best source.")
    credibility: float = Field(description="From 0 to 0.95.")


class SourceAnswered(BaseEvent):
    """A source answered a question, or failed to."""

    type: Literal["source_status"] = "source_status"
    source: str = Field(examples=["arxiv"])
    status: str = Field(examples=["ok", "empty", "degraded", "unavailable"])
    results: int
    asked: str = Field(description="The question, or the title of a work.")
    about: Literal["query", "citations"] = "query"
    why: str = Field(default="", description='What went wrong; "" when nothing did.')


class StreamToken(BaseEvent):
    """A piece of text that a language model wrote. The pieces of one answer share `answer`."""

    type: Literal["stream_token"] = "stream_token"
    answer: str = Field(description="Id of the answer that it is part of.")
    text: str


class Handoff(BaseEvent):
    """Work is handed over, such as from one model to another or to you."""

    type: Literal["handoff"] = "handoff"
    giver: str
    taker: str
    why: str = ""


class QuestionRouted(BaseEvent):
    """How a question is going to be answered: the first event of an answer."""

    type: Literal["route"] = "route"
    mode: str = Field(examples=["direct", "oracle", "jackal", "playbook"])
    reason: str = Field(description="Why, in words.")


class Announcement(BaseEvent):
    """Something of which hooks and notices inform the user."""

    type: Literal["announcement"] = "announcement"
    event: str = Field(examples=["research_complete", "finding_accepted", "error", "recovered"])
    body: dict[str, Any] = Field(description="The fields that a hook gets.")


class Done(BaseEvent):
    """A command, a query or a run has ended well: the last event of its stream."""

    type: Literal["done"] = "done"
    ends: Ends
    document: Any = Field(
        default=None, description="The answer of a command or a query; only in its own stream."
    )


class Error(BaseEvent):
    """A command, a query or a run has failed: the last event of its stream."""

    type: Literal["error"] = "error"
    ends: Ends
    message: str
    kind: ErrorKind = Field(
        default="",
        description="not_found: what was asked for does not exist; key_reused: its key is that of "
        'another request; "": any other error.',
    )


Event: TypeAlias = Annotated[
    StepStart
    | StepProgress
    | StepComplete
    | FindingWritten
    | SourceAnswered
    | StreamToken
    | Handoff
    | QuestionRouted
    | Announcement
    | Done
    | Error,
    Field(discriminator="type"),
]
EVENT: TypeAdapter[Event] = TypeAdapter(Event, config=ConfigDict(defer_build=True))


def line_of(event: BaseEvent) -> str:
    """Return an event as one line of JSON, without the end of the line, whatever its text is."""
    try:
        return event.model_dump_json()
    except PydanticSerializationError:  # a lone surrogate, as in a file name that is not UTF-8
        return event.model_validate(encodable_values(event.model_dump())).model_dump_json()


def ends(event: BaseEvent, what: Ends) -> bool:
    """Return whether an event is the last one of a command, a query or a run."""
    return isinstance(event, Done | Error) and event.ends == what


StepKey: TypeAlias = tuple[str | None, int | None, str, str]


def step_key(event: StepStart | StepProgress | StepComplete) -> StepKey:
    """Return what the events of one step share."""
    return event.run, event.request, event.step, event.part
