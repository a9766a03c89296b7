"""The port of the web server while nobody uses it: the first connection starts the server.

This process only holds the listening socket, which the server inherits. Nothing of the server is
imported here, so the idle daemon stays as small as it is.
"""

import logging
import select
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress

from daemon.child_environment import child_environment
from daemon.config.web_section import WebSettings

_log = logging.getLogger(__name__)
_LOOPBACK = "127.0.0.1"
_PAUSE = 30.0  # seconds after a server that failed, and while another program has the port
_END = 10.0  # seconds that a server may take to end

Command = Callable[[int], Sequence[str]]
"""Returns the command line of a server that inherits a listening socket by its number."""


class WebOnDemand:
    """Listens on the port of the settings while `[web] enabled`."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._settings: WebSettings | None = None
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._is_over = threading.Event()
        self._wake: socket.socket | None = None  # ends the wait for a connection

    def apply(self, settings: WebSettings) -> None:
        """Listen as the settings say; if they are those before, a running server goes on."""
        if settings == self._settings:
            return
        self.stop()
        self._settings = settings
        if settings.enabled:
            self._is_over.clear()
            woken, self._wake = socket.socketpair()
            given = (settings.port, woken)
            self._thread = threading.Thread(target=self._serve, args=given, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the server, and no longer listen."""
        self._is_over.set()
        self._settings = None
        if self._thread is None or self._wake is None:
            return
        self._wake.close()
        if (process := self._process) is not None:
            process.terminate()
        self._thread.join(_END + 1)
        self._thread = None

    def _serve(self, port: int, woken: socket.socket) -> None:
        """Start the server for a connection, whenever there is no server."""
        with woken, self._listener(port) or nullcontext() as listener:
            while listener is not None and not self._is_over.is_set():
                ready, _, _ = select.select([listener, woken], [], [])
                if woken not in ready and self._run(listener) != 0:
                    self._refuse_waiting(listener)
                    self._is_over.wait(_PAUSE)

    def _listener(self, port: int) -> socket.socket | None:
        """Return a listening socket once the port is free; None if that is no longer wanted."""
        is_reported = False
        while not self._is_over.is_set():
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((_LOOPBACK, port))
                listener.listen()
            except OSError as error:
                listener.close()
                if not is_reported:
                    _log.warning("cannot listen on %s:%s: %s", _LOOPBACK, port, error.strerror)
                is_reported = True
                self._is_over.wait(_PAUSE)
            else:
                listener.settimeout(0)
                _log.info("the page starts on demand: `lacuna open`")
                return listener
        return None

    def _run(self, listener: socket.socket) -> int:
        """Run the server until it ends; return its exit code, or 0 if it was ended here."""
        number = listener.fileno()
        try:
            self._process = process = subprocess.Popen(
                self._command(number),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=child_environment(),
                pass_fds=(number,),
            )
        except OSError as error:
            _log.warning("the web server cannot be started: %s", error)
            return 1
        if self._is_over.is_set():  # meanwhile
            process.terminate()
        code = process.wait()
        self._process = None
        if code and not self._is_over.is_set():
            _log.warning("the web server ended with exit code %s", code)
            return code
        return 0

    @staticmethod
    def _refuse_waiting(listener: socket.socket) -> None:
        """Close the connections that wait: no server will answer them."""
        with suppress(OSError):
            while True:
                listener.accept()[0].close()
