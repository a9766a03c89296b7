"""Having a command carried out by the one writer: the daemon while it runs, else this process."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from daemon.app import App, now
from daemon.cycle.knowledge import Progress
from daemon.model.errors import LacunaError, LockedError, StoppedError
from daemon.ports import Stop
from daemon.store.requests import Request as Row
from daemon.store.requests import RequestState
from daemon.usecases.command import Command, Work
from daemon.usecases.commands import carry_out, fulfil
from daemon.usecases.document import Document, Request
from daemon.usecases.liveness import is_daemon, trouble_of_daemon

R = TypeVar("R", bound=Request)
D = TypeVar("D", bound=Document)
PATIENCE = 2.0  # seconds without an answer, after which it is checked why
_POLL_SECONDS = 0.2
_EMBED_LIBRARY = 30.0  # seconds that a command waits for what words find anyway


@dataclass(frozen=True, slots=True)
class Listener:
    """Where progress goes while a command is carried out: numbers, lines, and warnings."""

    progress: Progress
    news: Callable[[str], None]
    warn: Callable[[str], None]


def ask(app: App, command: Command[R, D], request: R, stop: Stop, listener: Listener) -> D:
    """Have a command carried out, by the daemon if one runs, else by this process.

    Raises LacunaError, VaultError, StoppedError.
    """
    body = request.model_dump(mode="json")
    if is_daemon(app.writer()):
        if trouble := trouble_of_daemon(app.state):
            raise LacunaError(trouble)
        answer = _ask_daemon(app, command.name, body, stop, listener)
    else:
        answer = _carry_out_here(app, command, body, stop, listener)
    return command.document.model_validate(answer)


def refresh(app: App, stop: Stop, progress: Progress, *, embed: bool, review: bool) -> str:
    """Bring the index up to date for a query: a running daemon keeps it so, else this process does.

    With `review`, decisions that the user made in notes are taken, too. Return a warning when the
    index may be out of date, or "".
    """
    try:
        with app.writing("lacuna"):
            app.knowledge.sync(now=now(), progress=progress, stop=stop, embed=embed)
            if review:
                _take_edits(app)
    except LockedError as error:
        reason = trouble_of_daemon(app.state) if is_daemon(app.writer()) else str(error)
        return f"{reason}: this is what the index holds so far" if reason else ""
    return ""


def _carry_out_here(
    app: App, command: Command[R, D], body: Mapping[str, object], stop: Stop, listener: Listener
) -> dict[str, object]:
    """Carry out a command in this process, after what it needs."""
    with app.writing(f"lacuna {command.name}"):
        if command.is_about_the_model:  # its warning is reported as the command's failure
            logging.getLogger("daemon.index.sync").setLevel(logging.ERROR)
        if command.needs_sync:
            embed = command.needs_embeddings
            app.knowledge.sync(now=now(), progress=listener.progress, stop=stop, embed=embed)
            _take_edits(app)
        if command.needs_library and app.library is not None:
            # Outside of what a source may take: a library may need minutes the first time, and
            # hours until it is embedded, which the daemon does meanwhile.
            app.library.update(progress=listener.progress, stop=stop, embed_seconds=_EMBED_LIBRARY)
        if not command.makes_agenda:
            return carry_out(command.name, body, Work(app, now(), stop, listener.progress))
        row = app.stores.requests.begin(command.name, body, now=now())
        answer = fulfil(
            row, app, now=now(), stop=stop, progress=listener.progress, news=listener.news
        )
        app.delivery.start(now())  # closing the app waits for it
        return answer


def _take_edits(app: App) -> None:
    app.reviews.take(now())
    app.agendas.read(now())
    app.tidy.tidy(now())


def _ask_daemon(
    app: App, name: str, body: Mapping[str, object], stop: Stop, listener: Listener
) -> dict[str, object]:
    """Put a request to the running daemon and wait for its answer."""
    requests = app.stores.requests
    id_ = requests.ask(name, body, now=now())
    shown, check_at, has_warned = 0, time.monotonic() + PATIENCE, False
    while True:
        row = requests.get(id_)
        if row is None or row.state is RequestState.FAILED:
            why = row.answer.get("error", "it failed") if row else "it was dropped"
            raise LacunaError(str(why))
        if row.state is RequestState.DONE:
            return dict(row.answer)
        shown = _pass_on(row, shown, listener)
        if stop.asked:
            raise StoppedError("not waiting any longer; the daemon goes on with it")
        if time.monotonic() >= check_at:
            check_at = time.monotonic() + PATIENCE
            has_warned = _say_why_it_waits(app, row, listener, has_warned=has_warned)
        if app.writer() is None:
            raise LacunaError("the daemon has stopped; it takes this up when it runs again")
        time.sleep(_POLL_SECONDS)


def _pass_on(row: Row, shown: int, listener: Listener) -> int:
    """Pass on the progress that is new, and return how many lines there are by now."""
    news, number = row.answer.get("news", []), row.answer.get("told", 0)
    for line in news[max(0, len(news) - (number - shown)) :] if number > shown else ():
        listener.news(line)
    if "progress" in row.answer:
        listener.progress(*row.answer["progress"])
    return int(number)


def _say_why_it_waits(app: App, row: Row, listener: Listener, *, has_warned: bool) -> bool:
    """Warn once that the daemon is busy, and return whether that was done.

    Raises LacunaError when it will not answer; a request it has not begun is withdrawn.
    """
    if trouble := trouble_of_daemon(app.state):
        is_undone = app.stores.requests.withdraw(row.id)
        end = "nothing was done" if is_undone else "it goes on with this when it can"
        raise LacunaError(f"{trouble}; {end}")
    if not has_warned and row.state is RequestState.NEW:
        listener.warn(f"waiting for {app.writer()}, which is busy; Ctrl-C ends the waiting")
        return True
    return has_warned
