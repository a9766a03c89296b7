"""The answers of citation indexes: which works a work cites, and which cite it."""

from dataclasses import dataclass

from daemon.model.evidence import Hit, SourceStatus


@dataclass(frozen=True, slots=True)
class Citations:
    """What one source says about one work's citations. `why` is the error, or empty.

    `work` is the run's key for the work. The lists may be cut to the requested length; `requests`
    is how many requests were sent over the network.
    """

    source: str
    work: str
    status: SourceStatus
    references: tuple[Hit, ...] = ()  # what the work cites
    citing: tuple[Hit, ...] = ()  # what cites the work
    why: str = ""
    seconds: float = 0.0
    requests: int = 1
