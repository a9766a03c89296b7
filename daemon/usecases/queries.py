"""Queries that the running daemon answers for faces, and the connection that they read by."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from daemon.app import App
from daemon.index.vectors import VectorReader
from daemon.model.errors import LacunaError
from daemon.parts import knowledge_for_reading, stores_in
from daemon.store.db import ReadOnlyDatabase
from daemon.usecases.document import Document, ListDocument, Request
from daemon.usecases.search import SearchHits, SearchRequest, search

R = TypeVar("R", bound=Request)
D = TypeVar("D", bound=Document | ListDocument[Any])


@dataclass(frozen=True, slots=True)
class Query(Generic[R, D]):
    """A query by its name, with the models of its request and its document."""

    name: str
    request: type[R]
    document: type[D]
    answer: Callable[[App, R], D]


QUERIES: Mapping[str, Query[Any, Any]] = {
    query.name: query for query in (Query("search", SearchRequest, SearchHits, search),)
}


class UnknownQueryError(LacunaError):
    """A query, or a request of it, that this version does not know."""


@contextmanager
def reader(app: App) -> Iterator[App]:
    """Give an App whose index is read by a connection of its own: nothing waits for the writer.

    Only `knowledge` and `stores` are read that way. The embedding model is the daemon's.
    """
    db = ReadOnlyDatabase(app.db.path)
    stores = stores_in(db, app.state)
    vectors = VectorReader(app.vectors)
    knowledge = knowledge_for_reading(app.settings, app.adapter, stores, vectors, app.embedder)
    try:
        yield replace(app, db=db, stores=stores, knowledge=knowledge)
    finally:
        db.close()


def answer(app: App, name: str, body: Any) -> Any:
    """Answer a query with JSON values.

    Raises UnknownQueryError for a query of another version, LacunaError for what it refuses.
    """
    query = QUERIES.get(name)
    if query is None:
        raise UnknownQueryError(f"{name}: there is no such query")
    try:
        request = query.request.model_validate(body)
    except ValidationError as error:
        raise UnknownQueryError(f"{name}: {error.errors()[0]['msg']}") from None
    return query.answer(app, request).as_json()
