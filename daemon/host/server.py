"""Answers queries on the Unix socket in the state folder, on threads of its own.

The run loop is not asked: a query reads by its own connection, and the embedding child embeds it.
"""

import json
import logging
import socket
import threading
from collections.abc import Sequence
from contextlib import ExitStack, suppress

from daemon.app import App
from daemon.local_socket import NAME, Exchange, SocketError, listen
from daemon.model.errors import LacunaError, StoreError
from daemon.usecases.queries import UnknownQueryError, answer, reader
from vault_adapters.base import VaultError

_log = logging.getLogger(__name__)
_PREFIX = "/query/"
_PATIENCE = 10.0  # seconds for a connection to send its request, and to take its answer
_STATUSES: Sequence[tuple[type[Exception] | tuple[type[Exception], ...], int]] = (
    (UnknownQueryError, 404),
    (StoreError, 503),  # the face opens the database itself, and says what is wrong
    ((LacunaError, VaultError), 422),
    (ValueError, 400),  # not JSON
)
_AT_ONCE = 8  # connections; more wait in the system's queue


class Server:
    """Serves one vault's state folder. `start` and `stop` are called by the run loop."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._listener: socket.socket | None = None
        self._places = threading.BoundedSemaphore(_AT_ONCE)
        self._open = ExitStack()

    def start(self) -> None:
        """Begin to answer; where there can be no socket, log why: commands work without it."""
        try:
            self._listener = listen(self._app.state)
            self._reader = self._open.enter_context(reader(self._app))
        except (OSError, LacunaError) as error:
            _log.warning("commands cannot ask the daemon directly: %s", error)
            self.stop()
            return
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self) -> None:
        """Accept no more connections, and remove the socket."""
        if self._listener is None:
            return
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._listener = None
        with suppress(OSError):
            (self._app.state / NAME).unlink(missing_ok=True)
        self._open.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                other, _ = listener.accept()
            except OSError:
                return  # it was closed
            self._places.acquire()
            threading.Thread(target=self._serve, args=(other,), daemon=True).start()

    def _serve(self, other: socket.socket) -> None:
        """Answer one connection; one that is slow, dead or speaks nonsense harms nobody else."""
        try:
            with other:
                other.settimeout(_PATIENCE)
                exchange = Exchange(other)
                path, body = exchange.request()
                exchange.begin()
                exchange.answer(*self._answer(path, body))
        except SocketError as error:
            _log.debug("a connection ended: %s", error)
        finally:
            self._places.release()

    def _answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Return status and body. What goes wrong inside is an answer, too."""
        if not path.startswith(_PREFIX):
            return _failure(404, f"{path}: nothing is served there")
        try:
            found = answer(self._reader, path.removeprefix(_PREFIX), json.loads(body))
        except Exception as error:  # noqa: BLE001 a fault in one query ends that query only
            return _failure(_status_of(error), str(error))
        return 200, json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")


def _status_of(error: Exception) -> int:
    """Return what an error means to who asked; one that nobody expected is logged."""
    for kinds, status in _STATUSES:
        if isinstance(error, kinds):
            return status
    _log.error("a query failed", exc_info=error)
    return 500


def _failure(status: int, why: str) -> tuple[int, bytes]:
    return status, json.dumps({"error": why}, ensure_ascii=False).encode("utf-8", "replace")
