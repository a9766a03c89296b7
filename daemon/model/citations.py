"""What citation indexes say: which works a work refers to, and which refer to it."""

from dataclasses import dataclass

from daemon.model.evidence import Hit, SourceStatus


@dataclass(frozen=True, slots=True)
class Citations:
    """What one source said of one work's citations. `why` says what went wrong, or is empty.

    `work` is the key that the run knows the work by. The lists may be cut to the longest that was
    asked for; `requests` is how often something was sent over the network for them.
    """

    source: str
    work: str
    status: SourceStatus
    references: tuple[Hit, ...] = ()  # what the work cites
    citing: tuple[Hit, ...] = ()  # what cites the work
    why: str = ""
    seconds: float = 0.0
    requests: int = 1
