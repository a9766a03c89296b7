"""Every command by its name, and carrying one out: in the daemon, or in a command without it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from daemon.app import App
from daemon.cycle.knowledge import Progress
from daemon.model.errors import LacunaError, StoppedError
from daemon.ports import Stop
from daemon.store.requests import Request, RequestState
from daemon.usecases import agendas, findings, library, machines, notes, research, schedules, topics
from daemon.usecases.command import Command, Work
from vault_adapters.base import VaultError

if TYPE_CHECKING:  # research is loaded by who researches
    from daemon.research.gather import News

_NEWS_KEPT = 50  # lines, for a command that reads them now and then
COMMANDS: Mapping[str, Command[Any, Any]] = {
    command.name: command
    for command in (
        notes.INDEX,
        research.RESEARCH,
        agendas.NEW,
        agendas.APPROVE,
        agendas.CANCEL,
        schedules.RUN,
        topics.RESTORE,
        topics.NEVER,
        findings.DECIDE,
        machines.LEAD,
        library.SCAN,
    )
}
SLOW = frozenset(command.name for command in COMMANDS.values() if command.is_slow)


def fulfil(
    request: Request,
    app: App,
    *,
    now: datetime,
    stop: Stop,
    progress: Progress,
    news: "News | None" = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Carry out a request of the queue, or resume it; leave its document there and return it.

    Without `news`, lines of progress are kept with the request for the command that asked.
    Raises StoppedError, and leaves the request to be taken up again; LacunaError, VaultError.
    """
    requests = app.stores.requests
    lines: list[str] = []

    def leave(line: str) -> None:
        lines.append(line)
        requests.tell(request.id, {"news": lines[-_NEWS_KEPT:], "told": len(lines)})

    work = Work(
        *(app, now, stop, progress),
        made=request.answer.get("agenda"),
        keep=lambda agenda: requests.tell(request.id, {"agenda": agenda}),
        news=news or leave,
        meanwhile=meanwhile,
    )
    try:
        answer = carry_out(request.kind, request.body, work)
    except StoppedError:
        raise
    except (LacunaError, VaultError) as error:
        requests.answer(request.id, RequestState.FAILED, {"error": str(error)})
        raise
    requests.answer(request.id, RequestState.DONE, answer)
    return answer


def carry_out(name: str, body: Mapping[str, Any], work: Work) -> dict[str, Any]:
    """Carry out a command and return its document as JSON values. Raises LacunaError."""
    command = COMMANDS.get(name)
    if command is None:
        raise LacunaError(f"{name}: unknown command; does the daemon run an older version?")
    try:
        request = command.request.model_validate(body)
    except ValidationError as error:
        raise LacunaError(f"{name}: not understood: {error.errors()[0]['msg']}") from None
    document: dict[str, Any] = command.carry_out(work, request).as_json()
    return document
