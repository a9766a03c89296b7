"""What every request passes first: host, origin, identity and size; and what every answer carries.

A page of another site can send requests here through the user's browser, also under a name of its
own that resolves to this machine (DNS rebinding). So the host is compared whole, foreign origins
are refused, and changes need a token in a header, which no other site can send.
"""

import math
from collections.abc import Collection

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from daemon.faces.request_rate import RequestRate
from daemon.faces.web.access import KNOWN, Access, Session, is_same
from daemon.faces.web.problems import problem

FORM_TOKEN = "x-lacuna-token"  # noqa: S105 the name of a header
MAX_BODY = 1_000_000  # bytes
_BODY_SECONDS = 30.0  # in which the whole body of a request must come
_MAX_STRANGER_BODY = 4096  # bytes, of who is not signed in: a code or a password
_STRANGER_BODY_SECONDS = 5.0
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OTHER_SITES = frozenset({"cross-site", "same-site"})
_FOR_PROGRAMS = ("/api/", "/mcp", "/metrics")
_LOGIN = "/login"
_OPEN_PATHS = (_LOGIN, "/healthz")
_OPEN_FOLDER = "/static/"
_PROGRAM = "program"  # all that know the token
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class TooLargeError(Exception):
    """A body that is longer than `most` bytes, which it may have."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most


class SlowBodyError(Exception):
    """A body that does not come within `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], access: Access) -> None:
        """`hosts` are the allowed values of the header `Host`, with the port.

        Where there is a password, there is TLS.
        """
        self._app = app
        self._hosts = frozenset(hosts)
        scheme = "https" if access.has_password else "http"
        self._origins = frozenset(f"{scheme}://{host}" for host in hosts)
        self._access = access
        self._rate = RequestRate()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no websockets
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        refused = self._refused(scope, headers)
        app = refused or self._app
        is_known = KNOWN in scope.get("state", {})
        most, seconds = _body_limits(is_known=is_known)
        received, deadline = 0, anyio.current_time() + seconds

        async def limited() -> Message:
            nonlocal received, deadline
            with anyio.CancelScope(deadline=deadline) as in_time:
                message = await receive()
            if in_time.cancelled_caught:
                raise SlowBodyError(seconds)
            received += len(message.get("body", b""))
            if received > most:
                raise TooLargeError(most)
            if not message.get("more_body"):
                deadline = math.inf  # what comes now is that the client disconnects
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    answer.setdefault(name, value)
            await send(message)

        await app(scope, limited, with_headers)

    def _refused(self, scope: Scope, headers: Headers) -> Response | None:
        """Return why a request is refused, or None; keep its session in the scope."""
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self._hosts:
            return problem(421, "this server answers only under its own address")
        origins = headers.getlist("origin")
        if origins and (len(origins) > 1 or origins[0].lower() not in self._origins):
            return problem(403, "requests of other sites are refused")
        if headers.get("sec-fetch-site") in _OTHER_SITES and not _is_visit(scope, headers):
            return problem(403, "requests of other sites are refused")
        refused = self._unauthorized(scope, headers)
        most, _ = _body_limits(is_known=KNOWN in scope["state"])
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length[:12]) > most:
            return refused or too_large(most)
        return refused

    def _unauthorized(self, scope: Scope, headers: Headers) -> Response | None:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._access.is_token(token.strip()):
            scope.setdefault("state", {}).update({"session": None, KNOWN: True})
            return self._too_many(_PROGRAM)
        if scheme and (seconds := self._access.wait_after_failure()):
            return problem(429, "there were too many wrong tokens", {"retry-after": str(seconds)})
        session = self._session(headers)
        scope.setdefault("state", {})["session"] = session
        if session is not None:
            scope["state"][KNOWN] = True
        path = scope["path"]
        is_open = path in _OPEN_PATHS or path.startswith(_OPEN_FOLDER)
        if session is None and not is_open:
            return self._unknown(scope, headers)
        if path == _LOGIN or (is_open and scope["method"] in _SAFE_METHODS):
            return None
        return self._of_browser(scope["method"], session, headers.get(FORM_TOKEN, ""))

    def _unknown(self, scope: Scope, headers: Headers) -> Response:
        """Return how to sign in."""
        if "text/html" not in headers.get("accept", ""):
            return problem(401, "the token is missing or wrong", {"www-authenticate": "Bearer"})
        if self._access.has_password and scope["method"] in _SAFE_METHODS:
            return RedirectResponse(_LOGIN, 303)
        return Response(
            "Not signed in. Open the link that `lacuna web` shows, or run `lacuna open`.",
            401,
            media_type="text/plain",
        )

    def _of_browser(self, method: str, session: Session | None, token: str) -> Response | None:
        """Return why a request of a browser is refused, or None."""
        if session is not None and (many := self._too_many(session.id)):
            return many
        if method in _SAFE_METHODS:
            return None
        if session is None or not self._is_form_token(session, token):
            return problem(403, f"the header {FORM_TOKEN} is missing or wrong")
        return None

    def _too_many(self, sender: str) -> Response | None:
        if seconds := self._rate.wait(sender):
            why = "there were too many requests within a minute"
            return problem(429, why, {"retry-after": str(seconds)})
        return None

    def _session(self, headers: Headers) -> Session | None:
        cookies = cookie_parser(headers.get("cookie", ""))
        return self._access.session(cookies.get(self._access.cookie, ""))

    @staticmethod
    def _is_form_token(session: Session, token: str) -> bool:
        return is_same(token, session.form_token)


def _is_visit(scope: Scope, headers: Headers) -> bool:
    """Return whether a browser follows a link to a page: all that other sites may do."""
    is_page = not scope["path"].startswith(_FOR_PROGRAMS)
    is_reading = scope["method"] in _SAFE_METHODS
    return is_page and is_reading and headers.get("sec-fetch-mode") == "navigate"


def _body_limits(*, is_known: bool) -> tuple[int, float]:
    """Return how many bytes a body may have, and within how many seconds it must come."""
    if is_known:
        return MAX_BODY, _BODY_SECONDS
    return _MAX_STRANGER_BODY, _STRANGER_BODY_SECONDS


def too_slow(seconds: float) -> Response:
    """Return the answer to a request whose body does not come; the connection is then closed."""
    why = f"the body of a request must come within {seconds:g} seconds"
    return problem(408, why, {"connection": "close"})


def too_large(most: int) -> Response:
    """Return the answer to a request with too long a body."""
    return problem(413, f"a request may have {most} bytes")
