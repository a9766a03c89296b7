"""The web server on the loopback, in this process, and clients of it."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode

from starlette.types import ASGIApp

from daemon.app import App
from daemon.cli.options import Options
from daemon.composition import open_app
from daemon.config import load_settings
from daemon.faces.mcp.over_http import HttpServer
from daemon.faces.web.access import Access
from daemon.faces.web.api import Answer
from daemon.faces.web.editor import OpenNote
from daemon.faces.web.event_stream import Follow
from daemon.faces.web.first_run import guide
from daemon.faces.web.setup_pages import SetupPages
from daemon.faces.web.web_server import Mounted, application, listening, server_for
from daemon.usecases import event_history
from daemon.usecases.assistants import AssistantLog
from daemon.usecases.in_process import InProcess
from daemon.usecases.invoker import Invoker
from daemon.usecases.web_access import CurrentToken, code_listener
from tests.fakes.cli import Cli

TOKEN = "7" * 64
JSON = {"content-type": "application/json"}
Around = Callable[[ASGIApp], ASGIApp]


@dataclass(frozen=True)
class Answered:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class Site:
    """A running server, and how to send it requests."""

    port: int
    access: Access
    cookies: dict[str, str] = field(default_factory=dict)

    def __call__(
        self, method: str, path: str, body: str | bytes | None = None, **headers: str
    ) -> Answered:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        with closing(connection):
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answered(answer.status, found, answer.read().decode())

    def program(self, method: str, path: str, body: Any = None, **headers: str) -> Answered:
        """Send a request with the token, as a program does."""
        text = None if body is None else json.dumps(body)
        return self(method, path, text, authorization=f"Bearer {TOKEN}", **JSON, **headers)

    def sign_in(self) -> None:
        """Open a login link, as a browser does."""
        answer = self("POST", "/login", urlencode({"code": self.access.new_code()}))
        name, _, value = answer.headers["set-cookie"].partition(";")[0].partition("=")
        self.cookies[name] = value


class Unanswered:
    """Use cases that nobody asks for."""

    def __call__(self, *_: object, **__: object) -> Any:
        raise AssertionError

    def by_name(self, _name: str, _body: Mapping[str, Any]) -> Any:
        raise AssertionError


@contextmanager
def serving(
    answer: Answer,
    follow: Follow,
    mounted: Mounted | None = None,
    private: Callable[[int], list[socket.socket]] = lambda _port: [],
    setup: SetupPages | None = None,
    around: Around = lambda app: app,
    token: Callable[[], str] = lambda: TOKEN,
    *,
    has_hub: bool = False,
    open_note: OpenNote | None = None,
) -> Iterator[Site]:
    """Serve until the end of the block; `private` makes sockets of the owner for a port.

    What is `around` the application gets each request first.
    """
    listener = listening(0)
    port = listener.getsockname()[1]
    access = Access(token, port=port)
    pages = application(
        answer, follow, access, port, mounted, setup, has_hub=has_hub, open_note=open_note
    )
    server = server_for(around(pages))
    sockets = [listener, *private(port)]
    thread = threading.Thread(target=server.run, kwargs={"sockets": sockets})
    thread.start()
    try:
        yield Site(port, access)
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def serving_guide(vaults: Sequence[str]) -> Iterator[Site]:
    """Serve the first steps of who has no vault yet until the end of the block."""
    listener = listening(0)
    port = listener.getsockname()[1]
    access = Access(lambda: TOKEN, port=port)
    app = guide(access, [f"127.0.0.1:{port}"], list(vaults), lambda: False, lambda: None)
    server = server_for(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Site(port, access)
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def serving_vault(
    of: Cli,
    *,
    mcp: bool = False,
    around: Around = lambda app: app,
    with_token_file: bool = False,
    open_note: OpenNote | None = None,
) -> Iterator[Site]:
    """Serve the vault of a command line, without a daemon; with `mcp` also assistants.

    The token is TOKEN, or that of the state folder.
    """
    with closing(open_app(load_settings(of.config), config=of.config)) as app:
        follow = partial(event_history.follow, app)
        use = Invoker(app, print, InProcess(app, print))
        mounted = HttpServer(use, AssistantLog(app), allow_actions=False) if mcp else None
        private = partial(_code_listeners, app)
        token = CurrentToken(app) if with_token_file else lambda: TOKEN
        setup = SetupPages(Options(config=of.config), may_change=True)
        with serving(
            use, follow, mounted, private, setup, around, token, open_note=open_note
        ) as site:
            yield site
        use.end()  # of questions that nobody awaits


def _code_listeners(app: App, port: int) -> list[socket.socket]:
    return [code_listener(app, port)]
