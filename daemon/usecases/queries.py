"""Queries that the running daemon answers for faces."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from pydantic import ValidationError

from daemon.app import App
from daemon.model.clock import now
from daemon.model.errors import LacunaError
from daemon.store.reporter import Progress
from daemon.usecases import (
    agendas,
    asking,
    costs,
    findings,
    health,
    library,
    notes,
    privacy,
    runs,
    schedules,
    search,
    sources,
    status,
    threads,
    topics,
    vault_map,
)
from daemon.usecases.document import Document, ListDocument, NoRequest, Request, why_invalid
from daemon.usecases.following import NOBODY, Follower

R = TypeVar("R", bound=Request)
D = TypeVar("D", bound=Document | ListDocument[Any])
R_contra = TypeVar("R_contra", bound=Request, contravariant=True)
D_co = TypeVar("D_co", bound=Document | ListDocument[Any], covariant=True)


@dataclass(frozen=True, slots=True)
class Query(Generic[R, D]):
    """A query by its name, with the models of its request and its document.

    A long one is `followed`: it reports events, and can be stopped. What is `kept` of its answer
    is stored by the one writer; the document then has `remarks`.
    """

    name: str
    request: type[R]
    document: type[D]
    answer: Callable[[App, R], D]
    followed: Callable[[App, R, Follower], D] | None = None
    kept: Callable[[App, R, D], None] | None = None

    def carry_out(self, app: App, request: R, follower: Follower = NOBODY) -> D:
        """Answer, reporting to `follower` if there is something to report."""
        if self.followed is not None:
            return self.followed(app, request, follower)
        return self.answer(app, request)


class _AtNow(Protocol[D_co]):
    """A use case that is asked for a time, and nothing else."""

    def __call__(self, app: App, *, now: datetime) -> D_co: ...


class _OfRequestAtNow(Protocol[R_contra, D_co]):
    """A use case that is asked for a time besides its request."""

    def __call__(self, app: App, request: R_contra, /, *, now: datetime) -> D_co: ...


def _of_all(name: str, document: type[D], use: Callable[[App], D]) -> Query[NoRequest, D]:
    return Query(name, NoRequest, document, lambda app, _request: use(app))


def _now(name: str, document: type[D], use: _AtNow[D]) -> Query[NoRequest, D]:
    return Query(name, NoRequest, document, lambda app, _request: use(app, now=now()))


def _timed(
    name: str, request: type[R], document: type[D], use: _OfRequestAtNow[R, D]
) -> Query[R, D]:
    return Query(name, request, document, lambda app, asked: use(app, asked, now=now()))


def _analysing(
    name: str, request: type[R], document: type[D], use: Callable[[App, R, Progress], D]
) -> Query[R, D]:
    """Return a query that analyses the whole vault, and reports the stages of that."""

    def followed(app: App, asked: R, follower: Follower = NOBODY) -> D:
        with follower.report.step(name) as progress:
            return use(app, asked, progress)

    return Query(name, request, document, followed, followed)


QUERIES: Mapping[str, Query[Any, Any]] = {
    query.name: query
    for query in (
        Query("agenda", agendas.AgendaRequest, agendas.Agenda, agendas.agenda),
        _of_all("agendas", agendas.Agendas, agendas.agendas),
        Query("ask", asking.AskRequest, asking.Answered, asking.ask, asking.ask, threads.keep),
        Query("citations", runs.RunRequest, runs.Citations, runs.citations),
        _of_all("cited-sources", runs.CitedSources, runs.cited_sources),
        _timed("costs", costs.CostsRequest, costs.Costs, costs.costs),
        Query("finding", findings.FindingRequest, findings.FindingNote, findings.finding),
        Query("findings", findings.FindingsRequest, findings.Findings, findings.findings),
        _analysing(
            "gaps",
            health.GapsRequest,
            health.Gaps,
            lambda app, asked, progress: health.gaps(app, asked, now=now(), progress=progress),
        ),
        _of_all("graph", notes.Graph, notes.graph),
        _analysing(
            "health",
            NoRequest,
            health.Health,
            lambda app, _asked, progress: health.health(app, now=now(), progress=progress),
        ),
        _of_all("library", library.Library, library.library),
        Query(
            "library-search", library.LibrarySearchRequest, library.LibrarySearch, library.search
        ),
        _analysing(
            "map",
            vault_map.MapRequest,
            vault_map.VaultMap,
            lambda app, asked, progress: vault_map.vault_map(
                app, asked, now=now(), progress=progress
            ),
        ),
        Query("note", notes.NoteRequest, notes.NoteText, notes.note),
        Query("privacy", privacy.PrivacyRequest, privacy.Privacy, privacy.privacy),
        Query("run", runs.RunRequest, runs.Run, runs.run),
        Query("runs", runs.RunsRequest, runs.Runs, runs.runs),
        _now("schedules", schedules.Schedules, schedules.schedules),
        Query("search", search.SearchRequest, search.SearchHits, search.search),
        _of_all("sources", sources.Sources, sources.sources),
        _now("status", status.Status, status.status),
        Query("thread", threads.ThreadRequest, threads.Thread, threads.thread),
        _of_all("threads", threads.Threads, threads.threads),
        _now("topics", topics.Topics, topics.topics),
    )
}


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
    if writer is not None and (remark := _kept(writer, query, request, document)):
        found["remarks"] = [*found["remarks"], remark]
    return found


def keep_beside(
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
