"""What is known of a source before it is asked anything."""

from dataclasses import dataclass
from enum import StrEnum

from daemon.model.evidence import SourceType

CREDIBILITY_FILE = "credibility.toml"  # what the user trusts sources with, beside config.toml
ONLY_DOCUMENTS = "asked for documents only"  # why a source in use is asked no questions
LIBRARY = "library"  # the source that searches the user's own documents
PAGE = "page"  # the source of a page that the user named by its address


class Domain(StrEnum):
    """What a topic is about, as far as that decides which sources are asked first."""

    MEDICAL = "medical"
    MARKET = "market"
    LEGAL = "legal"
    ACADEMIC = "academic"
    TECHNOLOGY = "technology"


@dataclass(frozen=True, slots=True)
class Profile:
    """One source, as a plan sees it. `authority` is 2 for high, 1 for medium, 0 for low.

    An index can tell which works cite which; one that `is_always_asked` is, whatever the topic.
    `domains` are those whose topics it is asked about first.
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
    """Whether a source is on, and whether it is asked questions or only provides documents.

    `why` says what keeps it from working, or what part of it is missing.
    """

    name: str
    is_on: bool
    is_asked: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class SourceUse:
    """One source's use. Times are Unix times in seconds.

    `next_at` is when it may be asked again; `failures` are those since it last answered; until
    `shut_until` it is left alone. What it was asked is in the ledger.
    """

    next_at: float = 0.0
    failures: int = 0
    shut_until: float = 0.0
