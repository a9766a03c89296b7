"""End long work that is in progress."""

from collections.abc import Iterable

from pydantic import Field

from daemon.model.errors import NotFoundError
from daemon.ports import Stop
from daemon.usecases.command import Command, Work
from daemon.usecases.document import Document, Request

_MOST = 10**15  # a greater number fits into no database


class WorkStopRequest(Request):
    """Which work to end."""

    command: int | None = Field(
        default=None,
        ge=-_MOST,
        le=_MOST,
        description="Number of the command, which its events have as `request`. Default: the"
        " research in progress, whatever began it.",
    )


class WorkStopped(Document):
    """Work that ends soon; what it has stored is kept."""

    concludes: bool = Field(
        description="Whether it makes findings of what it has read, as research does."
    )


def stop(work: Work, request: WorkStopRequest) -> WorkStopped:
    """End a command, or cancel one that has not begun. Raises NotFoundError."""
    ending = stop_of([work.stop], request)
    if ending is None:
        if request.command is not None and work.app.withdraw(request.command):
            return WorkStopped(concludes=False)
        what = "no research" if request.command is None else f"no command {request.command}"
        raise NotFoundError(f"{what} is in progress")
    if ending.can_conclude:
        ending.enough, ending.why = True, ""
        return WorkStopped(concludes=True)
    ending.request()
    return WorkStopped(concludes=False)


def stop_of(stops: Iterable[Stop], request: WorkStopRequest) -> Stop | None:
    """Return what stops the wanted work."""
    for each in stops:
        is_wanted = request.command is not None and each.command == request.command
        if is_wanted or (request.command is None and each.can_conclude):
            return each
    return None


STOP = Command(
    name="work-stop",
    request=WorkStopRequest,
    document=WorkStopped,
    carry_out=stop,
    needs_sync=False,
    is_for_work_in_progress=True,
)
