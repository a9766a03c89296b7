"""Use cases that this process carries out itself, for many threads at once."""

from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from itertools import count
from threading import Lock
from typing import Any

from daemon.app import App
from daemon.composition import open_reader
from daemon.model.clock import now
from daemon.model.event import BaseEvent
from daemon.ports import Stop
from daemon.usecases import writer
from daemon.usecases.command import Command, Work
from daemon.usecases.commands import SLOW
from daemon.usecases.document import Request
from daemon.usecases.invoke import invoke
from daemon.usecases.queries import keep_here
from daemon.usecases.query import Query
from daemon.usecases.stopping import WorkStopRequest, stop_of

_InBetween = tuple[Future[Any], Callable[[], Any]]  # a quick command, and its work
_NOT_STORED = 1 << 40  # numbers from here on are those of commands that no database has
_TURN = 0.1  # seconds, after which a command looks again whether the vault is free


class InProcess:
    """Carries out the use cases of one open vault while no daemon runs.

    During a command, queries are answered from connections of their own, and quick commands are
    carried out where the slow one waits.
    """

    def __init__(self, app: App, warn: Callable[[str], None]) -> None:
        self._app, self._warn = app, warn
        self._is_used = Lock()  # the open vault is for one thread at a time
        self._in_between: deque[_InBetween] = deque()  # for the thread that uses the vault
        self._stops: dict[int, Stop] = {}  # of the work in progress
        self._numbers = count(_NOT_STORED)  # of slow commands

    def __call__(
        self,
        use: Query[Any, Any] | Command[Any, Any],
        request: Request,
        show: Callable[[BaseEvent], None],
        stop: Stop,
        key: str,
    ) -> Any:
        """Do what `invoke` does; words replace vectors that are not there yet."""
        self._stops[id(stop)] = stop
        try:
            if isinstance(use, Command):
                return self._commanded(use, request, show, stop, key)
            if not self._is_used.acquire(blocking=False):
                return self._answered_here(use, request)
            return self._invoked(use, request, show, stop, key)
        finally:
            del self._stops[id(stop)]

    def by_name(self, _name: str, _body: Mapping[str, Any]) -> Any:
        """Return None: the caller has to load the query."""
        return None

    def end(self) -> None:
        """Wait until no work uses the vault."""
        with self._is_used:
            pass

    def _commanded(
        self,
        use: Command[Any, Any],
        request: Request,
        show: Callable[[BaseEvent], None],
        stop: Stop,
        key: str,
    ) -> Any:
        if use.is_for_work_in_progress:
            return self._interrupt(use, request)
        if use.name in SLOW:
            self._is_used.acquire()
            stop.command = next(self._numbers)
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
        works = [each for each in list(self._stops.values()) if each.command is not None]
        if isinstance(request, WorkStopRequest):
            works = [each for each in [stop_of(works, request)] if each is not None]
        stop = next((each for each in works if each.can_conclude), works[0] if works else Stop())
        document = use.carry_out(Work(self._app, now(), stop), request)
        return document.as_json()

    def _answered_here(self, use: Query[Any, Any], request: Request) -> Any:
        with open_reader(self._app) as reader:
            document = use.carry_out(reader, request)
        if use.kept is not None:
            with self._is_used:
                keep_here(self._app, use, request, document)
        return document.as_json()
