"""A query: a request that changes nothing, answered from a connection that only reads."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from daemon.app import App
from daemon.model.clock import now
from daemon.model.progress import Progress
from daemon.usecases.document import Document, ListDocument, NoRequest, Request
from daemon.usecases.following import NOBODY, Follower

R = TypeVar("R", bound=Request)
D = TypeVar("D", bound=Document | ListDocument[Any])
R_contra = TypeVar("R_contra", bound=Request, contravariant=True)
D_co = TypeVar("D_co", bound=Document | ListDocument[Any], covariant=True)


@dataclass(frozen=True, slots=True)
class Query(Generic[R, D]):
    """A query by its name, with the models of its request and its document.

    A long one is `followed`: it reports events, and can be stopped. What is `kept` of its answer
    is stored by the one writer; the document then has `remarks`. What is `noted` is stored to be
    faster the next time, and for statistics: by the writer, from the reader that answered.
    """

    name: str
    request: type[R]
    document: type[D]
    answer: Callable[[App, R], D]
    followed: Callable[[App, R, Follower], D] | None = None
    kept: Callable[[App, R, D], None] | None = None
    noted: Callable[[App, App], None] | None = None

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


def of_all(name: str, document: type[D], use: Callable[[App], D]) -> Query[NoRequest, D]:
    """Return a query without a request."""
    return Query(name, NoRequest, document, lambda app, _request: use(app))


def of_now(name: str, document: type[D], use: _AtNow[D]) -> Query[NoRequest, D]:
    """Return a query without a request, about the present."""
    return Query(name, NoRequest, document, lambda app, _request: use(app, now=now()))


def timed(
    name: str, request: type[R], document: type[D], use: _OfRequestAtNow[R, D]
) -> Query[R, D]:
    """Return a query whose answer depends on the time."""
    return Query(name, request, document, lambda app, asked: use(app, asked, now=now()))


def analysing(
    name: str, request: type[R], document: type[D], use: Callable[[App, R, Progress], D]
) -> Query[R, D]:
    """Return a query that analyses the whole vault, and reports the stages of that."""

    def followed(app: App, asked: R, follower: Follower = NOBODY) -> D:
        with follower.report.step(name) as progress:
            return use(app, asked, progress)

    return Query(name, request, document, followed, followed)
