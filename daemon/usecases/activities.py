"""What is being done now, how far it is, and the commands that wait for the daemon."""

import re
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from datetime import datetime, timedelta

from pydantic import Field

from daemon.app import App
from daemon.local_socket import SocketError
from daemon.model.errors import LacunaError
from daemon.model.event import EVENT, BaseEvent, StepProgress, StepStart
from daemon.model.request import Request, RequestState
from daemon.usecases import client
from daemon.usecases.client import UnansweredError
from daemon.usecases.document import Document, Moment
from daemon.usecases.liveness import is_daemon
from daemon.vault_state import VaultState

_PID = re.compile(r"\(pid (\d+)\)$")
_RELOADING = 60.0  # seconds without a socket while a daemon holds the lock
_RESTARTING = 3.0  # the same while nothing holds it
_AGAIN = 0.2  # seconds between two attempts to reach it
_SHOWN = timedelta(days=7)  # that a command which was given up is shown


class Activity(Document):
    """A step in progress."""

    step: str = Field(description="Name of the step.", examples=["reading", "embedding", "gather"])
    what: str = Field(description="What was done last, or what it is about, in words.")
    done: int | None = Field(description="Null: its progress is not counted.")
    total: int | None = Field(description="How much there is to do; null: unknown.")
    seconds_left: float | None = Field(description="Estimate; null: unknown.")
    run: str | None = Field(description="Id of the run that it belongs to.")
    request: int | None = Field(description="Id of the command that it belongs to.")
    part: str = Field(default="", description='Id, unique among steps of its name; "": only one.')


class GivenCommand(Document):
    """A command that waits, is carried out, or was given up."""

    id: int = Field(description="Number of the command.")
    name: str = Field(description="Name of the command.", examples=["research"])
    state: RequestState = Field(description="Its state.")
    given: Moment = Field(description="When it was given.")
    attempts: int = Field(description="Number of attempts.")
    error: str = Field(description='Why it was given up; "" if it was not.')


def activities(app: App) -> tuple[Activity, ...]:
    """Return the steps that the process holding the vault's lock is working on, outermost first."""
    found = _PID.search(app.writer() or "")
    return tuple(map(_activity, app.events.active(int(found[1])))) if found else ()


def given_commands(app: App, now: datetime) -> tuple[GivenCommand, ...]:
    """Return the commands that are not done, and those that were given up lately."""
    requests = app.stores.requests
    every = [*requests.given_up(now - _SHOWN), *requests.unanswered()]
    return tuple(map(_command_document, every))


def follow(
    app: VaultState, is_over: Callable[[], bool], *, after: int | None = None
) -> Generator[BaseEvent]:
    """Yield the events of the running daemon as they come, until `is_over`.

    Goes on after a reload of the settings and after a restart. Raises LacunaError when no daemon
    runs, or when it has ended.
    """
    if not is_daemon(app.writer()):
        raise LacunaError("no daemon runs for this vault: start it with `lacuna run`")
    seq, last_at = app.events.last if after is None else after, time.monotonic()
    while not is_over():
        with suppress(SocketError, UnansweredError):
            for part in client.events(app.state, seq):
                if is_over():
                    return
                last_at = time.monotonic()
                if isinstance(part, dict):
                    event = EVENT.validate_python(part)
                    seq = event.seq
                    yield event
        patience = _RELOADING if is_daemon(app.writer()) else _RESTARTING
        if time.monotonic() - last_at >= patience:
            raise LacunaError("the daemon has stopped")
        time.sleep(_AGAIN)


def _activity(event: StepStart | StepProgress) -> Activity:
    counted = event if isinstance(event, StepProgress) else None
    return Activity(
        step=event.step,
        what=event.what,
        done=counted.done if counted else None,
        total=counted.total if counted else None,
        seconds_left=counted.seconds_left if counted else None,
        run=event.run,
        request=event.request,
        part=event.part,
    )


def _command_document(request: Request) -> GivenCommand:
    return GivenCommand(
        id=request.id,
        name=request.kind,
        state=request.state,
        given=request.asked_at,
        attempts=request.attempts,
        error=str(request.answer.get("error", "")),
    )
