"""The web page and the REST interface."""

import sys
import webbrowser
from contextlib import closing
from functools import partial

import click

from daemon.cli.options import Options, common
from daemon.cli.output import warn
from daemon.cli.report import pdf_converter
from daemon.cli.session import opened
from daemon.faces.web.access import Access
from daemon.faces.web.setup_pages import SetupPages
from daemon.faces.web.web_server import LOOPBACK, Mounted, application, listening, server_for
from daemon.usecases import event_history
from daemon.usecases.assistants import AssistantLog
from daemon.usecases.invoke import Invoker
from daemon.usecases.web_access import (
    access_token,
    code_listener,
    login_code,
    redirect_page,
    remove_code_listener,
)

_PORT = 7431
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
@click.option("--settings", is_flag=True, help="Let the page change settings, except programs.")
@click.option("--allow-actions", is_flag=True, help="With --mcp: as for `lacuna mcp`.")
@common
def web(
    options: Options,
    *,
    port: int,
    rotate_token: bool,
    mcp: bool,
    settings: bool,
    allow_actions: bool,
) -> None:
    """Serve a page and a REST interface on this machine, until Ctrl-C.

    Only this machine can connect. The command shows a link that signs in one browser, once.
    """
    listener = listening(port)
    port = listener.getsockname()[1]
    with opened(options, confined=True, makes_notes=True, writes_settings=settings) as app:
        access = Access(access_token(app, rotate=rotate_token), port=port)
        use, follow = Invoker(app, warn), partial(event_history.follow, app)
        mounted = _mcp(use, AssistantLog(app), allow_actions=allow_actions) if mcp else None
        setup = SetupPages(options, may_change=settings)
        asgi = application(use, follow, access, port, mounted, setup, _as_pdf)
        server = server_for(asgi)
        server.on_exit = use.stop
        with closing(code_listener(app, port)) as private:
            click.echo(f"Open {_link(port, access.new_code())}")
            click.echo("The link works once, for two minutes; `lacuna open` opens another one.")
            sys.stdout.flush()
            try:
                server.run(sockets=[listener, private])
            finally:
                remove_code_listener(app, port)
                use.end()


def _as_pdf(note: str) -> bytes:
    return pdf_converter()(note)


def _mcp(use: Invoker, record: AssistantLog, *, allow_actions: bool) -> Mounted:
    from daemon.faces.mcp.over_http import HttpServer  # noqa: PLC0415 25 MB, for who asks for it

    return HttpServer(use, record, allow_actions=allow_actions)


@click.command("open")
@_port
@common
def open_page(options: Options, *, port: int) -> None:
    """Open the page of a running `lacuna web` in the browser, signed in."""
    with opened(options) as app:
        link = _link(port, login_code(app, port))
        page = redirect_page(app, link)
    is_open = webbrowser.open(page.as_uri())
    click.echo(f"{'If your browser shows no page, open' if is_open else 'Open'} {link}")


def _link(port: int, code: str) -> str:
    return f"http://{LOOPBACK}:{port}/login#{code}"
