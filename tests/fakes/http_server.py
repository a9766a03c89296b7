"""A real HTTP server on the loopback: recorded bodies, errors, and every way to misbehave."""

import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that arrived; header names are in lower case."""

    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    method: str = "GET"
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Reply:
    """What to send. `raw` is written to the socket as it is, in place of all else.

    `claims` is the Content-Length to announce, when it is to be a lie; `endless` repeats the body
    until the client goes away; `hangs` sends the headers and half of the body, then waits until
    the server closes; `silent` sends nothing at all and waits.
    """

    body: bytes = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    claims: int | None = None
    endless: bool = False
    hangs: bool = False
    silent: bool = False
    raw: bytes | None = None


Answering = Callable[[Asked], Reply]


class HttpServer:
    """Serves `routes` by path; `fallback` answers the rest (by default 404)."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.routes: dict[str, Reply | Answering] = {}
        self.fallback: Reply | Answering = Reply(b"not here", 404, "text/plain")
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        self.left = threading.Semaphore(0)  # one for each client that left a reply that hangs
        self._scheme = "http" if context is None else "https"
        self._server = _Server(self)
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def origin(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}"

    def reply_to(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        route = self.routes.get(asked.path, self.fallback)
        return route(asked) if callable(route) else route

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[HttpServer]:
    """Run a server for as long as the block lasts."""
    server = HttpServer(context)
    try:
        yield server
    finally:
        server.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self, owner: HttpServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Requests)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that leaves, or refuses a certificate, is part of many tests."""


class _Requests(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        params = {key: values[0] for key, values in parse_qs(parts.query, True).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", 0)))
        asked = Asked(parts.path, params, headers, self.command, body)
        reply = self.server.owner.reply_to(asked)
        self.close_connection = True
        try:
            self._send(reply)
        except OSError:
            if reply.hangs:
                self.server.owner.left.release()

    def _send(self, reply: Reply) -> None:
        closing = self.server.owner.closing
        if reply.silent:
            closing.wait(60)
            return
        if reply.raw is not None:
            self.wfile.write(reply.raw)
            return
        self._send_headers(reply)
        if reply.hangs:
            self.wfile.write(reply.body[: len(reply.body) // 2])
            self.wfile.flush()
            while not closing.is_set():
                if select.select([self.connection], [], [], 0.02)[0]:
                    self.server.owner.left.release()
                    return
            return
        self.wfile.write(reply.body)
        while reply.endless and not closing.is_set():
            self.wfile.write(reply.body)

    def _send_headers(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        if not reply.endless:
            claims = len(reply.body) if reply.claims is None else reply.claims
            self.send_header("Content-Length", str(claims))
        self.send_header("Connection", "close")  # or a client may send the next request here
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Tests say what they want to say themselves."""


def closed_port() -> int:
    """Find a port of the loopback that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
