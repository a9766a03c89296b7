"""A browser that comes back to this machine with a code, as for native applications (RFC 8252)."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from daemon.model.errors import HubError

_SECONDS = 300.0  # for somebody who signs in
_REQUEST_SECONDS = 5.0
_DONE = b"You are signed in. You can close this page.\n"
_REFUSED = b"This page belongs to another login.\n"


class BrowserAnswer:
    """Waits on the loopback for the browser of one login, which shows `state`."""

    def __init__(self, state: str, seconds: float = _SECONDS) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.state, self._until = state, time.monotonic() + seconds

    @property
    def port(self) -> int:
        """Where it waits."""
        return int(self._server.server_address[1])

    def code(self) -> str:
        """Return the code. Raises HubError if nobody signs in, or the hub refused somebody."""
        while not self._server.answer:
            left = self._until - time.monotonic()
            if left <= 0:
                raise HubError("nobody signed in: try again")
            self._server.timeout = left
            self._server.handle_request()
        code, why = self._server.answer
        if not code:
            raise HubError(why or "the hub refused the login")
        return code

    def close(self) -> None:
        """Listen no more."""
        self._server.server_close()


@contextmanager
def waiting_for_browser(state: str) -> Iterator[BrowserAnswer]:
    """Listen until the block ends."""
    made = BrowserAnswer(state)
    try:
        yield made
    finally:
        made.close()


class _Server(HTTPServer):
    state = ""
    answer: tuple[str, str] | None = None  # the code, and why there is none


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _REQUEST_SECONDS  # a connection that says nothing keeps nobody waiting for long

    def do_GET(self) -> None:
        """Take the code of this login, and nothing else: any page may send a browser here."""
        given = parse_qs(urlsplit(self.path).query)
        is_ours = given.get("state") == [self.server.state]
        if is_ours:
            code, why = (given.get(name, [""])[0] for name in ("code", "error"))
            self.server.answer = code, " ".join(why.split())[:200]
        self.send_response(HTTPStatus.OK if is_ours else HTTPStatus.BAD_REQUEST)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(
            (_DONE if code else b"The hub refused the login.\n") if is_ours else _REFUSED
        )

    def log_message(self, *_: object) -> None:
        """Write nothing: a code is in the address."""
