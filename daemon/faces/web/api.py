"""The REST interface: every use case by its name, and the endpoints for research.

A query is `GET /api/v1/NAME`, its request in the query string; a command is `POST /api/v1/NAME`,
its request as JSON. So is a query of whose answer something is kept.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from typing import Any, Protocol, cast
from urllib.parse import urlencode

from anyio import CapacityLimiter, to_thread
from pydantic import ValidationError
from starlette.datastructures import QueryParams
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Route

from daemon.faces.web.asked import BusyError, Questions
from daemon.faces.web.paging import Page, page_of
from daemon.faces.web.problems import (
    NOT_FOUND,
    REFUSED,
    BadRequestError,
    ProblemType,
    problem,
)
from daemon.faces.web.request_values import (
    from_body,
    from_query,
    status_of,
    why_refused,
)
from daemon.faces.web.research_api import ENDPOINTS, Endpoint
from daemon.model.errors import LacunaError, NotFoundError, kind_of
from daemon.model.event import BaseEvent
from daemon.ports import Stop
from daemon.usecases.command import Command
from daemon.usecases.commands import COMMANDS, SLOW
from daemon.usecases.document import ListDocument, Request
from daemon.usecases.queries import KEPT, QUERIES
from daemon.usecases.query import Query
from vault_adapters.base import VaultError

ROOT = "/api/v1"
KEY_HEADER = "idempotency-key"
# How a query that may be kept is answered by GET, which any link starts: no model is paid for it.
SAFE: Mapping[str, Any] = {"quotes_only": True}
KEPT_IN = "thread"  # the parameter that says where a query keeps something of its answer
_KEY = re.compile(r"[\x21-\x7e]{1,128}")
_QUERIES = 2  # that are answered at the same time
_Use = Query[Any, Any] | Command[Any, Any]
_KINDS: Mapping[str, ProblemType] = {
    "not_found": NOT_FOUND,
    "key_reused": "urn:lacuna:problem:key-reused",
}
_REFUSALS = (LacunaError, VaultError, ValidationError, BadRequestError)


class Answer(Protocol):
    """Carries out a use case and returns JSON values; a command only once for each key.

    Raises LacunaError, VaultError.
    """

    def __call__(
        self,
        use: _Use,
        request: Request,
        /,
        show: Callable[[BaseEvent], None] = ...,
        *,
        stop: Stop,
        key: str = "",
    ) -> Any: ...

    def by_name(self, name: str, body: Mapping[str, Any]) -> Any:
        """Have another process answer a query by its name; None: this one has to load it."""


class KeyFormatError(BadRequestError):
    """A key that is not one word of ASCII."""


class Api:
    """The handlers. Use cases run on worker threads.

    No query waits for a command, and no quick command in the queue of the slow ones.
    """

    def __init__(self, answer: Answer, questions: Questions) -> None:
        self._answer, self._questions = answer, questions
        self._queries = CapacityLimiter(_QUERIES)
        self._quick, self._slow = CapacityLimiter(1), CapacityLimiter(1)

    def routes(self) -> list[Route]:
        """Return the routes of all use cases and of research; one for each address.

        They know use cases by name: the module of each is loaded when it is used.
        """
        handlers: dict[str, dict[str, Any]] = {}
        for name in QUERIES:
            handlers.setdefault(f"{ROOT}/{name}", {})["GET"] = partial(self._query, name)
        for name in KEPT:
            handlers[f"{ROOT}/{name}"]["POST"] = partial(self._posted, QUERIES, name)
        for name in COMMANDS:
            post = partial(self._posted, COMMANDS, name)
            handlers.setdefault(f"{ROOT}/{name}", {})["POST"] = post
        for endpoint in ENDPOINTS:
            handler = self._listed if endpoint.method == "GET" else self._research
            handlers[endpoint.path] = {endpoint.method: partial(handler, endpoint)}
        return [route(path, methods) for path, methods in handlers.items()]

    async def found(self, name: str, body: Mapping[str, Any]) -> Any:
        """Answer a query by its name; its module is loaded only if no other process answers.

        Raises LacunaError, VaultError, ValidationError.
        """
        work = partial(self._answer.by_name, name, body)
        found = await to_thread.run_sync(work, limiter=self._queries)
        return await self.carry_out(QUERIES[name], body) if found is None else found

    async def carry_out(
        self,
        use: _Use,
        body: Mapping[str, Any] | Request,
        client: HttpRequest | None = None,
        key: str = "",
    ) -> Any:
        """Carry out a use case; stop it when `client` disconnects.

        Raises LacunaError, VaultError, ValidationError.
        """
        request = body if isinstance(body, Request) else use.request.model_validate(body)
        stop = Stop()
        work = partial(self._answer, use, request, stop=stop, key=key)
        limiter = self._limiter(use)
        watching = asyncio.ensure_future(_stop_without(client, stop)) if client else None
        try:
            return await to_thread.run_sync(work, limiter=limiter)
        finally:
            if watching is not None:
                watching.cancel()

    def _limiter(self, use: _Use) -> CapacityLimiter:
        """Return the queue of a use case; what ends work in progress does not wait for it."""
        if isinstance(use, Query) or use.is_for_work_in_progress:
            return self._queries
        return self._slow if use.name in SLOW else self._quick

    async def _query(self, name: str, request: HttpRequest) -> Response:
        query = QUERIES[name]
        if name in KEPT and KEPT_IN in request.query_params:
            return problem(405, f"`{KEPT_IN}` keeps the answer: use POST", {"allow": "POST"})
        changes = SAFE if name in KEPT else {}

        def request_of(asked: Any) -> Request:
            return cast("Request", asked.model_copy(update=changes))

        return await self._found(query, query.request, request_of, request)

    async def _listed(self, endpoint: Endpoint, request: HttpRequest) -> Response:
        """Answer the GET of research, in which its own empty parameters are absent ones."""
        own = endpoint.body.model_json_schema().get("properties", {})
        items = request.query_params.multi_items()
        given = QueryParams([(name, text) for name, text in items if text or name not in own])
        asked = partial(endpoint.request, id_="")
        return await self._found(endpoint.use, endpoint.body, asked, request, given)

    async def _found(
        self,
        use: _Use,
        model: type[Request],
        request_of: Callable[[Any], Request],
        request: HttpRequest,
        params: QueryParams | None = None,
    ) -> Response:
        """Answer a GET; a list in pages, if the client wants."""
        params, page = request.query_params if params is None else params, Page()
        try:
            if issubclass(use.document, ListDocument):
                page, params = _paged(params)
            found = await self.carry_out(use, request_of(from_query(model, params)))
            if page == Page():
                return tagged(request, found)
            found, after = page_of(found, page)
        except _REFUSALS as error:
            return refusal(error)
        answer = tagged(request, found)
        if after is not None:
            kept = [item for item in request.query_params.multi_items() if item[0] != "cursor"]
            following = urlencode([*kept, ("cursor", after)])
            answer.headers["link"] = f'<{request.url.path}?{following}>; rel="next"'
        return answer

    async def _posted(self, uses: Mapping[str, _Use], name: str, request: HttpRequest) -> Response:
        """Carry out a use case with what the JSON body of a request says."""
        use = uses[name]
        try:
            body = await from_body(use.request, request)
            return json_response(await self._changed(use, body, request))
        except BusyError as error:
            return busy(error)
        except _REFUSALS as error:
            return refusal(error)

    async def _research(self, endpoint: Endpoint, request: HttpRequest) -> Response:
        id_ = request.path_params.get("id", "")
        try:
            body = endpoint.request(await from_body(endpoint.body, request), id_)
            found = await self._changed(endpoint.use, body, request)
            if endpoint.shown is not None:
                found = await self.carry_out(endpoint.shown, {"id": id_})
        except _REFUSALS as error:
            return refusal(error)
        return json_response(found, endpoint.status)

    async def _changed(self, use: _Use, body: Request, request: HttpRequest) -> Any:
        """Carry out a use case that changes something, once for each key.

        A program that disconnects stops it. A browser may leave the page.
        """
        client, key = request if request.state.session is None else None, key_of(request)
        if key and isinstance(use, Query):  # one that may be kept
            id_ = self._questions.begin(use, body, key)
            return await to_thread.run_sync(self._questions.result, id_)
        return await self.carry_out(use, body, client, key)


def route(path: str, methods: Mapping[str, Any]) -> Route:
    """Return the one route of an address, which names all of its methods to who asks for them."""
    return Route(path, partial(_by_method, methods), methods=list(methods))


async def _by_method(methods: Mapping[str, Any], request: HttpRequest) -> Response:
    """Pass a request on to the handler of its method; Starlette has one for each route."""
    method = "GET" if request.method == "HEAD" else request.method
    answer: Response = await methods[method](request)
    return answer


def _paged(params: QueryParams) -> tuple[Page, QueryParams]:
    """Return which page is wanted, and the other parameters. Raises ValidationError."""
    own = [item for item in params.multi_items() if item[0] in Page.model_fields]
    rest = [item for item in params.multi_items() if item[0] not in Page.model_fields]
    return from_query(Page, QueryParams(own)), QueryParams(rest)


def key_of(request: HttpRequest) -> str:
    """Return the key of a request, or "". Raises KeyFormatError."""
    given = request.headers.getlist(KEY_HEADER)
    if not given:
        return ""
    if len(given) > 1 or not _KEY.fullmatch(given[0]):
        raise KeyFormatError(f"{KEY_HEADER}: one word of at most 128 ASCII characters is allowed")
    return f"rest {given[0]}"  # other clients of the vault have keys of their own


async def _stop_without(client: HttpRequest, stop: Stop) -> None:
    """Stop work when the client that waits for it disconnects."""
    while (await client.receive())["type"] != "http.disconnect":
        pass
    stop.is_requested = True


def busy(error: BusyError) -> Response:
    """Return that too many questions are being answered."""
    return problem(429, str(error), {"retry-after": "5"})


def refusal(error: Exception) -> Response:
    """Return the problem that describes an error of a use case."""
    status, text = status_and_text(error)
    kind: ProblemType = "about:blank"
    if not isinstance(error, ValidationError | BadRequestError):
        kind = _KINDS.get(kind_of(error), REFUSED)
    return problem(status, text, kind=kind)


def status_and_text(error: Exception) -> tuple[int, str]:
    """Return the status for an error of a use case, and what it says to a reader."""
    if isinstance(error, ValidationError):
        return status_of(error), why_refused(error)
    if isinstance(error, BadRequestError):
        return error.status, str(error)
    return 404 if isinstance(error, NotFoundError) else 409, str(error)


def tagged(request: HttpRequest, found: Any) -> Response:
    """Return JSON with an ETag, or 304 if the client has it already."""
    answer = json_response(found)
    tag = f'"{sha256(answer.body).hexdigest()[:32]}"'
    known = {each.strip().removeprefix("W/") for each in _if_none_match(request).split(",")}
    if known & {tag, "*"}:
        return Response(status_code=304, headers={"etag": tag})
    answer.headers["etag"] = tag
    return answer


def _if_none_match(request: HttpRequest) -> str:
    return ",".join(request.headers.getlist("if-none-match"))


def json_response(found: Any, status: int = 200) -> Response:
    """Return JSON values as an answer."""
    text = json.dumps(found, ensure_ascii=False)
    return Response(text, status, media_type="application/json")
