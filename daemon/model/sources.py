"""What is known about a source before it is queried."""

from dataclasses import dataclass
from enum import StrEnum

from daemon.model.evidence import SourceType

CREDIBILITY_FILE = "credibility.toml"  # the user's sources, next to config.toml
ONLY_DOCUMENTS = "provides documents only"  # why an enabled source is not queried
LIBRARY = "library"  # the source that searches the user's own documents
PAGE = "page"  # the source of a page that the user requested by its address


class Domain(StrEnum):
    """The domain of a topic, which decides the order of sources."""

    MEDICAL = "medical"
    MARKET = "market"
    LEGAL = "legal"
    ACADEMIC = "academic"
    TECHNOLOGY = "technology"


@dataclass(frozen=True, slots=True)
class Profile:
    """One source, as a plan sees it. `authority` is 2 for high, 1 for medium, 0 for low.

    An index knows which works cite which; one that `is_always_asked` is queried whatever the topic.
    `domains` are those for whose topics it comes first.
    """

    name: str
    source_type: SourceType
    authority: int
    good_for: tuple[str, ...]
    is_index: bool = False
    is_always_asked: bool = False
    domains: tuple[Domain, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceState:
    """Whether a source is on, and whether it is queried or only provides documents.

    `why` says what keeps it from working, or which part of it is missing.
    """

    name: str
    is_on: bool
    is_asked: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class SourceUse:
    """The usage of one source. Times are Unix times in seconds.

    `next_at` is when the next request is allowed; `failures` are those since its last answer; until
    `shut_until` its circuit breaker is open. The requests themselves are in the ledger.
    """

    next_at: float = 0.0
    failures: int = 0
    shut_until: float = 0.0
