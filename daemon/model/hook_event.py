"""The events for which the user's own commands are called."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

FORMAT = 1  # of the JSON that hooks get, and of their answers


class HookEvent(StrEnum):
    """What has happened, or is about to."""

    PRE_RESEARCH = "pre_research"
    POST_DISCOVER = "post_discover"
    POST_EXTRACT = "post_extract"
    POST_SYNTHESIZE = "post_synthesize"
    RESEARCH_COMPLETE = "research_complete"
    PRE_SEARCH = "pre_search"
    POST_SEARCH = "post_search"
    SEARCH_SAVE = "search_save"
    PRE_INGEST = "pre_ingest"
    POST_INGEST = "post_ingest"
    INGEST_COMPLETE = "ingest_complete"
    AGENDA_PROPOSED = "agenda_proposed"
    FINDING_ACCEPTED = "finding_accepted"
    FINDING_DISMISSED = "finding_dismissed"
    FINDING_REOPENED = "finding_reopened"
    BUDGET_REACHED = "budget_reached"
    ERROR = "error"


# Events that wait for their hooks, whose answers may remove something from a run.
FILTERING = frozenset(
    {
        HookEvent.PRE_RESEARCH,
        HookEvent.POST_DISCOVER,
        HookEvent.POST_EXTRACT,
        HookEvent.POST_SYNTHESIZE,
        HookEvent.PRE_SEARCH,
        HookEvent.POST_SEARCH,
        HookEvent.PRE_INGEST,
    }
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one event's hooks: id → why it was removed, and id → a remark about it.

    `remarks` are further lines for the digest: what hooks changed, and what failed.
    """

    dropped: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
