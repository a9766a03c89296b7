"""What the hub answers: each endpoint, for a person who has shown a token."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias, TypeVar

import anyio
from anyio.to_thread import run_sync
from pydantic import BaseModel
from starlette.requests import Request

from daemon.model.shared_documents import DocumentRequest
from daemon.model.shared_notes import Batch
from daemon.usecases.hub import HubListRequest, HubSearchRequest
from daemon.usecases.hub_findings import HubAfterRequest, HubDecisionRequest, HubFindingsRequest
from daemon.usecases.hub_service import Caller, HubService

_MAX_BATCH, _MAX_QUERY = 64_000_000, 100_000  # bytes of a body
_BODY_SECONDS = 60.0
_DOCUMENT_SECONDS, _DOCUMENT_EVERY = 8.0, 0.25  # how long a request waits, and how often it looks

B = TypeVar("B", bound=BaseModel)
Answer: TypeAlias = Callable[[HubService, Request, Caller], Awaitable[BaseModel]]


class Endpoint(NamedTuple):
    """A method and a path, and what answers. `tests/unit/hub/test_endpoints.py` has a row of each:
    who may use it.
    """

    method: str
    path: str
    answer: Answer


class TooLargeError(Exception):
    """A body that is longer than it may be."""


async def _account(service: HubService, _request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.account, person)


async def _published(service: HubService, request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.published, person, request.path_params["vault"])


async def _publish(service: HubService, request: Request, person: Caller) -> BaseModel:
    batch = await _body(request, Batch, _MAX_BATCH)
    return await run_sync(service.publish, person, request.path_params["vault"], batch)


async def _delivered(service: HubService, request: Request, person: Caller) -> BaseModel:
    asked = _options(request, HubAfterRequest)
    return await run_sync(service.delivered, person, request.path_params["vault"], asked.after)


async def _findings(service: HubService, request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.findings, person, _options(request, HubFindingsRequest))


async def _decide(service: HubService, request: Request, person: Caller) -> BaseModel:
    asked = await _body(request, HubDecisionRequest, _MAX_QUERY)
    return await run_sync(service.decide, person, request.path_params["id"], asked)


async def _gaps(service: HubService, request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.gaps, person, _options(request, HubListRequest).limit)


async def _search(service: HubService, request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.search, person, await _query(request))


async def _experts(service: HubService, request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.experts, person, await _query(request))


async def _document(service: HubService, request: Request, person: Caller) -> BaseModel:
    wanted = await _body(request, DocumentRequest, _MAX_QUERY)
    await run_sync(service.want_document, person, wanted)
    until = anyio.current_time() + _DOCUMENT_SECONDS
    found = await run_sync(service.document, person, wanted)
    while found.is_waiting and anyio.current_time() < until:
        await anyio.sleep(_DOCUMENT_EVERY)
        found = await run_sync(service.document, person, wanted)
    return found


ENDPOINTS = (
    Endpoint("GET", "/hub/v1/account", _account),
    Endpoint("GET", "/hub/v1/vaults/{vault}/notes", _published),
    Endpoint("POST", "/hub/v1/vaults/{vault}/notes", _publish),
    Endpoint("GET", "/hub/v1/vaults/{vault}/findings", _delivered),
    Endpoint("GET", "/hub/v1/findings", _findings),
    Endpoint("POST", "/hub/v1/findings/{id:int}", _decide),
    Endpoint("GET", "/hub/v1/gaps", _gaps),
    Endpoint("POST", "/hub/v1/search", _search),
    Endpoint("POST", "/hub/v1/experts", _experts),
    Endpoint("POST", "/hub/v1/documents", _document),
)


def _options(request: Request, model: type[B]) -> B:
    return model.model_validate(dict(request.query_params))


async def _query(request: Request) -> HubSearchRequest:
    return await _body(request, HubSearchRequest, _MAX_QUERY)


async def _body(request: Request, model: type[B], most: int) -> B:
    """Read a body of limited size in limited time, and check it."""
    body = bytearray()
    try:
        with anyio.fail_after(_BODY_SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > most:
                    raise TooLargeError("the request is too large")
    except TimeoutError:
        raise TimeoutError("the request did not arrive in time") from None
    return model.model_validate_json(bytes(body))
