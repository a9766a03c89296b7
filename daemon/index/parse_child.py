"""A child process that parses: how it is started, asked and ended."""

import subprocess
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO, cast

from daemon.child_environment import child_environment
from daemon.confinement.child import command
from daemon.index.parse_worker import receive, send

_WORKER = "daemon.index.parse_worker"
_PIPE = 1 << 18  # bytes that wait in a pipe; the requests that a child has to work on fit in


class Child:
    """One child, which is told its adapter first. Raises OSError when it cannot be started.

    It is confined to reading the vault: a note may take its parser over.

    Its answers come as events, in the order of what was `asked`; a None says that it is gone.
    """

    def __init__(self, events: "SimpleQueue[Event]", vault: Path) -> None:
        self.asked: deque[int] = deque()
        self.is_gone = False
        self._events = events
        # In a session of its own: Ctrl-C is for the parent, whose end is the child's.
        self._process = subprocess.Popen(
            command(_WORKER, readable=[vault]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment(),
            pipesize=_PIPE,
            start_new_session=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True, name="parse-answers")
        self._listener.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def tell(self, adapter: bytes) -> None:
        """Say by which adapter it is to parse what it is asked from now on."""
        self._send(adapter)

    def ask(self, number: int, request: bytes) -> None:
        """Have a share parsed. When the child is gone, an event says so."""
        self.asked.append(number)
        self._send(request)

    def end(self) -> None:
        """End it, whatever it is doing: it holds nothing that is worth keeping."""
        self._process.kill()
        self._process.wait()
        self._listener.join()
        self._stdout.close()
        with suppress(OSError):  # what it did not read is for nobody
            self._stdin.close()

    @property
    def _stdin(self) -> BinaryIO:
        return cast(BinaryIO, self._process.stdin)

    @property
    def _stdout(self) -> BinaryIO:
        return cast(BinaryIO, self._process.stdout)

    def _send(self, message: bytes) -> None:
        try:
            send(self._stdin, message)
        except OSError:
            self.is_gone = True

    def _listen(self) -> None:
        """Empty the pipe all the time, so that neither side ever waits for the other."""
        with suppress(EOFError, OSError):
            while True:
                self._events.put((self, receive(self._stdout)))
        self._events.put((self, None))


Event = tuple[Child, bytes | None]
