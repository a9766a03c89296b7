"""What a vault hands over to a hub's workers, a query or a call of a model, as it is sent."""

from enum import StrEnum

from pydantic import Field, JsonValue

from daemon.model.shared_findings import Sent

RESEARCH, MODELS = "research", "models"  # the queues
MAX_QUERY, MAX_HITS = 2_000, 200  # characters, and results of a search


class RequestState(StrEnum):
    """How far a request is. A `refused` one was not sent: a budget is used up."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"


class SearchRequest(Sent):
    """A query for one source; the workers' settings say how it is asked."""

    source: str = Field(min_length=1, max_length=60)
    query: str = Field(min_length=1, max_length=MAX_QUERY)
    limit: int = Field(ge=1, le=MAX_HITS)


class RequestAnswer(Sent):
    """How a request was answered; `trouble` says why it was not, in one line."""

    state: RequestState
    answer: dict[str, JsonValue] | None = Field(default=None, description="Of the source or model.")
    trouble: str = ""
