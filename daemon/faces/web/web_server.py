"""The application and the process that serves it, on the loopback address only."""

import socket
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from typing import Protocol

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from daemon.faces.web.access import Access
from daemon.faces.web.api import ROOT, Answer, Api, json_response
from daemon.faces.web.event_stream import EventStream, Follow
from daemon.faces.web.html_pages import Pages
from daemon.faces.web.openapi import description
from daemon.faces.web.problems import problem
from daemon.faces.web.request_guard import Guard, TooLargeError, too_large
from daemon.model.errors import LacunaError

LOOPBACK = "127.0.0.1"
_MAX_CONNECTIONS = 64
_KEEP_ALIVE = 15  # seconds


class Mounted(Protocol):
    """Another interface on the same server: where, and the block in which it serves."""

    path: str

    @property
    def app(self) -> ASGIApp: ...

    def running(self) -> AbstractAsyncContextManager[None]: ...


def application(
    answer: Answer, follow: Follow, access: Access, port: int, mounted: Mounted | None = None
) -> ASGIApp:
    """Return the ASGI application for a port of the loopback address."""
    api = Api(answer)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with mounted.running() if mounted is not None else nullcontext():
            yield

    routes = [
        Route("/healthz", _healthz, methods=["GET"]),
        Route(f"{ROOT}/openapi.json", _openapi, methods=["GET"]),
        Route(f"{ROOT}/login-codes", partial(_login_code, access), methods=["POST"]),
        *api.routes(),
        *EventStream(follow).routes(),
        *Pages(api, access).routes(),
        *([Route(mounted.path, mounted.app)] if mounted is not None else []),
    ]
    hosts = [f"{name}:{port}" for name in (LOOPBACK, "localhost")]
    failures = {TooLargeError: _too_large, Exception: _failed}
    app = Starlette(routes=routes, exception_handlers=failures, lifespan=lifespan)
    return Guard(app, hosts, access)


def listening(port: int) -> socket.socket:
    """Return a socket that listens on the loopback address. Raises LacunaError."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise LacunaError(
            f"cannot listen on {LOOPBACK}:{port} ({error.strerror}): another program may use this "
            "port; choose one with `--port`"
        ) from None
    return listener


def server_for(app: ASGIApp) -> uvicorn.Server:
    """Return a server that is not started yet."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,  # addresses of notes are in no log
        server_header=False,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=2,
        lifespan="on",
        ws="none",
        h11_max_incomplete_event_size=65_536,
    )
    return uvicorn.Server(config)


async def _too_large(_request: Request, _error: Exception) -> Response:
    return too_large()


async def _failed(_request: Request, error: Exception) -> Response:
    """Answer a request that failed unexpectedly; the log has the traceback."""
    return problem(500, f"an error of Lacuna: {type(error).__name__}; see its log")


async def _healthz(_request: Request) -> Response:
    return PlainTextResponse("ok")


async def _openapi(_request: Request) -> Response:
    return json_response(description())


async def _login_code(access: Access, _request: Request) -> Response:
    """Return a code for a login link, to a program that has the token."""
    return json_response({"code": access.new_code()}, 201)
