"""What the vault lacks, and what is growing in it."""

from datetime import datetime

from pydantic import Field

from daemon.app import App
from daemon.cycle.planned_queries import list_queries
from daemon.model.agenda import GapKind
from daemon.usecases.document import Document, ListDocument, Number, Request
from daemon.usecases.notes import SkippedNote


class UnresolvedLink(Document):
    """A note that is linked to and does not exist."""

    target: str
    sources: tuple[str, ...] = Field(alias="from", description="Paths of the notes that link.")


class Cluster(Document):
    """Notes about one subject."""

    label: str
    notes: tuple[str, ...]
    density: Number = Field(description="Links between them, as a share of all possible ones.")
    kind: str = Field(examples=["dense", "sparse"])


class Gap(Document):
    """Something worth researching."""

    kind: GapKind
    topic: str
    note: str | None = Field(description="The note that shows it best.")
    why: str
    score: Number = Field(description="From 0 to 1, the sum of the parts.")
    parts: dict[str, Number]
    query: str = Field(description='What would be asked; "" for the topic itself.')
    details: str = Field(description="The figures behind `why`.")


class GapsRequest(Request):
    """How many gaps to list."""

    limit: int = Field(default=20, ge=1, le=200, description="Maximum number of gaps.")


class Gaps(ListDocument[Gap]):
    """Gaps worth researching, the best first."""


class RefusedGap(Document):
    """A gap that is not proposed."""

    topic: str
    note: str | None
    query: str
    why: str


class Health(Document):
    """Orphans, unresolved links, clusters and gaps of the vault. Notes are vault-relative paths."""

    notes: int
    links: int
    isolated: tuple[str, ...] = Field(description="Notes without any link.")
    unreferenced: tuple[str, ...] = Field(description="Notes that no note links to.")
    unresolved: tuple[UnresolvedLink, ...]
    clusters: tuple[Cluster, ...]
    stale: tuple[str, ...] = Field(description="Notes that were not edited for long.")
    conflicts: tuple[str, ...] = Field(description="Copies that a sync conflict left.")
    troubles: tuple[SkippedNote, ...] = Field(description="Notes that could not be read whole.")
    gaps: tuple[Gap, ...]
    refused: tuple[RefusedGap, ...]
    names: dict[str, str] = Field(description="Path: name, of every note named above.")


class ListedQuery(Document):
    """A query that would be asked now, or a topic that is refused."""

    note: str | None = Field(description="The tagged note; null: a run of the whole vault.")
    name: str
    topic: str
    query: str
    why: str
    refused: str = Field(description='Why it is not asked; "" if it is.')


class ListedQueries(ListDocument[ListedQuery]):
    """Every query of a run of the vault and of some of its notes, as if they were tagged."""


def health(app: App, *, now: datetime) -> Health:
    """Analyse the index as it is."""
    found = app.knowledge.analysis.health(now).as_dict()
    names = app.knowledge.titles()
    shown = {*found["isolated"], *found["unreferenced"], *found["stale"]}
    shown |= {path for each in found["clusters"] for path in each["notes"]}
    return Health.model_validate(
        found | {"names": {path: names[path] for path in sorted(shown & names.keys())}}
    )


def gaps(app: App, request: GapsRequest, *, now: datetime) -> Gaps:
    """List the gaps of the whole vault, the best first."""
    return Gaps(health(app, now=now).gaps[: request.limit])


def queries(app: App, *, now: datetime) -> ListedQueries:
    """List every query that would be asked now, with the verdict of the check."""
    return ListedQueries.model_validate(
        [
            {
                "note": each.note,
                "name": each.name,
                "topic": each.topic,
                "query": each.query,
                "why": each.why,
                "refused": each.refused,
            }
            for each in list_queries(app.knowledge, app.proposals, now)
        ]
    )
