"""What the hub answers: each endpoint, for a person who has shown a token."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias, TypeVar

import anyio
from anyio.to_thread import run_sync
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from daemon.faces.hub import model_endpoints
from daemon.faces.hub.answered_requests import answered_within
from daemon.faces.hub.bodies import MAX_BATCH, MAX_QUERY, body
from daemon.model.shared_documents import DocumentRequest
from daemon.model.shared_notes import Batch
from daemon.model.shared_requests import RESEARCH, SearchRequest
from daemon.usecases.hub import HubListRequest, HubSearchRequest
from daemon.usecases.hub_contradictions import HubPairsRequest
from daemon.usecases.hub_findings import HubAfterRequest, HubDecisionRequest, HubFindingsRequest
from daemon.usecases.hub_service import Caller, HubService

_DOCUMENT_SECONDS, _DOCUMENT_EVERY = 8.0, 0.25  # how long a request waits, and how often it looks
_SEARCH_SECONDS = 20.0  # how long a search is waited for

B = TypeVar("B", bound=BaseModel)
Answer: TypeAlias = Callable[[HubService, Request, Caller], Awaitable[BaseModel | Response]]


class Endpoint(NamedTuple):
    """A method and a path, and what answers. `tests/unit/hub/test_endpoints.py` has a row of each:
    who may use it.
    """

    method: str
    path: str
    answer: Answer


async def _account(service: HubService, _request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.account, person)


async def _published(service: HubService, request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.published, person, request.path_params["vault"])


async def _publish(service: HubService, request: Request, person: Caller) -> BaseModel:
    batch = await body(request, Batch, MAX_BATCH)
    return await run_sync(service.publish, person, request.path_params["vault"], batch)


async def _delivered(service: HubService, request: Request, person: Caller) -> BaseModel:
    asked = _options(request, HubAfterRequest)
    return await run_sync(service.delivered, person, request.path_params["vault"], asked.after)


async def _findings(service: HubService, request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.findings, person, _options(request, HubFindingsRequest))


async def _decide(service: HubService, request: Request, person: Caller) -> BaseModel:
    asked = await body(request, HubDecisionRequest, MAX_QUERY)
    return await run_sync(service.decide, person, request.path_params["id"], asked)


async def _work(service: HubService, _request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.work, person)


async def _gaps(service: HubService, request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.gaps, person, _options(request, HubListRequest).limit)


async def _pairs(service: HubService, request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.pairs, person, await body(request, HubPairsRequest, MAX_QUERY))


async def _search(service: HubService, request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.search, person, await _query(request))


async def _experts(service: HubService, request: Request, person: Caller) -> BaseModel:
    return await run_sync(service.experts, person, await _query(request))


async def _research(service: HubService, request: Request, person: Caller) -> BaseModel:
    asked = await body(request, SearchRequest, MAX_QUERY)
    question = asked.model_dump_json(exclude={"source"}).encode()
    vault = request.path_params["vault"]
    key = await run_sync(service.ask_service, person, vault, RESEARCH, asked.source, question)
    return await answered_within(_SEARCH_SECONDS, service, person, key)


async def _document(service: HubService, request: Request, person: Caller) -> BaseModel:
    wanted = await body(request, DocumentRequest, MAX_QUERY)
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
    Endpoint("GET", "/hub/v1/work", _work),
    Endpoint("POST", "/hub/v1/pairs", _pairs),
    Endpoint("POST", "/hub/v1/search", _search),
    Endpoint("POST", "/hub/v1/experts", _experts),
    Endpoint("POST", "/hub/v1/documents", _document),
    Endpoint("POST", "/hub/v1/vaults/{vault}/research", _research),
    Endpoint("POST", "/hub/v1/vaults/{vault}/models/chat/completions", model_endpoints.call),
    Endpoint("GET", "/hub/v1/vaults/{vault}/models/models", model_endpoints.models),
)


def _options(request: Request, model: type[B]) -> B:
    return model.model_validate(dict(request.query_params))


async def _query(request: Request) -> HubSearchRequest:
    return await body(request, HubSearchRequest, MAX_QUERY)
