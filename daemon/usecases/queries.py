"""Queries that the running daemon answers for faces."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from daemon.app import App
from daemon.model.errors import LacunaError
from daemon.usecases.document import Document, ListDocument, Request, why_invalid
from daemon.usecases.following import NOBODY, Follower
from daemon.usecases.query import Query
from daemon.usecases.registry import Registry

QUERIES: Mapping[str, Query[Any, Any]] = Registry(
    {
        "agenda": "agendas.AGENDA",
        "agendas": "agendas.AGENDAS",
        "ask": "threads.ASK",
        "citations": "runs.CITATIONS",
        "cited-sources": "runs.CITED_SOURCES",
        "claims": "claims.CLAIMS",
        "costs": "costs.COSTS",
        "finding": "findings.FINDING",
        "findings": "findings.FINDINGS",
        "gaps": "health.GAPS",
        "graph": "notes.GRAPH",
        "health": "health.HEALTH",
        "health-list": "health_lists.HEALTH_LIST",
        "hub-work": "hub_work.WORK",
        "library": "library.LIBRARY",
        "library-search": "library.SEARCH",
        "map": "vault_map.MAP",
        "models": "models.MODELS",
        "note": "notes.NOTE",
        "privacy": "privacy.PRIVACY",
        "quoted-places": "quoted_places.QUOTED_PLACES",
        "reports": "written_notes.REPORTS",
        "research-plan": "research_plan.PLAN",
        "run": "runs.RUN",
        "runs": "runs.RUNS",
        "schedules": "schedules.SCHEDULES",
        "search": "search.SEARCH",
        "sources": "sources.SOURCES",
        "status": "status.STATUS",
        "thread": "threads.THREAD",
        "threads": "threads.THREADS",
        "topics": "topics.TOPICS",
        "trends": "trends.TRENDS",
        "voices": "audio.VOICES",
        "written-note": "written_notes.WRITTEN_NOTE",
    }
)


# Queries of whose answer something may be kept: the module of each says what.
KEPT = frozenset({"ask"})


# Queries that report events while they are answered.
FOLLOWED = frozenset({"ask", "gaps", "health", "health-list", "map"})


class UnknownQueryError(LacunaError):
    """A query, or a request for it, that this version does not know."""


def answer(
    app: App, name: str, body: Any, follower: Follower = NOBODY, *, writer: App | None = None
) -> Any:
    """Answer a query with JSON values; `writer` stores what is kept of the answer.

    Raises UnknownQueryError for a query of another version, LacunaError for what it refuses.
    """
    query, request = understood(name, body)
    document = query.carry_out(app, request, follower)
    found = document.as_json()
    if writer is not None and query.noted is not None:
        with suppress(LacunaError):
            query.noted(writer, app)
    if writer is not None and (remark := _kept(writer, query, request, document)):
        found["remarks"] = [*found["remarks"], remark]
    return found


def keep_here(
    app: App, query: Query[Any, Any], request: Request, document: Document | ListDocument[Any]
) -> str:
    """Store what is kept of an answer, in a process of its own; return why it could not, or ""."""
    if query.kept is None:
        return ""
    try:
        with app.writing("lacuna ask"):
            return _kept(app, query, request, document)
    except LacunaError as error:
        return _not_kept(error)


def _kept(
    app: App, query: Query[Any, Any], request: Request, document: Document | ListDocument[Any]
) -> str:
    """Store what is kept of an answer; return why it could not, or ""."""
    try:
        if query.kept is not None:
            query.kept(app, request, document)
    except LacunaError as error:
        return _not_kept(error)
    return ""


def _not_kept(error: LacunaError) -> str:
    return f"the answer is not stored in its thread: {error}"


def understood(name: str, body: Any) -> tuple[Query[Any, Any], Request]:
    """Return a query and its request. Raises UnknownQueryError."""
    query = QUERIES.get(name)
    if query is None:
        raise UnknownQueryError(f"{name}: unknown query")
    try:
        return query, query.request.model_validate(body)
    except ValidationError as error:
        raise UnknownQueryError(f"{name}: {why_invalid(error)}") from None
