"""What research would send, and where to, before anything is sent."""

from datetime import datetime

from pydantic import Field

from daemon.app import App
from daemon.model.agenda import Agenda, Depth
from daemon.usecases.document import Document, Request
from daemon.usecases.query import timed
from daemon.usecases.report import facets_of_depth


class ResearchPlanRequest(Request):
    """What may be researched: topics, or what a schedule would research now."""

    topics: tuple[str, ...] = Field(
        default=(),
        description="Questions.",
        examples=[["why does bread go stale in the fridge"]],
    )
    is_report: bool = Field(
        default=False, description="Whether for a report, which divides a broad topic."
    )
    schedule: str = Field(default="", description='A schedule instead of topics; "": none.')
    depth: Depth | None = Field(default=None, description="Default: the setting.")


class PlannedQuery(Document):
    """A query, and where it is sent."""

    query: str = Field(description="The query.", examples=["why does bread go stale?"])
    sources: tuple[str, ...] = Field(description="Names of the sources.")


class ResearchPlan(Document):
    """The queries of research that has not begun; nothing is stored."""

    queries: tuple[PlannedQuery, ...] = Field(description="The queries, in order.")
    may_reword: bool = Field(
        description="Whether a language model of yours may word them differently."
    )


def planned(app: App, request: ResearchPlanRequest, *, now: datetime) -> ResearchPlan:
    """Return the queries. Raises LacunaError for a schedule that researches nothing."""
    proposals = app.research.proposals
    if request.schedule:
        agenda = app.scheduling.schedules.planned(request.schedule, now)
        return _document(agenda, may_reword=proposals.has_planner)
    topics = request.topics
    if request.is_report and topics:
        most = facets_of_depth(request.depth or app.settings.research.depth)
        topics += app.research.reports.facets(topics, most) if most else ()
    options = app.at_once(depth=request.depth)
    return _document(proposals.planned_topics(topics, now, options), may_reword=False)


def _document(agenda: Agenda | None, *, may_reword: bool) -> ResearchPlan:
    tasks = agenda.tasks if agenda is not None else ()
    queries = tuple(PlannedQuery(query=each.query, sources=each.sources) for each in tasks)
    return ResearchPlan(queries=queries, may_reword=may_reword)


PLAN = timed("research-plan", ResearchPlanRequest, ResearchPlan, planned)
