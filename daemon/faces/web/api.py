"""The REST interface: every use case by its name, and the endpoints for research.

A query is `GET /api/v1/NAME`, its request in the query string; a command is `POST /api/v1/NAME`,
its request as JSON. So is a query of whose answer something is kept.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from typing import Any, Protocol, get_origin

from anyio import CapacityLimiter, to_thread
from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import QueryParams
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Route

from daemon.faces.web.problems import problem
from daemon.model.errors import LacunaError
from daemon.ports import Stop
from daemon.usecases import agendas, findings
from daemon.usecases.command import Command
from daemon.usecases.commands import COMMANDS
from daemon.usecases.document import Request
from daemon.usecases.queries import QUERIES
from daemon.usecases.query import Query
from vault_adapters.base import VaultError

ROOT = "/api/v1"
_RESEARCH = "/api/research"
KEPT_IN = "thread"  # the parameter that says where a query keeps something of its answer
_QUERIES = 2  # that are answered at the same time
_OBJECT = TypeAdapter(dict[str, Any])


class Answer(Protocol):
    """Carries out a use case and returns JSON values. Raises LacunaError, VaultError."""

    def __call__(
        self, use: Query[Any, Any] | Command[Any, Any], request: Request, /, *, stop: Stop
    ) -> Any: ...


class Api:
    """The handlers. Use cases run on worker threads, and no query waits for a command."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._queries, self._commands = CapacityLimiter(_QUERIES), CapacityLimiter(1)

    def routes(self) -> list[Route]:
        """Return the routes of all use cases and of research."""
        gets = [
            Route(f"{ROOT}/{name}", partial(self._query, query), methods=["GET"])
            for name, query in QUERIES.items()
        ]
        posts = [
            Route(f"{ROOT}/{name}", partial(self._command, command), methods=["POST"])
            for name, command in COMMANDS.items()
        ]
        posts += [
            Route(f"{ROOT}/{name}", partial(self._kept_query, query), methods=["POST"])
            for name, query in QUERIES.items()
            if query.kept is not None
        ]
        agenda = f"{_RESEARCH}/agenda/{{id}}"
        research = [
            Route(f"{_RESEARCH}/trigger", self._trigger, methods=["POST"]),
            Route(f"{agenda}/approve", self._approve, methods=["POST"]),
            Route(f"{_RESEARCH}/findings", partial(self._query, QUERIES["findings"])),
            Route(f"{_RESEARCH}/findings/{{id}}/accept", self._accept, methods=["POST"]),
            Route(f"{_RESEARCH}/findings/{{id}}/dismiss", self._dismiss, methods=["POST"]),
        ]
        return [*gets, *posts, *research]

    async def carry_out(
        self,
        use: Query[Any, Any] | Command[Any, Any],
        body: Any,
        client: HttpRequest | None = None,
    ) -> Any:
        """Carry out a use case; stop it when `client` disconnects.

        Raises LacunaError, VaultError, ValidationError.
        """
        request, stop = use.request.model_validate(body), Stop()
        work = partial(self._answer, use, request, stop=stop)
        limiter = self._commands if isinstance(use, Command) else self._queries
        watching = asyncio.ensure_future(_stop_without(client, stop)) if client else None
        try:
            return await to_thread.run_sync(work, limiter=limiter)
        finally:
            if watching is not None:
                watching.cancel()

    async def _query(self, query: Query[Any, Any], request: HttpRequest) -> Response:
        if query.kept is not None and KEPT_IN in request.query_params:
            return problem(405, f"`{KEPT_IN}` keeps the answer: use POST", {"allow": "POST"})
        try:
            body = _from_query(query.request, request.query_params)
            found = await self.carry_out(query, body)
        except (LacunaError, VaultError, ValidationError) as error:
            return refusal(error)
        return tagged(request, found)

    async def _kept_query(self, query: Query[Any, Any], request: HttpRequest) -> Response:
        return await self._changed(request, query, lambda body: body)

    async def _command(self, command: Command[Any, Any], request: HttpRequest) -> Response:
        return await self._changed(request, command, lambda body: body)

    async def _trigger(self, request: HttpRequest) -> Response:
        """Plan research for a note, or for the vault; answer with the agenda."""
        return await self._changed(
            request, agendas.NEW, lambda body: {"note": body.get("sourceNoteId")}, status=201
        )

    async def _approve(self, request: HttpRequest) -> Response:
        id_ = request.path_params["id"]
        return await self._changed(request, agendas.APPROVE, lambda _: {"id": id_}, status=202)

    async def _accept(self, request: HttpRequest) -> Response:
        id_ = request.path_params["id"]
        decided = {"ids": [id_], "status": "accepted"}
        return await self._changed(request, findings.DECIDE, lambda _: decided, status=201)

    async def _dismiss(self, request: HttpRequest) -> Response:
        id_ = request.path_params["id"]
        return await self._changed(
            request,
            findings.DECIDE,
            lambda body: {
                "ids": [id_],
                "status": "dismissed",
                "never": body.get("suppressTopic", False),
            },
        )

    async def _changed(
        self,
        request: HttpRequest,
        use: Query[Any, Any] | Command[Any, Any],
        body_of: Callable[[Mapping[str, Any]], Mapping[str, Any]],
        status: int = 200,
    ) -> Response:
        """Carry out a use case with what the JSON body of a request says.

        A program that disconnects stops it. A browser may leave the page.
        """
        client = request if request.state.session is None else None
        try:
            body = await _json_body(request)
            found = await self.carry_out(use, body_of(body), client)
        except (LacunaError, VaultError, ValidationError, ValueError) as error:
            return refusal(error)
        return json_response(found, status)


async def _stop_without(client: HttpRequest, stop: Stop) -> None:
    """Stop work when the client that waits for it disconnects."""
    while (await client.receive())["type"] != "http.disconnect":
        pass
    stop.is_requested = True


def refusal(error: Exception) -> Response:
    """Return the problem that describes an error of a use case."""
    if isinstance(error, ValidationError):
        wrong = "; ".join(
            f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()
        )
        return problem(422, wrong)
    return problem(400 if isinstance(error, ValueError) else 409, str(error))


def tagged(request: HttpRequest, found: Any) -> Response:
    """Return JSON with an ETag, or 304 if the client has it already."""
    answer = json_response(found)
    tag = f'"{sha256(answer.body).hexdigest()[:32]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"etag": tag})
    answer.headers["etag"] = tag
    return answer


def json_response(found: Any, status: int = 200) -> Response:
    """Return JSON values as an answer."""
    text = json.dumps(found, ensure_ascii=False)
    return Response(text, status, media_type="application/json")


async def _json_body(request: HttpRequest) -> Mapping[str, Any]:
    """Return the object in a body; an empty body is an empty object. Raises ValueError."""
    text = await request.body()
    if not text.strip():
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise ValueError("the body must be application/json")
    try:
        body = json.loads(text)
    except RecursionError:
        raise ValueError("the body is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"the body is not JSON: {error}") from None
    return _OBJECT.validate_python(body)


def _from_query(model: type[Request], params: QueryParams) -> dict[str, Any]:
    """Return the values of a query string; a parameter with many values is repeated.

    Raises ValidationError for parameters that the request does not have.
    """
    given: dict[str, Any] = {}
    for name in params:
        field = model.model_fields.get(name)
        is_list = field is not None and get_origin(field.annotation) is tuple
        given[name] = tuple(params.getlist(name)) if is_list else params[name]
    return model.model_validate_strings(given).model_dump(exclude_unset=True)
