"""A network between a process and PostgreSQL that can be cut."""

import select
import socket
import struct
import threading
from contextlib import suppress

_BLACK_HOLE = 4.0  # seconds in which a proxy passes nothing on
_RESET = struct.pack("ii", 1, 0)  # closing sends a reset, and what waits to be sent is lost


class Proxy:
    """Passes TCP connections on to a socket of PostgreSQL, until it is cut."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._open: set[socket.socket] = set()  # of both sides; each is closed by its own thread
        self._passes = threading.Event()
        self._passes.set()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                passing = threading.Thread(target=self._pass_on, args=(here,), daemon=True)
                self._threads.append(passing)
                passing.start()

    def _pass_on(self, here: socket.socket) -> None:
        with here, socket.socket(socket.AF_UNIX) as there:
            ends = {here, there}
            self._open |= ends
            with suppress(OSError):
                there.connect(self._target)
                while self._pass_some(here, there):
                    pass
            self._open -= ends

    def _pass_some(self, here: socket.socket, there: socket.socket) -> bool:
        """Pass on what has come; return whether both ends are still open."""
        readable, _, _ = select.select((here, there), (), ())
        for one in readable:
            if not (data := one.recv(65_536)):
                return False
            self._passes.wait()
            (there if one is here else here).sendall(data)
        return True

    @property
    def is_used(self) -> bool:
        return bool(self._open)

    def cut(self) -> None:
        """Reset every connection."""
        for each in tuple(self._open):
            with suppress(OSError):  # closed in the meantime, or a socket without resets
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._passes.set()

    def swallow(self) -> None:
        """Pass nothing on for some seconds, then reset every connection."""
        self._passes.clear()
        later = threading.Timer(_BLACK_HOLE, self.cut)
        self._threads.append(later)
        later.start()

    def close(self) -> None:
        """Cut it for good."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # ends `accept`, which `close` does not
        self._listener.close()
        self._threads[0].join()
        for each in self._threads[1:]:
            if isinstance(each, threading.Timer):
                each.cancel()
        self.cut()
        for each in self._threads[1:]:
            each.join()
