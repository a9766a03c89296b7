"""The application and the process that serves it, on the loopback address only."""

import os
import socket
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Protocol, cast

import uvicorn
from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from daemon.faces.web.access import Access
from daemon.faces.web.api import ROOT, Answer, Api, json_response
from daemon.faces.web.asked import Questions
from daemon.faces.web.downloads import AsPdf, Downloads
from daemon.faces.web.editor import Editor, OpenNote
from daemon.faces.web.event_stream import EventStream, Follow
from daemon.faces.web.head_timeout import BACKLOG, HEAD_SECONDS, MAX_STRANGERS, ImpatientProtocol
from daemon.faces.web.html_pages import Pages
from daemon.faces.web.metrics import Metrics
from daemon.faces.web.problems import problem
from daemon.faces.web.request_guard import (
    HEADERS,
    Guard,
    SlowBodyError,
    TooLargeError,
    too_large,
    too_slow,
)
from daemon.faces.web.setup_pages import SetupPages
from daemon.host.memory import release_memory, return_large_blocks
from daemon.model.errors import LacunaError
from daemon.usecases.apart import run_apart

LOOPBACK = "127.0.0.1"
_MAX_KNOWN = 64  # connections, at least, for clients that are signed in or have the token
_HTTP_PORT, _HTTPS_PORT = 80, 443  # which browsers leave out
_LOOK_TICKS = 20  # two seconds
_FULL = {**HEADERS, "connection": "close", "retry-after": "5"}


class Mounted(Protocol):
    """Another interface on the same server: where, and the block in which it serves."""

    path: str

    @property
    def app(self) -> ASGIApp: ...

    def running(self) -> AbstractAsyncContextManager[None]: ...


def application(  # noqa: PLR0913 all that the pages need
    answer: Answer,
    follow: Follow,
    access: Access,
    port: int,
    mounted: Mounted | None = None,
    setup: SetupPages | None = None,
    as_pdf: AsPdf | None = None,
    host: str = "",
    *,
    has_hub: bool = False,
    open_note: OpenNote | None = None,
) -> ASGIApp:
    """Return the ASGI application for a port of the loopback address, or of `host`.

    `open_note` opens notes on this machine: nothing for clients on another one.
    """
    questions, metrics = Questions(answer), Metrics()
    api = Api(answer, questions)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with mounted.running() if mounted is not None else nullcontext():
            yield

    routes = [
        Route("/healthz", _healthz, methods=["GET"]),
        metrics.route(api.carry_out),
        Route(f"{ROOT}/openapi.json", _openapi, methods=["GET"]),
        *api.routes(),
        *EventStream(follow, api, questions, access).routes(),
        *Pages(api, access).routes(),
        *Editor(api, open_note).routes(),
        *Downloads(api, setup.place if setup is not None else None, as_pdf).routes(),
        *(setup.routes() if setup is not None else []),
        *([Route(mounted.path, mounted.app)] if mounted is not None else []),
    ]
    names = (f"[{host}]" if ":" in host else host,) if host else (LOOPBACK, "localhost")
    usual = _HTTPS_PORT if host else _HTTP_PORT
    hosts = [f"{name}:{port}".lower() for name in names] + list(names if port == usual else ())
    failures = {
        HTTPException: _unknown,
        TooLargeError: _too_large,
        SlowBodyError: _too_slow,
        Exception: _failed,
    }
    site = Starlette(routes=routes, exception_handlers=failures, lifespan=lifespan)
    site.state.has_hub, site.state.opens_notes = has_hub, open_note is not None
    return _Doors(metrics.counting(Guard(site, hosts, access)), access)


class _Doors:
    """What comes over TCP passes the guard; a Unix socket, which is the owner's, gives a code."""

    def __init__(self, guarded: ASGIApp, access: Access) -> None:
        self._guarded, self._access = guarded, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["server"][1] is None:  # a path has no port
            await json_response({"code": self._access.new_code()}, 201)(scope, receive, send)
        else:
            await self._guarded(scope, receive, send)


def listening(port: int, host: str = LOOPBACK) -> socket.socket:
    """Return a socket that listens on the address of a host. Raises LacunaError."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise LacunaError(f"{host}: no address has this name ({error})") from None
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        raise LacunaError(
            f"cannot listen on {host}:{port} ({error.strerror}): another program may use this "
            "port; choose one with `--port`"
        ) from None
    return listener


@dataclass(frozen=True, slots=True)
class Certificate:
    """The files of a TLS certificate and of its key, both PEM."""

    chain: Path
    key: Path

    def check(self) -> None:
        """Load both once. Raises LacunaError."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:  # without the function, OpenSSL would ask for a passphrase
            context.load_cert_chain(self.chain, self.key, password=lambda: "")
        except (OSError, ValueError) as error:
            raise LacunaError(
                f"{self.chain} and {self.key} are no certificate and its key without a passphrase:"
                f" {error}"
            ) from None


def inherited(number: int) -> socket.socket:
    """Return a socket that another process passed on: only on the loopback address.

    Raises LacunaError.
    """
    try:
        listener = socket.socket(fileno=number)
    except OSError as error:
        raise LacunaError(f"there is no socket {number}: {error.strerror}") from None
    if listener.family != socket.AF_INET or listener.getsockname()[0] != LOOPBACK:
        listener.detach()
        raise LacunaError(f"the socket must listen on {LOOPBACK}: other machines could connect")
    return listener


class Server(uvicorn.Server):
    """A server that calls `on_exit` at the first signal: work then ends before the server does."""

    on_exit: Callable[[], None] | None = None
    idle_seconds: float | None = None  # without a connection, after which it stops
    _used_at = 0.0
    _parent: int | None = None
    _seen = _released = 0  # requests: until the last look, and until memory was last released

    def stop_when_left(self, idle_seconds: float) -> None:
        """Stop when nobody is connected for a time, or the process that started it has ended."""
        self.idle_seconds, self._parent = idle_seconds, os.getppid()
        self._used_at = time.monotonic()

    async def on_tick(self, counter: int) -> bool:
        """Return whether to stop; called ten times a second."""
        if counter % _LOOK_TICKS == 0:
            self._rest()
        return self._is_left() or await super().on_tick(counter)

    def _rest(self) -> None:
        """Release memory once no request comes any more: a page of a large vault leaves much."""
        requests = self.server_state.total_requests
        if self._released < requests == self._seen:
            release_memory()
            self._released = requests
        self._seen = requests

    def _is_left(self) -> bool:
        if self.idle_seconds is None:
            return False
        if self.server_state.connections or self.server_state.tasks:
            self._used_at = time.monotonic()
        is_idle = time.monotonic() - self._used_at > self.idle_seconds
        if is_idle or os.getppid() != self._parent:
            self.should_exit = True
        return self.should_exit

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.on_exit is not None:
            self.on_exit()
        super().handle_exit(sig, frame)


def server_for(app: ASGIApp, certificate: Certificate | None = None) -> Server:
    """Return a server that is not started yet; with a certificate, it serves TLS only."""
    return_large_blocks()

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        is_full = len(server.server_state.connections) >= MAX_STRANGERS + _MAX_KNOWN
        answer = problem(503, "the server has too much to do", _FULL) if is_full else None
        await (answer if answer and scope["type"] == "http" else app)(scope, receive, send)

    config = uvicorn.Config(
        limited,
        log_config=None,
        access_log=False,  # addresses of notes are in no log
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=HEAD_SECONDS,
        timeout_graceful_shutdown=2,
        lifespan="on",
        http=ImpatientProtocol,
        ws="none",
        h11_max_incomplete_event_size=65_536,
        ssl_certfile=certificate.chain if certificate else None,
        ssl_keyfile=certificate.key if certificate else None,
    )
    server = Server(config)
    return server


async def _unknown(request: Request, error: Exception) -> Response:
    """Answer a request for what does not exist: in words to a browser, else with a problem."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict((isinstance(error, HTTPException) and error.headers) or {})
    why = "there is nothing at this address" if status == 404 else "this address has other methods"
    if "text/html" in request.headers.get("accept", ""):
        return PlainTextResponse(f"{why.capitalize()}.", status, headers)
    return problem(status, why, headers)


async def _too_large(_request: Request, error: Exception) -> Response:
    return too_large(cast("TooLargeError", error).most)


async def _too_slow(_request: Request, error: Exception) -> Response:
    return too_slow(cast("SlowBodyError", error).seconds)


async def _failed(_request: Request, error: Exception) -> Response:
    """Answer a request that failed unexpectedly; the log has the traceback."""
    return problem(500, f"an error of Lacuna: {type(error).__name__}; see its log")


async def _healthz(_request: Request) -> Response:
    return PlainTextResponse("ok")


async def _openapi(_request: Request) -> Response:
    packed = await to_thread.run_sync(_description)
    return Response(zlib.decompress(packed), media_type="application/json")


@cache
def _description() -> bytes:
    """Return the description, compressed: it has a megabyte, and is kept."""
    return zlib.compress(run_apart("daemon.faces.web.openapi"))
