"""The web page and the REST interface."""

import os
import socket
import sys
import webbrowser
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from secrets import token_hex

import click

from daemon.cli.group import things_of
from daemon.cli.options import Options, common
from daemon.cli.output import warn
from daemon.cli.pdf import pdf_converter
from daemon.cli.session import opened
from daemon.faces.web.access import Access
from daemon.faces.web.first_run import guide
from daemon.faces.web.setup_pages import SetupPages
from daemon.faces.web.web_server import (
    LOOPBACK,
    Mounted,
    application,
    inherited,
    listening,
    server_for,
)
from daemon.usecases import event_history
from daemon.usecases.assistants import AssistantLog
from daemon.usecases.invoke import Invoker
from daemon.usecases.opening import OpenVault
from daemon.usecases.place import has_vault, settings_of
from daemon.usecases.setup import vaults_of_obsidian
from daemon.usecases.web_access import (
    CurrentToken,
    access_token,
    code_listener,
    is_served,
    login_code,
    redirect_page,
    remove_code_listener,
    web_settings,
)

_SYSTEMD_SOCKET = 3  # the first of those that systemd passes on; see sd_listen_fds(3)
_port = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="TCP port; 0: any free one.  [default: from the settings]",
)


@dataclass(frozen=True, slots=True)
class _Served:
    """What is served: the page always, assistants and the settings if they are wanted."""

    mcp: bool
    allow_actions: bool
    settings: bool


@click.command()
@_port
@click.option("--rotate-token", is_flag=True, help="Replace the token of the REST interface first.")
@click.option("--mcp", is_flag=True, help="Also serve assistants, at /mcp.")
@click.option(
    "--settings",
    is_flag=True,
    help="Let the page change settings, except those that run programs or widen access.",
)
@click.option("--allow-actions", is_flag=True, help="With --mcp: as for `lacuna mcp`.")
@click.option(
    "--listener",
    type=int,
    metavar="NUMBER",
    help="Serve on this inherited socket, as the daemon starts it, until nobody is connected.",
)
@common
def web(
    options: Options,
    *,
    port: int | None,
    rotate_token: bool,
    mcp: bool,
    settings: bool,
    allow_actions: bool,
    listener: int | None,
) -> None:
    """Serve a page and a REST interface on this machine, until Ctrl-C.

    Only this machine can connect. The command shows a link that signs in one browser, once.
    """
    number = _of_systemd() if listener is None else listener
    if number is None and not has_vault(options):
        _guide(options, port)
        if not has_vault(options):  # it ended by a signal
            return
    with opened(options, confined=True, makes_notes=True, writes_settings=settings) as app:
        wanted = web_settings(app)
        if rotate_token:
            access_token(app, rotate=True)
            if is_served(app, port := wanted.port if port is None else port):
                click.echo(f"The token was replaced; the server on port {port} uses the new one.")
                return
        served = _Served(mcp or (number is not None and wanted.mcp), allow_actions, settings)
        if number is not None:
            _serve(app, options, inherited(number), served, wanted.idle_minutes)
        else:
            _serve(app, options, listening(wanted.port if port is None else port), served)


def _serve(
    app: OpenVault,
    options: Options,
    listener: socket.socket,
    served: _Served,
    idle_minutes: float | None = None,
) -> None:
    """Serve until a signal; with `idle_minutes` also until nobody is connected for as long."""
    port = listener.getsockname()[1]
    access = Access(CurrentToken(app), port=port)
    use, follow = Invoker(app, warn), partial(event_history.follow, app)
    setup = SetupPages(options, may_change=served.settings)
    mounted = _mcp(app, use, allow_actions=served.allow_actions) if served.mcp else None
    server = server_for(application(use, follow, access, port, mounted, setup, _as_pdf))
    server.on_exit = use.stop
    if idle_minutes is not None:
        server.stop_when_left(idle_minutes * 60)
    with closing(code_listener(app, port)) as private:
        if idle_minutes is None:
            click.echo(f"Open {_link(port, access.new_code())}")
            click.echo("The link works once, for two minutes; `lacuna open` opens another one.")
        sys.stdout.flush()
        try:
            server.run(sockets=[listener, private])
        finally:
            remove_code_listener(app, port)
            use.end()


def _guide(options: Options, port: int | None) -> None:
    """Serve first steps until a vault is set up, or a signal."""
    listener = listening(settings_of(options).web.port if port is None else port)
    port = listener.getsockname()[1]
    access = Access(lambda: token_hex(32), port=port)  # no program knows it
    vaults = [str(each) for each in vaults_of_obsidian()]
    hosts = [f"{name}:{port}" for name in (LOOPBACK, "localhost")]

    def end() -> None:
        server.should_exit = True

    server = server_for(guide(access, hosts, vaults, partial(has_vault, options), end))
    click.echo(f"No vault is set up yet. For first steps, open {_link(port, access.new_code())}")
    sys.stdout.flush()
    with closing(listener):
        server.run(sockets=[listener])


def _of_systemd() -> int | None:
    """Return the number of a socket that systemd passed on to this process."""
    is_ours = os.environ.get("LISTEN_PID") == str(os.getpid())
    return _SYSTEMD_SOCKET if is_ours and os.environ.get("LISTEN_FDS") == "1" else None


def _as_pdf(note: str) -> bytes:
    return pdf_converter()(note)


def _mcp(app: OpenVault, use: Invoker, *, allow_actions: bool) -> Mounted:
    """Return the server for assistants: 25 MB, loaded only for who asks for it."""
    made: Mounted = things_of("daemon.faces.mcp.over_http")["HttpServer"](
        use, AssistantLog(app), allow_actions=allow_actions
    )
    return made


@click.command("open")
@click.option("--port", type=click.IntRange(1, 65535),
              help="Port that `lacuna web` listens on.  [default: from the settings]")  # fmt: skip
@common
def open_page(options: Options, *, port: int | None) -> None:
    """Open the page of `lacuna web` in the browser, signed in.

    With `web.enabled`, the daemon starts the server first if it is not running.
    """
    with opened(options) as app:
        port = web_settings(app).port if port is None else port
        link = _link(port, login_code(app, port))
        page = redirect_page(app, link)
    is_open = webbrowser.open(page.as_uri())
    click.echo(f"{'If your browser shows no page, open' if is_open else 'Open'} {link}")


def _link(port: int, code: str) -> str:
    return f"http://{LOOPBACK}:{port}/login#{code}"
