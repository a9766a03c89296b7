"""Single sign-on over HTTPS: the endpoints that need no token."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from html import escape
from typing import NamedTuple, TypeAlias
from urllib.parse import parse_qs

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from daemon.faces.hub.bodies import MAX_QUERY, body, short_body
from daemon.usecases.hub_login import HubLoginCode, HubLoginRequest
from daemon.usecases.hub_logins import Returned
from daemon.usecases.hub_service import HubService

Answer: TypeAlias = Callable[[HubService, Request], Awaitable[Response]]
HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # a code is in the address
}


# The browser goes on to the device. Chrome applies `form-action` to where a form leads, too.
_PAGE_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none';"
    " form-action 'self' http://127.0.0.1:*",
    "x-frame-options": "DENY",
}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in to the hub</title></head><body><main>
<h1>Sign in as {name}?</h1>
<p>The device “{device}” at the network address {address} wants to be {name}.</p>
<p>If you did not run <code>lacuna hub login</code> there yourself, close this page.</p>
<form method="post" action="confirm"><input type="hidden" name="secret" value="{secret}">
<button>Continue as {name}</button></form></main></body></html>
"""


class OpenEndpoint(NamedTuple):
    """A method and a path that need no token, and what answers."""

    method: str
    path: str
    answer: Answer


async def _begin(service: HubService, request: Request) -> Response:
    asked = await body(request, HubLoginRequest, MAX_QUERY)
    address = request.client.host if request.client is not None else ""
    found = await run_sync(service.sign_in.begin, asked, address)
    return Response(found.model_dump_json(), media_type="application/json", headers=HEADERS)


async def _come_back(service: HubService, request: Request) -> Response:
    given = request.query_params
    returned = Returned(given.get("state", ""), given.get("code", ""), given.get("iss", ""))
    found = await run_sync(service.sign_in.come_back, returned)
    if isinstance(found, str):
        return RedirectResponse(found, status_code=303, headers=HEADERS)
    said = {name: escape(value) for name, value in asdict(found).items()}
    return HTMLResponse(_PAGE.format(**said), headers={**HEADERS, **_PAGE_HEADERS})


async def _confirm(service: HubService, request: Request) -> Response:
    sent = parse_qs((await short_body(request, MAX_QUERY)).decode("ascii", "replace"))
    device = await run_sync(service.sign_in.confirm, sent.get("secret", [""])[0])
    return RedirectResponse(device, status_code=303, headers=HEADERS)


async def _redeem(service: HubService, request: Request) -> Response:
    asked = await body(request, HubLoginCode, MAX_QUERY)
    found = await run_sync(service.sign_in.redeem, asked)
    return Response(found.model_dump_json(), media_type="application/json", headers=HEADERS)


OPEN_ENDPOINTS = (
    OpenEndpoint("POST", "/hub/v1/login", _begin),
    OpenEndpoint("GET", "/hub/v1/login/callback", _come_back),
    OpenEndpoint("POST", "/hub/v1/login/confirm", _confirm),
    OpenEndpoint("POST", "/hub/v1/login/token", _redeem),
)
