"""The web page and the REST interface."""

import json
import sys
import webbrowser
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import partial
from http.client import HTTPConnection, HTTPException

import click

from daemon.cli.options import Options, common
from daemon.cli.output import warn
from daemon.cli.session import opened
from daemon.faces.web.access import Access
from daemon.faces.web.web_server import LOOPBACK, Mounted, application, listening, server_for
from daemon.model.errors import LacunaError
from daemon.model.event import BaseEvent
from daemon.usecases import activities
from daemon.usecases.invoke import Invoker
from daemon.usecases.opening import OpenVault
from daemon.usecases.web_access import access_token

_PORT = 7431
_PATIENCE = 5.0  # seconds that a running server may take to answer
_port = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_PORT,
    show_default=True,
    help="TCP port; 0: any free one.",
)


@click.command()
@_port
@click.option("--rotate-token", is_flag=True, help="Replace the token of the REST interface first.")
@click.option("--mcp", is_flag=True, help="Also serve assistants, at /mcp.")
@click.option("--allow-actions", is_flag=True, help="With --mcp: as for `lacuna mcp`.")
@common
def web(options: Options, *, port: int, rotate_token: bool, mcp: bool, allow_actions: bool) -> None:
    """Serve a page and a REST interface on this machine, until Ctrl-C.

    Only this machine can connect. The command shows a link that signs in one browser, once.
    """
    listener = listening(port)
    port = listener.getsockname()[1]
    with opened(options, confined=True, makes_notes=True) as app:
        access = Access(access_token(app, rotate=rotate_token))
        use, follow = Invoker(app, warn), partial(_follow, app)
        mounted = _mcp(use, allow_actions=allow_actions) if mcp else None
        asgi = application(use, follow, access, port, mounted)
        click.echo(f"Open {_link(port, access.new_code())}")
        click.echo("The link works once, for two minutes; `lacuna open` opens another one.")
        sys.stdout.flush()
        server_for(asgi).run(sockets=[listener])


def _mcp(use: Invoker, *, allow_actions: bool) -> Mounted:
    from daemon.faces.mcp.over_http import HttpServer  # noqa: PLC0415 25 MB, for who asks for it

    return HttpServer(use, allow_actions=allow_actions)


@click.command("open")
@_port
@common
def open_page(options: Options, *, port: int) -> None:
    """Open the page of a running `lacuna web` in the browser, signed in."""
    with opened(options) as app:
        token = access_token(app)
    link = _link(port, _code(port, token))
    if not webbrowser.open(link):
        click.echo(f"Open {link}")


def _link(port: int, code: str) -> str:
    return f"http://{LOOPBACK}:{port}/login#{code}"


def _code(port: int, token: str) -> str:
    """Ask the running server for the code of a login link. Raises LacunaError."""
    connection = HTTPConnection(LOOPBACK, port, timeout=_PATIENCE)
    with suppress(OSError, HTTPException, ValueError, KeyError):
        connection.request(
            "POST", "/api/v1/login-codes", headers={"authorization": f"Bearer {token}"}
        )
        return str(json.loads(connection.getresponse().read())["code"])
    raise LacunaError(f"no page of this vault is served on port {port}: start it with `lacuna web`")


def _follow(app: OpenVault, is_over: Callable[[], bool], after: int | None) -> Generator[BaseEvent]:
    return activities.follow(app, is_over, after=after)
