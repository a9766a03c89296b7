"""Commands for the daemon, carried out one after the other."""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from daemon.app import App
from daemon.host.reload import Reload
from daemon.model.errors import LacunaError, StoppedError, StoreError
from daemon.model.request import RELOAD, Request, RequestState
from daemon.ports import Stop
from daemon.store.requests import GIVEN_UP
from daemon.usecases.commands import COMMANDS, fail, fulfil
from vault_adapters.base import VaultError

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Answering:
    """Carries out requests in order."""

    app: App
    now: Callable[[], datetime]
    stop: Stop
    reload: Reload | None
    meanwhile: Callable[[], None]  # called while a request waits for the network
    _current: Stop | None = None  # of the command in progress
    _reloads: list[Request] = field(default_factory=list)  # to be answered after a reload

    def requeue(self) -> None:
        """Return abandoned requests to the queue; report those that failed too often."""
        for request in self.app.stores.requests.requeue(now=self.now()):
            why = f"`{request.kind}` {GIVEN_UP}"
            self.app.report.of_request(request.id).error("command", why)
            self.app.notifying.announce.trouble("commands", why, self.now())
            _log.error("%s", why)

    def renew(self) -> None:
        """Renew the leases of requests in progress. Raises StoreError."""
        self.app.stores.requests.renew(now=self.now())

    def refuse_all(self, trouble: str) -> None:
        """Answer every request with an error."""
        requests = self.app.stores.requests
        while trouble and (request := requests.take(now=self.now())) is not None:
            fail(request, self.app, trouble, self.app.report)

    def answer_all(self, excluded: Collection[str] = ()) -> None:
        """Carry out pending requests, except those of these kinds."""
        requests = self.app.stores.requests
        while not self.stop.is_requested:
            request = requests.take(excluded, now=self.now())
            if request is None:
                return
            self._answer(request)

    def answer_reloads(self) -> None:
        """Report the outcome of a reload to its requesters."""
        asked, self._reloads = self._reloads, []
        trouble = self.reload.trouble if self.reload is not None else "it cannot reload"
        for request in asked:
            if trouble:
                fail(request, self.app, trouble, self.app.report)
            else:
                self.app.stores.requests.answer(request, RequestState.DONE, {})
                self.app.report.of_request(request.id).done("command")

    def _answer(self, request: Request) -> None:
        """Carry out a request; any error becomes its answer, except a stop or a broken store."""
        if request.kind == RELOAD:  # between two turns: see `Host`
            self._reloads.append(request)
            if self.reload is None:
                self.answer_reloads()
            else:
                self.reload.is_requested = True
            return
        with self._stop_of(request) as stop:
            try:
                fulfil(
                    request,
                    self.app,
                    now=self.now(),
                    stop=stop,
                    report=self.app.report,
                    meanwhile=self.meanwhile,
                )
            except (StoppedError, StoreError):
                raise
            except (LacunaError, VaultError) as error:
                _log.info("%s: %s", request.kind, error)
            except Exception as error:  # noqa: BLE001 a fault in one command ends that command only
                _log.exception("%s: an error of Lacuna", request.kind)
                why = f"`{request.kind}`: an error of Lacuna ({type(error).__name__}); see its log"
                fail(request, self.app, why, self.app.report)

    @contextmanager
    def _stop_of(self, request: Request) -> Iterator[Stop]:
        """Yield what stops a command alone; to one that ends work, what stops that work."""
        command = COMMANDS.get(request.kind)
        before = self._current
        if command is not None and command.is_for_work_in_progress:
            yield before or self.stop
            return
        self._current = stop = Stop(whole=self.stop)
        try:
            yield stop
        finally:
            self._current = before
