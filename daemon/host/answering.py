"""What commands ask of the running daemon, and what it answers."""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime

from daemon.app import App
from daemon.host.reload import Reload
from daemon.model.errors import LacunaError, StoppedError, StoreError
from daemon.ports import Stop
from daemon.store.requests import Request, RequestState
from daemon.usecases.commands import fulfil
from vault_adapters.base import VaultError

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Answering:
    """Takes up requests in their order."""

    app: App
    now: Callable[[], datetime]
    stop: Stop
    reload: Reload | None
    meanwhile: Callable[[], None]  # called while a request waits for the network
    _reloads: list[int] = field(default_factory=list)  # requests to be answered after a reload

    def refuse_all(self, trouble: str) -> None:
        """Answer every request with an error."""
        requests = self.app.stores.requests
        while trouble and (request := requests.take()) is not None:
            requests.answer(request.id, RequestState.FAILED, {"error": trouble})

    def answer_all(self, besides: Collection[str] = ()) -> None:
        """Carry out what was asked, but for requests of those kinds."""
        requests = self.app.stores.requests
        while not self.stop.asked and (request := requests.take(besides)) is not None:
            self._answer(request)

    def answer_reloads(self) -> None:
        """Say to whoever asked for a reload what came of it."""
        asked, self._reloads = self._reloads, []
        trouble = self.reload.trouble if self.reload is not None else "it cannot reload"
        state = RequestState.FAILED if trouble else RequestState.DONE
        for id_ in asked:
            self.app.stores.requests.answer(id_, state, {"error": trouble} if trouble else {})

    def _answer(self, request: Request) -> None:
        """Carry out what was asked; an error becomes its answer."""
        if request.kind == "reload":  # between two turns: see `Host`
            self._reloads.append(request.id)
            if self.reload is None:
                self.answer_reloads()
            else:
                self.reload.asked = True
            return

        def progress(done: int, total: int, what: str) -> None:
            self.app.stores.requests.tell(request.id, {"progress": [done, total, what]})

        try:
            fulfil(
                request,
                self.app,
                now=self.now(),
                stop=self.stop,
                progress=progress,
                meanwhile=self.meanwhile,
            )
        except (StoppedError, StoreError):
            raise
        except (LacunaError, VaultError) as error:
            _log.info("%s: %s", request.kind, error)
