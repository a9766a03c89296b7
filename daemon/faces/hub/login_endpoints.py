"""Single sign-on over HTTPS: the endpoints that need no token."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from daemon.faces.hub.bodies import MAX_QUERY, body
from daemon.usecases.hub_login import HubLoginCode, HubLoginRequest
from daemon.usecases.hub_logins import Returned
from daemon.usecases.hub_service import HubService

Answer: TypeAlias = Callable[[HubService, Request], Awaitable[Response]]
HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # a code is in the address
}


class OpenEndpoint(NamedTuple):
    """A method and a path that need no token, and what answers."""

    method: str
    path: str
    answer: Answer


async def _begin(service: HubService, request: Request) -> Response:
    asked = await body(request, HubLoginRequest, MAX_QUERY)
    found = await run_sync(service.sign_in.begin, asked)
    return Response(found.model_dump_json(), media_type="application/json", headers=HEADERS)


async def _come_back(service: HubService, request: Request) -> Response:
    given = request.query_params
    returned = Returned(given.get("state", ""), given.get("code", ""), given.get("iss", ""))
    device = await run_sync(service.sign_in.come_back, returned)
    return RedirectResponse(device, status_code=303, headers=HEADERS)


async def _redeem(service: HubService, request: Request) -> Response:
    asked = await body(request, HubLoginCode, MAX_QUERY)
    found = await run_sync(service.sign_in.redeem, asked)
    return Response(found.model_dump_json(), media_type="application/json", headers=HEADERS)


OPEN_ENDPOINTS = (
    OpenEndpoint("POST", "/hub/v1/login", _begin),
    OpenEndpoint("GET", "/hub/v1/login/callback", _come_back),
    OpenEndpoint("POST", "/hub/v1/login/token", _redeem),
)
