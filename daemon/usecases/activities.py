"""What is being done now, how far it is, and the commands that wait for the daemon."""

import re
from collections.abc import Callable, Generator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import Field

from daemon.app import App
from daemon.local_socket import SocketError
from daemon.model.errors import LacunaError
from daemon.model.event import EVENT, BaseEvent, StepProgress, StepStart
from daemon.model.request import Request, RequestState
from daemon.usecases import client
from daemon.usecases.document import Document, Moment
from daemon.usecases.liveness import is_daemon

_PID = re.compile(r"\(pid (\d+)\)$")
_SHOWN = timedelta(days=7)  # that a command which was given up is shown


class Activity(Document):
    """A step of some work that is under way."""

    step: str = Field(examples=["reading", "embedding", "gather"])
    what: str = Field(description="What was done last, or what it is about, in words.")
    done: int | None = Field(description="Null: its progress is not counted.")
    total: int | None
    seconds_left: float | None = Field(description="Estimate; null: unknown.")
    run: str | None = Field(description="Id of the run that it belongs to.")
    request: int | None = Field(description="Id of the command that it belongs to.")


class GivenCommand(Document):
    """A command that waits, is carried out, or was given up."""

    id: int
    name: str = Field(examples=["research"])
    state: RequestState
    given: Moment
    attempts: int = Field(description="How often it was begun.")
    error: str = Field(description='Why it was given up; "" if it was not.')


def activities(app: App) -> tuple[Activity, ...]:
    """Return the steps that whoever has locked the vault is at, the outermost first."""
    found = _PID.search(app.writer() or "")
    return tuple(map(_activity, app.events.active(int(found[1])))) if found else ()


def given_commands(app: App, now: datetime) -> tuple[GivenCommand, ...]:
    """Return the commands that are not done, and those that were given up lately."""
    requests = app.stores.requests
    every = [*requests.given_up(now - _SHOWN), *requests.unanswered()]
    return tuple(map(_given, every))


def follow(
    app: App, is_over: Callable[[], bool], *, after: int | None = None
) -> Generator[BaseEvent]:
    """Yield the events of the running daemon as they come, until `is_over`.

    Raises LacunaError when no daemon runs, or when it ends.
    """
    if not is_daemon(app.writer()):
        raise LacunaError("no daemon runs for this vault: start it with `lacuna run`")
    seq = app.events.last if after is None else after
    yield from _followed(app.state, seq, is_over)


def _followed(state: Path, seq: int, is_over: Callable[[], bool]) -> Generator[BaseEvent]:
    with suppress(SocketError):  # it has ended
        for part in client.events(state, seq):
            if is_over():
                return
            if isinstance(part, dict):
                yield EVENT.validate_python(part)
    raise LacunaError("the daemon has ended, or is reading its settings again")


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
    )


def _given(request: Request) -> GivenCommand:
    return GivenCommand(
        id=request.id,
        name=request.kind,
        state=request.state,
        given=request.asked_at,
        attempts=request.attempts,
        error=str(request.answer.get("error", "")),
    )
