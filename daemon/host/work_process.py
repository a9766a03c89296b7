"""Use cases in a process of their own, which keeps what they load out of the web server.

The server writes one JSON object a line into the process: the place of the vault and the keys, then
requests, each with a number of its own, and stops by that number. What comes back has the number,
too: events, and at the end the document or an error. The process is started when it is needed, and
ended when nothing was requested for a while.
"""

import json
import logging
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from queue import Empty, SimpleQueue
from typing import IO, Any

from daemon.child_environment import DESCRIPTOR, child_environment, held_keys
from daemon.model import errors
from daemon.model.errors import LacunaError
from daemon.model.event import EVENT, BaseEvent
from daemon.ports import Stop
from daemon.usecases.command import Command
from daemon.usecases.document import Request
from daemon.usecases.query import Query

_log = logging.getLogger(__name__)
_IDLE = 120.0  # seconds without a request, after which the process is ended
_TICK = 0.1  # seconds, after which a waiting caller looks whether it was stopped
_END = 10.0  # seconds that the process may take to end its work
NOTHING = ""  # the name of a request that asks only whether the vault is open
_ENDED = "the process that carries out requests has ended: try again"
_Part = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Child:
    """A running process, what it reads, and what it writes."""

    process: "subprocess.Popen[str]"
    given: IO[str]
    answers: IO[str]

    def reap(self) -> None:
        """Wait until it has ended; kill it if that takes too long."""
        try:
            self.process.wait(_END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class WorkProcess:
    """Has use cases carried out in a process of its own; for many threads at once."""

    def __init__(
        self, command: Sequence[str], orders: Mapping[str, Any], *, idle_seconds: float = _IDLE
    ) -> None:
        """`command` starts a process that reads its `orders` and is then `Served`."""
        self._command, self._orders = command, orders
        self._idle_seconds = idle_seconds
        self._guard = threading.Lock()
        self._child: _Child | None = None
        self._waiting: dict[int, SimpleQueue[_Part]] = {}
        self._ids = count(1)
        self._timer: threading.Timer | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process, while there is one."""
        child = self._child
        return None if child is None else child.process.pid

    def start(self) -> None:
        """Start the process, and wait until the vault is open. Raises LacunaError."""
        self.by_name(NOTHING, {})

    def __call__(
        self,
        use: Query[Any, Any] | Command[Any, Any],
        request: Request,
        show: Callable[[BaseEvent], None],
        stop: Stop,
        key: str,
    ) -> Any:
        """Carry out a use case and return its document. Raises LacunaError, StoppedError."""
        body = request.model_dump(mode="json")
        return self._asked({"name": use.name, "body": body, "key": key}, show, stop)

    def by_name(self, name: str, body: Mapping[str, Any]) -> Any:
        """Answer a query by its name. Raises LacunaError."""
        return self._asked({"name": name, "body": dict(body)}, lambda _event: None, Stop())

    def end(self) -> None:
        """End the process, after the work in progress."""
        with self._guard:
            child = self._left()
        if child is not None:
            child.reap()

    def _asked(self, sent: _Part, show: Callable[[BaseEvent], None], stop: Stop) -> Any:
        parts: SimpleQueue[_Part] = SimpleQueue()
        with self._guard:
            id_ = next(self._ids)
            self._waiting[id_] = parts
            self._send(sent | {"id": id_})
        try:
            return self._followed(id_, parts, show, stop)
        finally:
            with self._guard:
                del self._waiting[id_]
                self._rest()

    def _followed(
        self, id_: int, parts: SimpleQueue[_Part], show: Callable[[BaseEvent], None], stop: Stop
    ) -> Any:
        """Show the events of a request, and return its document. Raises LacunaError."""
        is_stopped = False
        while True:
            if stop.is_requested and not is_stopped:
                is_stopped = True
                with self._guard:
                    self._send({"id": id_, "stop": True})
            with suppress(Empty):
                part = parts.get(timeout=_TICK)
                if "event" in part:
                    show(EVENT.validate_python(part["event"]))
                elif "error" in part:
                    raise _kind_of(part["kinds"])(part["error"])
                else:
                    return part["document"]

    def _send(self, sent: _Part) -> None:
        """Send a line to the process, which is started first if there is none."""
        child = self._child or self._started()
        try:
            child.given.write(f"{json.dumps(sent)}\n")
            child.given.flush()
        except (OSError, ValueError) as error:
            _log.debug("the process that carries out requests does not read: %s", error)

    def _started(self) -> _Child:
        keys = held_keys()
        number = keys.get(DESCRIPTOR, "")
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=child_environment(),
            pass_fds=[int(number)] if number.isdecimal() else [],
            start_new_session=True,  # Ctrl-C ends the server, which then ends this process
        )
        if process.stdin is None or process.stdout is None:
            raise LacunaError("the process that carries out requests has no pipes")
        self._child = child = _Child(process, process.stdin, process.stdout)
        threading.Thread(target=self._read, args=(child,), daemon=True, name="work").start()
        self._send({**self._orders, "keys": keys})
        return child

    def _read(self, child: _Child) -> None:
        """Pass on what comes; when the process has ended, end what waits for it."""
        for line in child.answers:
            part = json.loads(line)
            if (parts := self._waiting.get(part["id"])) is not None:
                parts.put(part)
        with self._guard:
            if self._child is child:
                self._child = None
                for parts in self._waiting.values():
                    parts.put({"error": _ENDED, "kinds": ["LacunaError"]})
        child.reap()

    def _rest(self) -> None:
        """End the process some time after the last request; a passphrase can be read only once."""
        if self._timer is not None:
            self._timer.cancel()
        if not self._waiting and DESCRIPTOR not in held_keys():
            self._timer = threading.Timer(self._idle_seconds, self._end_if_idle)
            self._timer.daemon = True
            self._timer.start()

    def _end_if_idle(self) -> None:
        with self._guard:
            if not self._waiting:
                self._left()

    def _left(self) -> _Child | None:
        """Send nothing more to the process, which then ends."""
        child, self._child = self._child, None
        if self._timer is not None:
            self._timer.cancel()
        if child is not None:
            with suppress(OSError):
                child.given.close()
        return child


def _kind_of(names: Sequence[str]) -> type[LacunaError]:
    """Return the error of one of these names, the most specific one that there is here."""
    kinds = (getattr(errors, name, None) for name in names)
    return next(
        (kind for kind in kinds if isinstance(kind, type) and issubclass(kind, LacunaError)),
        LacunaError,
    )
