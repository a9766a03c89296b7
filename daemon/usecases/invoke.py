"""Any use case, for a face that offers many of them."""

from collections.abc import Callable
from typing import Any

from daemon.app import App
from daemon.model.event import BaseEvent
from daemon.ports import Stop
from daemon.usecases import opening, writer
from daemon.usecases.command import Command
from daemon.usecases.document import Request
from daemon.usecases.following import follower
from daemon.usecases.invoker import from_daemon
from daemon.usecases.queries import keep_here
from daemon.usecases.query import Query


def invoke(  # noqa: PLR0913 what is asked, who listens, and what comes in between
    app: App,
    warn: Callable[[str], None],
    use: Query[Any, Any] | Command[Any, Any],
    request: Request,
    show: Callable[[BaseEvent], None] = lambda _event: None,
    *,
    embed: bool = True,
    stop: Stop | None = None,
    key: str = "",
    meanwhile: Callable[[], None] = lambda: None,
) -> Any:
    """Have the running daemon answer, or this process; return the document as JSON values.

    `show` gets the events of the work, on any thread. Before a query, this process updates the
    index; with `embed` also its vectors, which may take minutes. A command that was given with the
    same `key` before is not carried out again; `meanwhile` is called where this process can carry
    out others in between. Raises LacunaError, VaultError,
    and StoppedError.
    """
    stop, listener = stop or Stop(), writer.Listener(show, warn)
    if isinstance(use, Command):
        return writer.ask(app, use, request, stop, listener, key, meanwhile).as_json()
    found = from_daemon(app, use, request, show)
    if found is not None:
        return found
    refreshed = writer.refresh(app, stop, listener, embed=embed, review=True)
    if refreshed.remark:
        warn(refreshed.remark)
    with opening.for_query(app, refreshed) as reader:
        document = use.carry_out(reader, request, follower(show, stop))
    if remark := keep_here(app, use, request, document):
        warn(remark)
    return document.as_json()
