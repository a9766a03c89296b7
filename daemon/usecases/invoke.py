"""Any use case, for a face that offers many of them."""

from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from threading import Lock
from typing import Any

from daemon.app import App
from daemon.composition import open_reader
from daemon.model.clock import now
from daemon.model.event import EVENT, BaseEvent
from daemon.ports import Stop
from daemon.usecases import client, opening, writer
from daemon.usecases.command import Command, Work
from daemon.usecases.commands import SLOW
from daemon.usecases.document import Request
from daemon.usecases.following import follower
from daemon.usecases.liveness import is_daemon
from daemon.usecases.queries import FOLLOWED, keep_here
from daemon.usecases.query import Query

_InBetween = tuple[Future[Any], Callable[[], Any]]  # a quick command, and its work
_TURN = 0.1  # seconds, after which a command looks again whether the vault is free


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
    found = _from_daemon(app, use, request, show)
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


def _from_daemon(
    app: App,
    use: Query[Any, Any],
    request: Request,
    show: Callable[[BaseEvent], None] = lambda _event: None,
) -> Any:
    """Have the running daemon answer; None: no daemon runs. Raises LacunaError."""
    return _by_name(app, use.name, request.model_dump(mode="json"), show)


def _by_name(
    app: App, name: str, body: Mapping[str, Any], show: Callable[[BaseEvent], None]
) -> Any:
    if name not in FOLLOWED:
        return client.query(app.state, name, dict(body))
    events = client.follow(app.state, name, body)
    return client.document_of(events, lambda event: show(EVENT.validate_python(event)))


class Invoker:
    """Use cases of one open vault, for many threads at once, like those of a web server.

    While this process carries out a command, it answers queries from connections of their own, and
    carries out quick commands where the slow one waits. The daemon is sent quick ones beside a slow
    one.
    """

    def __init__(self, app: App, warn: Callable[[str], None]) -> None:
        self._app, self._warn = app, warn
        self._is_used = Lock()  # the open vault is for one thread at a time
        self._sent = {is_slow: Lock() for is_slow in (False, True)}  # commands, to the daemon
        self._in_between: deque[_InBetween] = deque()  # for the thread that uses the vault
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

    def of_daemon(self, name: str, body: Mapping[str, Any]) -> Any:
        """Have the running daemon answer a query by its name; None: no daemon runs.

        This process then does not load the module of the query. Raises LacunaError.
        """
        return _by_name(self._app, name, body, lambda _event: None)

    def stop(self) -> None:
        """Have all work end soon; may be called by a signal handler."""
        self._is_ending = True
        for each in list(self._stops.values()):
            each.is_requested = True

    def end(self) -> None:
        """Stop all work, and wait until no command uses the vault."""
        self.stop()
        for each in (self._is_used, *self._sent.values()):
            with each:
                pass

    def _carried_out(
        self,
        use: Query[Any, Any] | Command[Any, Any],
        request: Request,
        show: Callable[[BaseEvent], None],
        stop: Stop,
        key: str,
    ) -> Any:
        if isinstance(use, Command):
            return self._commanded(use, request, show, stop, key)
        found = _from_daemon(self._app, use, request, show)
        if found is not None:
            return found
        if not self._is_used.acquire(blocking=False):
            return self._answered_here(use, request)
        return self._invoked(use, request, show, stop, key)

    def _commanded(
        self,
        use: Command[Any, Any],
        request: Request,
        show: Callable[[BaseEvent], None],
        stop: Stop,
        key: str,
    ) -> Any:
        is_slow = use.name in SLOW
        if is_daemon(self._app.writer()):
            listener = writer.Listener(show, self._warn)
            with self._sent[is_slow]:
                stop.check()
                return writer.ask_daemon(self._app, use, request, stop, listener, key).as_json()
        if use.is_for_work_in_progress:
            return self._interrupt(use, request)
        if is_slow:
            self._is_used.acquire()
        elif (job := self._done_in_between(use, request, stop, key)) is not None:
            return job.result()
        return self._invoked(use, request, show, stop, key)

    def _invoked(
        self,
        use: Query[Any, Any] | Command[Any, Any],
        request: Request,
        show: Callable[[BaseEvent], None],
        stop: Stop,
        key: str,
    ) -> Any:
        """Do what `invoke` does with the vault, which this thread has taken; release it."""
        try:
            stop.check()
            return invoke(
                *(self._app, self._warn, use, request, show),
                embed=False,
                stop=stop,
                key=key,
                meanwhile=self._do_in_between,
            )
        finally:
            self._is_used.release()

    def _done_in_between(
        self, use: Command[Any, Any], request: Request, stop: Stop, key: str
    ) -> "Future[Any] | None":
        """Have the thread that uses the vault carry out a quick command.

        Returns None once this thread has the vault for itself instead. Raises StoppedError.
        """
        job: Future[Any] = Future()
        work = partial(writer.carry_out_meanwhile, self._app, use, request, stop, key)
        self._in_between.append((job, lambda: work().as_json()))
        while not job.done():
            if self._is_used.acquire(timeout=_TURN):
                if job.cancel():
                    return None
                self._is_used.release()  # it was carried out just now
            if stop.is_requested and job.cancel():
                stop.check()
        return job

    def _do_in_between(self) -> None:
        """Carry out the quick commands that wait; what fails is raised where each was given."""
        while self._in_between:
            job, work = self._in_between.popleft()
            if not job.set_running_or_notify_cancel():
                continue
            try:
                job.set_result(work())
            except Exception as error:  # noqa: BLE001 raised again by `result`
                job.set_exception(error)

    def _interrupt(self, use: Command[Any, Any], request: Request) -> Any:
        """Carry out a command on the work of this process, which goes on meanwhile."""
        works = [each for each in list(self._stops.values()) if each.can_conclude]
        for stop in works or [Stop()]:
            document = use.carry_out(Work(self._app, now(), stop), request)
        return document.as_json()

    def _answered_here(self, use: Query[Any, Any], request: Request) -> Any:
        with open_reader(self._app) as reader:
            document = use.carry_out(reader, request)
        if use.kept is not None:
            with self._is_used:
                keep_here(self._app, use, request, document)
        return document.as_json()
