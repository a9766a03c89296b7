"""A child process that parses: starting, querying and stopping it."""

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
_PIPE = 1 << 18  # capacity of a pipe in bytes; the requests in a child's queue fit in


class Child:
    """One child, which gets its adapter first. Raises OSError if it cannot be started.

    It is confined to reading the vault: a note may compromise its parser.

    Its answers come as events, in the order of `asked`; None means that it is gone.
    """

    def __init__(self, events: "SimpleQueue[Event]", vault: Path) -> None:
        self.asked: deque[int] = deque()
        self.is_gone = False
        self._events = events
        # In a session of its own: Ctrl-C is for the parent, which stops the child.
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

    def send_adapter(self, adapter: bytes) -> None:
        """Set the adapter for the following requests."""
        self._send(adapter)

    def ask(self, number: int, request: bytes) -> None:
        """Send a share to parse. If the child is gone, an event reports it."""
        self.asked.append(number)
        self._send(request)

    def end(self) -> None:
        """Kill it, whatever it is doing: it has no state worth keeping."""
        self._process.kill()
        self._process.wait()
        self._listener.join()
        self._stdout.close()
        with suppress(OSError):  # requests that it did not read are lost
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
