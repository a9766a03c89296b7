"""Opening a vault for a command: reading it, or writing beside a daemon that may run."""

import logging
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from daemon.app import App, now, open_app
from daemon.cli.liveness import is_daemon, trouble_of_daemon
from daemon.cli.options import Options
from daemon.cli.output import Bars, log_to_stderr, progress, warn
from daemon.cli.own_process import confine_command
from daemon.config import Settings, load_settings
from daemon.model.errors import LacunaError, LockedError, StoppedError
from daemon.ports import Stop
from daemon.request import MAKES_AGENDA, Work, carry_out, fulfil
from daemon.store.requests import Request, RequestState

PATIENCE = 2.0  # seconds without an answer, after which it is looked why
_POLL_SECONDS = 0.2
_EMBED_LIBRARY = 30.0  # seconds that a command waits for what words find anyway
_NEED_MODEL = {"index", "research", "schedule-run"}
_NEED_NO_SYNC = {"index", "library-scan"}
_NEED_LIBRARY = {"research", "schedule-run"}
_NEED_MEANINGS = {"research", "agenda-new", "schedule-run"}


def settings_of(options: Options, **flags: Any) -> Settings:
    """Read the settings; flags given on the command line win."""
    given = {"vault": options.vault, "state": options.state, **flags}
    return load_settings(options.config, flags=given)


@contextmanager
def opened(
    options: Options, *, confined: bool = False, makes_notes: bool = False, **flags: Any
) -> Iterator[App]:
    """Open the vault that the options and the settings name, and close it again.

    With `confined`, this process can write to the inbox and the state only from here on.
    """
    log_to_stderr("warning")
    settings = settings_of(options, **flags)
    if confined:
        confine_command(settings, makes_notes=makes_notes)
    app = open_app(settings, config=options.config)
    try:
        yield app
    finally:
        app.close()


@contextmanager
def reading(options: Options, *, embed: bool = True, review: bool = False) -> Iterator[App]:
    """Open a vault whose index is up to date: a daemon keeps it so, or this command does.

    With `review`, what the user did to findings and agendas has been taken, too.
    """
    with opened(options, confined=True) as app:
        try:
            with app.writing("lacuna"), stoppable() as stop, progress() as bars:
                app.knowledge.sync(now=now(), progress=bars, stop=stop, embed=embed)
                if review:
                    _take_edits(app)
        except LockedError as error:
            if not is_daemon(app.writer()):
                warn(f"{error}: this is what the index holds so far")
            elif trouble := trouble_of_daemon(app.state):
                warn(f"{trouble}. This is what the index holds so far")
        yield app


def ask(options: Options, kind: str, body: Mapping[str, Any], **flags: Any) -> dict[str, Any]:
    """Have something written: by the daemon if one runs, else by this process.

    Unless a program reads along, what is known is told on stderr as it is known.
    """
    makes_notes = kind in MAKES_AGENDA or kind == "lead"
    with (
        opened(options, confined=True, makes_notes=makes_notes, **flags) as app,
        stoppable() as stop,
        progress() as bars,
    ):
        tell = (lambda _line: None) if options.json else bars.say
        if is_daemon(app.writer()):
            if trouble := trouble_of_daemon(app.state):
                raise LacunaError(trouble)
            return _ask_daemon(app, kind, body, bars, stop, tell)
        with app.writing(f"lacuna {kind}"):
            if kind in _NEED_MODEL:  # what it would warn of is told as the command's failure
                logging.getLogger("daemon.index.sync").setLevel(logging.ERROR)
            if kind not in _NEED_NO_SYNC:
                embed = kind in _NEED_MEANINGS
                app.knowledge.sync(now=now(), progress=bars, stop=stop, embed=embed)
                _take_edits(app)
            if kind in _NEED_LIBRARY and app.library is not None:
                # Outside of what a source may take: a library may need minutes the first time, and
                # hours until it is embedded, which the daemon does meanwhile.
                app.library.update(progress=bars, stop=stop, embed_seconds=_EMBED_LIBRARY)
            if kind in MAKES_AGENDA:
                request = app.stores.requests.begin(kind, body, now=now())
                answer = fulfil(request, app, now=now(), stop=stop, progress=bars, news=tell)
                app.delivery.start(now())  # whoever closes the app waits for it
                return answer
            return carry_out(kind, body, Work(app, now(), stop, bars))


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Let the first Ctrl-C end work at a safe point, and a second one at once.

    A run of research ends with findings of what it has by then; the second Ctrl-C leaves it as it
    is, to be taken up again.
    """
    stop = Stop()

    def on_interrupt(number: int, _frame: object) -> None:
        if stop.concludes and not stop.enough:
            stop.enough = True
            click.echo("finishing with what was found; press Ctrl-C again to stop now", err=True)
            return
        stop.asked = True
        click.echo("stopping; press Ctrl-C again to stop at once", err=True)
        signal.signal(number, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _take_edits(app: App) -> None:
    app.reviews.take(now())
    app.proposals.read(now())
    app.tidy.tidy(now())


def _say_why_it_waits(app: App, request: Request, *, has_warned: bool) -> bool:
    """Warn once that the daemon is busy, and return whether that was done.

    Raises LacunaError when it will not answer; what it has not begun is taken back.
    """
    if trouble := trouble_of_daemon(app.state):
        is_undone = app.stores.requests.withdraw(request.id)
        end = "nothing was done" if is_undone else "it goes on with this when it can"
        raise LacunaError(f"{trouble}; {end}")
    if not has_warned and request.state is RequestState.NEW:
        warn(f"waiting for {app.writer()}, which is busy; Ctrl-C ends the waiting")
        return True
    return has_warned


def _ask_daemon(
    app: App,
    kind: str,
    body: Mapping[str, Any],
    bars: Bars,
    stop: Stop,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Put a request to the running daemon and wait for its answer."""
    requests = app.stores.requests
    id_ = requests.ask(kind, body, now=now())
    told, looks_at, has_warned = 0, time.monotonic() + PATIENCE, False
    while True:
        request = requests.get(id_)
        if request is None or request.state is RequestState.FAILED:
            why = request.answer.get("error", "it failed") if request else "it was dropped"
            raise LacunaError(str(why))
        if request.state is RequestState.DONE:
            return dict(request.answer)
        news, number = request.answer.get("news", []), request.answer.get("told", 0)
        for line in news[max(0, len(news) - (number - told)) :] if number > told else ():
            tell(line)
        told = number
        if "progress" in request.answer:
            bars(*request.answer["progress"])
        if stop.asked:
            raise StoppedError("not waiting any longer; the daemon goes on with it")
        if time.monotonic() >= looks_at:
            looks_at = time.monotonic() + PATIENCE
            has_warned = _say_why_it_waits(app, request, has_warned=has_warned)
        if app.writer() is None:
            raise LacunaError("the daemon has stopped; it takes this up when it runs again")
        time.sleep(_POLL_SECONDS)
