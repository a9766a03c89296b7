"""The web page and the REST interface."""

import os
import socket
import sys
import webbrowser
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex

import click

from daemon.cli.group import things_of
from daemon.cli.logs import log_to_stderr
from daemon.cli.options import Options, common
from daemon.cli.output import warn
from daemon.cli.own_process import may_confine
from daemon.faces.web.access import Access
from daemon.faces.web.editor import OpenNote
from daemon.faces.web.first_run import guide
from daemon.faces.web.setup_pages import SetupPages
from daemon.faces.web.web_server import (
    LOOPBACK,
    Certificate,
    Mounted,
    Server,
    application,
    inherited,
    listening,
    server_for,
)
from daemon.host.note_opener import note_opener
from daemon.host.work_process import WorkProcess
from daemon.usecases import event_history
from daemon.usecases.apart import run_apart
from daemon.usecases.assistants import AssistantLog
from daemon.usecases.invoker import Invoker
from daemon.usecases.liveness import has_daemon
from daemon.usecases.place import has_hub, has_vault, settings_of, vaults_of_obsidian
from daemon.usecases.served_vault import ServedVault, served_vault
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
from daemon.usecases.web_password import password_check
from daemon.usecases.web_password import set_password as store_password

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


@dataclass(frozen=True, slots=True)
class _Outside:
    """How other machines may connect: under which name, and with which certificate."""

    host: str
    certificate: Certificate


_file = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@_port
@click.option(
    "--host",
    metavar="NAME",
    help="Let other machines connect, under this name or address only; needs a certificate and a"
    " password.",
)
@click.option(
    "--certificate",
    nargs=2,
    type=_file,
    metavar="CHAIN KEY",
    help="With --host: files of the TLS certificate and of its key (PEM).",
)
@click.option(
    "--set-password", is_flag=True, help="Ask for the password of --host, and store its hash."
)
@click.option(
    "--rotate-token",
    is_flag=True,
    help="First replace the token of the REST interface and sign out all browsers.",
)
@click.option("--mcp", is_flag=True, help="Also serve assistants, at /mcp.")
@click.option(
    "--settings",
    is_flag=True,
    help="Let the page change settings that run no program, widen no access, send nothing out,"
    " spend nothing, delete no record, and name no file or address.",
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
    host: str | None,
    certificate: tuple[Path, Path] | None,
    set_password: bool,
    rotate_token: bool,
    listener: int | None,
    **served: bool,
) -> None:
    """Serve a page and a REST interface on this machine, until Ctrl-C.

    Only this machine can connect, unless you give `--host`. The command shows a link that signs in
    one browser, once.
    """
    log_to_stderr("warning")
    outside = _outside(host, certificate)
    wants_settings = served["settings"]
    number = _of_systemd() if listener is None else listener
    if number is None and outside is None and not has_vault(options):
        _guide(options, port)
        if not has_vault(options):  # it ended by a signal
            return
    # What the daemon or systemd starts is confined already, and so would be the editor.
    opens_notes = number is None and outside is None and not set_password
    with (
        note_opener(options) if opens_notes else nullcontext() as open_note,
        served_vault(options, confined=may_confine(), writes_settings=wants_settings) as app,
    ):
        wanted = web_settings(app)
        if set_password:
            _ask_password(app)
            return
        if rotate_token:
            access_token(app, rotate=True)
            if is_served(app, port := wanted.port if port is None else port):
                click.echo(f"The token was replaced; the server on port {port} uses the new one.")
                click.echo("Browsers were signed out; `lacuna open` signs one in again.")
                return
        served["mcp"] |= number is not None and wanted.mcp
        port = wanted.port if port is None else port
        if outside is not None:
            _serve_outside(app, options, outside, port, _Served(**served))
        elif number is not None:
            _serve(app, options, inherited(number), _Served(**served), wanted.idle_minutes)
        else:
            _serve(app, options, listening(port), _Served(**served), open_note=open_note)


def _serve(
    app: ServedVault,
    options: Options,
    listener: socket.socket,
    served: _Served,
    idle_minutes: float | None = None,
    *,
    open_note: OpenNote | None = None,
) -> None:
    """Serve until a signal; with `idle_minutes` also until nobody is connected for as long."""
    port = listener.getsockname()[1]
    use = Invoker(app, warn, _work_process(app, options))
    access = Access(CurrentToken(app), port=port)
    server = _server(app, options, use, access, port, served, open_note=open_note)
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


def _serve_outside(
    app: ServedVault, options: Options, outside: _Outside, port: int, served: _Served
) -> None:
    """Serve other machines until a signal, over TLS and with the password only."""
    is_password = password_check(app)
    with closing(listening(port, outside.host)) as listener:
        port = listener.getsockname()[1]
        access = Access(CurrentToken(app), port=port, is_password=is_password)
        use = Invoker(app, warn, _work_process(app, options))
        server = _server(app, options, use, access, port, served, outside)
        click.echo(f"Open https://{outside.host}:{port}/ and sign in with the password.")
        sys.stdout.flush()
        try:
            server.run(sockets=[listener])
        finally:
            use.end()


def _server(
    app: ServedVault,
    options: Options,
    use: Invoker,
    access: Access,
    port: int,
    served: _Served,
    outside: _Outside | None = None,
    *,
    open_note: OpenNote | None = None,
) -> Server:
    follow = partial(event_history.follow, app)
    setup = SetupPages(options, may_change=served.settings)
    mounted = _mcp(app, use, allow_actions=served.allow_actions) if served.mcp else None
    host, certificate = (outside.host, outside.certificate) if outside is not None else ("", None)
    pages = application(
        use,
        follow,
        access,
        port,
        mounted,
        setup,
        _as_pdf,
        host,
        has_hub=has_hub(options),
        open_note=open_note,
    )
    server = server_for(pages, certificate)
    server.on_exit = use.stop
    return server


def _work_process(app: ServedVault, options: Options) -> WorkProcess:
    """Return the process that works while no daemon runs; started now if none does.

    Raises LacunaError, also when the vault cannot be opened.
    """
    command = [sys.executable, "-P", "-m", "daemon.cli.web_work"]
    place = [path and str(path) for path in (options.vault, options.config, options.state)]
    work = WorkProcess(command, {"place": place})
    if not has_daemon(app):
        work.start()
    return work


def _outside(host: str | None, certificate: tuple[Path, Path] | None) -> _Outside | None:
    """Return how other machines may connect, or None. Raises UsageError, LacunaError."""
    if host is None and certificate is None:
        return None
    if host is None:
        raise click.UsageError("--certificate is for --host, which names this machine")
    if certificate is None:
        raise click.UsageError("other machines may connect only over TLS: give --certificate, too")
    found = _Outside(host, Certificate(*certificate))
    found.certificate.check()
    return found


def _ask_password(app: ServedVault) -> None:
    """Read a password: without echo at a terminal, otherwise a line of standard input."""
    if sys.stdin.isatty():
        given = str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    else:
        given = sys.stdin.readline().rstrip("\n")
    store_password(app, given)
    click.echo("The password is set; a running server uses it after its next start.")


def _guide(options: Options, port: int | None) -> None:
    """Serve first steps until a vault is set up, or a signal."""
    listener = listening(settings_of(options).web.port if port is None else port)
    port = listener.getsockname()[1]
    token = token_hex(32)  # no program knows it
    access = Access(lambda: token, port=port)
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
    return run_apart("daemon.cli.pdf", note.encode("utf-8", "replace"))


def _mcp(app: ServedVault, use: Invoker, *, allow_actions: bool) -> Mounted:
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
    with served_vault(options) as app:
        port = web_settings(app).port if port is None else port
        link = _link(port, login_code(app, port))
        page = redirect_page(app, link)
    is_open = webbrowser.open(page.as_uri())
    click.echo(f"{'If your browser shows no page, open' if is_open else 'Open'} {link}")


def _link(port: int, code: str) -> str:
    return f"http://{LOOPBACK}:{port}/login#{code}"
