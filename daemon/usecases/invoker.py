"""Use cases for a face with many clients: by the daemon, or by what stands in for it."""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Protocol

from daemon.model.event import EVENT, BaseEvent
from daemon.ports import Stop
from daemon.usecases import client, writer
from daemon.usecases.command import Command
from daemon.usecases.commands import SLOW
from daemon.usecases.document import Request
from daemon.usecases.liveness import is_daemon
from daemon.usecases.queries import FOLLOWED
from daemon.usecases.query import Query
from daemon.vault_state import VaultState


def from_daemon(
    app: VaultState,
    use: Query[Any, Any],
    request: Request,
    show: Callable[[BaseEvent], None] = lambda _event: None,
) -> Any:
    """Have the running daemon answer; None: no daemon runs. Raises LacunaError."""
    return _by_name(app, use.name, request.model_dump(mode="json"), show)


def _by_name(
    app: VaultState, name: str, body: Mapping[str, Any], show: Callable[[BaseEvent], None]
) -> Any:
    if name not in FOLLOWED:
        return client.query(app.state, name, dict(body))
    events = client.follow(app.state, name, body)
    return client.document_of(events, lambda event: show(EVENT.validate_python(event)))


class Here(Protocol):
    """Carries out use cases while no daemon runs: this process, or one of its own for that."""

    def __call__(
        self,
        use: Query[Any, Any] | Command[Any, Any],
        request: Request,
        show: Callable[[BaseEvent], None],
        stop: Stop,
        key: str,
    ) -> Any:
        """Return the document as JSON values. Raises LacunaError, VaultError, StoppedError."""

    def by_name(self, name: str, body: Mapping[str, Any]) -> Any:
        """Answer a query by its name; None: the caller has to load it. Raises LacunaError."""

    def end(self) -> None:
        """Wait until no work is in progress; it was requested to stop."""


class Invoker:
    """Use cases of one open vault, for many threads at once, like those of a web server.

    The daemon answers while it runs, and is sent quick commands beside a slow one. Otherwise `here`
    does.
    """

    def __init__(self, app: VaultState, warn: Callable[[str], None], here: Here) -> None:
        self._app, self._warn, self._here = app, warn, here
        self._sent = {is_slow: Lock() for is_slow in (False, True)}  # commands, to the daemon
        self._stops: dict[int, Stop] = {}  # of the work in progress
        self._is_ending = False

    def __call__(
        self,
        use: Query[Any, Any] | Command[Any, Any],
        request: Request,
        show: Callable[[BaseEvent], None] = lambda _event: None,
        stop: Stop | None = None,
        key: str = "",
    ) -> Any:
        """Do what `invoke` does; words replace vectors that are not there yet."""
        stop = stop or Stop()
        self._stops[id(stop)] = stop
        try:
            stop.is_requested |= self._is_ending
            return self._carried_out(use, request, show, stop, key)
        finally:
            del self._stops[id(stop)]

    def by_name(self, name: str, body: Mapping[str, Any]) -> Any:
        """Have another process answer a query by its name; None: there is none.

        This process then does not load the module of the query. Raises LacunaError.
        """
        found = _by_name(self._app, name, body, lambda _event: None)
        return self._here.by_name(name, body) if found is None else found

    def stop(self) -> None:
        """Have all work end soon; may be called by a signal handler."""
        self._is_ending = True
        for each in list(self._stops.values()):
            each.is_requested = True

    def end(self) -> None:
        """Stop all work, and wait until no command uses the vault."""
        self.stop()
        for each in self._sent.values():
            with each:
                pass
        self._here.end()

    def _carried_out(
        self,
        use: Query[Any, Any] | Command[Any, Any],
        request: Request,
        show: Callable[[BaseEvent], None],
        stop: Stop,
        key: str,
    ) -> Any:
        if isinstance(use, Query):
            found = from_daemon(self._app, use, request, show)
            if found is not None:
                return found
        elif is_daemon(self._app.writer()):
            listener = writer.Listener(show, self._warn)
            with self._sent[use.name in SLOW]:
                stop.check()
                return writer.ask_daemon(self._app, use, request, stop, listener, key).as_json()
        return self._here(use, request, show, stop, key)
