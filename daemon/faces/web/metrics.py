"""Numbers for Prometheus: of the requests to this server, and of the vault."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from daemon.usecases.queries import QUERIES

_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
_OF_STATUS = {
    "notes": ("lacuna_notes", "Notes of the vault"),
    "links": ("lacuna_links", "Links between notes"),
    "unresolved": ("lacuna_unresolved_links", "Links to missing notes"),
    "chunks": ("lacuna_chunks", "Passages of the notes"),
    "pending_findings": ("lacuna_pending_findings", "Findings without a decision"),
    "disk_free_mb": ("lacuna_disk_free_megabytes", "Free space for the state"),
}
CarryOut = Callable[[Any, Mapping[str, Any]], Awaitable[Any]]


class Metrics:
    """Counts requests, and answers `GET /metrics`. No label contains a name or a text of notes."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "lacuna_http_requests",
            "Requests",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "lacuna_http_request_seconds",
            "Seconds until the answer began",
            ("route",),
            registry=self._registry,
        )
        self._gauges = {
            key: Gauge(name, about, registry=self._registry)
            for key, (name, about) in _OF_STATUS.items()
        }
        self._daemon = Gauge(
            "lacuna_daemon_running", "1 while the daemon runs, else 0", registry=self._registry
        )

    def counting(self, app: ASGIApp) -> ASGIApp:
        """Return an application that also counts its requests."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            began = time.monotonic()

            async def noted(message: Message) -> None:
                if message["type"] == "http.response.start":
                    self._note(scope, message["status"], time.monotonic() - began)
                await send(message)

            await app(scope, receive, noted if scope["type"] == "http" else send)

        return counted

    def route(self, carry_out: CarryOut) -> Route:
        """Return the route of the numbers; `carry_out` answers a query about the vault."""

        async def metrics(_request: Request) -> Response:
            found = await carry_out(QUERIES["status"], {})
            for key, gauge in self._gauges.items():
                gauge.set(found[key])
            self._daemon.set(found["heartbeat"] is not None)
            return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)

        return Route("/metrics", metrics, methods=["GET"])

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("route")  # its pattern; a path can contain the name of a note
        path = getattr(route, "path", "other")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._requests.labels(method, path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)
