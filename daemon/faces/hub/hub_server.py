"""The requests of vaults and people: each shows a token, and gets what its person may have.

Only programs connect, and none sends cookies: there is nothing that a page of another site could
use. A name or a vault that somebody may not know is refused like one that does not exist.
"""

import ssl
from collections.abc import Awaitable
from functools import partial
from pathlib import Path

import uvicorn
from anyio.to_thread import run_sync
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from daemon.faces.hub.bodies import TooLargeError
from daemon.faces.hub.endpoints import ENDPOINTS, Answer
from daemon.faces.hub.login_endpoints import OPEN_ENDPOINTS
from daemon.faces.hub.login_endpoints import Answer as OpenAnswer
from daemon.faces.request_rate import RequestRate
from daemon.faces.web.problems import problem
from daemon.model.errors import (
    HubConflictError,
    HubError,
    HubRefusedError,
    HubUnknownError,
    LacunaError,
)
from daemon.usecases.document import why_invalid
from daemon.usecases.hub_service import Caller, HubService

LOOPBACK = ("127.0.0.1", "::1", "localhost")
_MAX_CONNECTIONS = 200
_LOGINS_PER_MINUTE = 60  # requests of an address, which may be that of an office
_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}

# The most special first.
_STATUS: dict[type[Exception], int] = {
    TooLargeError: 413,
    TimeoutError: 408,
    ValidationError: 422,
    HubConflictError: 409,
    HubUnknownError: 404,
    HubRefusedError: 403,
    HubError: 400,
}


def hub_application(service: HubService) -> ASGIApp:
    """Return the ASGI application."""
    logins = RequestRate(_LOGINS_PER_MINUTE)
    return Starlette(
        routes=[
            Route("/healthz", _healthz),
            *(
                Route(each.path, partial(_answered, service, each.answer), methods=[each.method])
                for each in ENDPOINTS
            ),
            *(
                Route(
                    each.path, partial(_opened, service, logins, each.answer), methods=[each.method]
                )
                for each in OPEN_ENDPOINTS
            ),
        ]
    )


async def _answered(service: HubService, answer: Answer, request: Request) -> Response:
    """Answer a request of somebody with a token."""

    async def answered() -> Response:
        refused, person = await _admitted(service, request)
        if person is None:
            return refused
        found = await answer(service, request, person)
        if isinstance(found, Response):
            found.headers.update(_HEADERS)
            return found
        return Response(found.model_dump_json(), media_type="application/json", headers=_HEADERS)

    return await _without_failure(answered())


async def _opened(
    service: HubService, rate: RequestRate, answer: OpenAnswer, request: Request
) -> Response:
    """Answer a request of anybody, so many from each address."""
    address = request.client.host if request.client is not None else ""
    if wait := rate.wait(address):
        headers = {"retry-after": str(wait), **_HEADERS}
        return problem(429, f"too many logins: try again in {wait} s", headers)
    return await _without_failure(answer(service, request))


async def _without_failure(answered: Awaitable[Response]) -> Response:
    """Return an answer; every failure becomes a problem."""
    try:
        return await answered
    except ClientDisconnect:
        return Response(status_code=400)
    except tuple(_STATUS) as error:
        status = next(code for kind, code in _STATUS.items() if isinstance(error, kind))
        detail = why_invalid(error) if isinstance(error, ValidationError) else str(error)
        return problem(status, detail, _HEADERS)


async def _admitted(service: HubService, request: Request) -> tuple[Response, Caller | None]:
    """Return who asks; if nobody may now, None, and what to answer."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    is_bearer = scheme.lower() == "bearer"
    person = await run_sync(service.caller, token.strip()) if is_bearer else None
    if person is None:
        headers = {"www-authenticate": "Bearer", **_HEADERS}
        return problem(401, "show a valid token", headers), None
    wait = await run_sync(service.seconds_to_wait, person)
    if wait:
        headers = {"retry-after": str(wait), **_HEADERS}
        return problem(429, f"too many requests: try again in {wait} s", headers), None
    return Response(), person


async def _healthz(_request: Request) -> Response:
    return PlainTextResponse("ok")


def hub_server(
    app: ASGIApp, host: str, port: int, certificate: Path | None, key: Path | None
) -> uvicorn.Server:
    """Return a server that is not started yet. Raises LacunaError.

    It listens in the network only with a certificate: tokens and notes must not be readable there.
    """
    if certificate is None and host not in LOOPBACK:
        raise LacunaError("other machines can only connect with TLS: give --certificate and --key")
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,  # names of vaults are in no log
        server_header=False,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_graceful_shutdown=5,
        ws="none",
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        raise LacunaError(
            f"{certificate}: this certificate or its key cannot be used: {error}"
        ) from None
    return uvicorn.Server(config)
