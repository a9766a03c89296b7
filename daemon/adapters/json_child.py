"""A sealed child process that answers each line of JSON with one line, within a deadline.

A document may compromise the parser in it, so answers are limited in size and validated before use.
`json_worker` is the other end of the pipes.
"""

import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from daemon.confinement.child import command

STARTUP_SECONDS = 60.0
MAX_ANSWER_BYTES = 64_000_000  # bytes of one line
# The child's environment: enough to run, and none of the user's keys.
_ENVIRONMENT = (
    "DYLD_LIBRARY_PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH",
    "PYTHONPATH", "TMPDIR", "TZ", "VIRTUAL_ENV",
)  # fmt: skip


class ChildDiedError(Exception):
    """The child died, or sent an invalid answer; the message says which."""


class ChildLateError(ChildDiedError):
    """The child did not answer in time, and was killed."""


@dataclass(frozen=True, slots=True)
class Worker:
    """What a child runs: a module, and its limits.

    `memory` is its address space in bytes; it exits after `idle_seconds` without a request.
    """

    module: str
    memory: int = 1_000_000_000
    idle_seconds: float = 60.0


class JsonChild:
    """One run of a worker. Raises ChildDiedError if it cannot be started.

    It inherits the file descriptors in `pipes`, passed by number. `on_exit` is called in a thread
    of its own when the process has exited for any reason.
    """

    def __init__(
        self, worker: Worker, pipes: Sequence[int] = (), on_exit: Callable[[], None] = lambda: None
    ) -> None:
        self.unconfined: tuple[str, ...] | None = None  # known when it is ready
        limits = [f"--memory={worker.memory}", f"--idle={worker.idle_seconds}"]
        try:
            self._process = subprocess.Popen(
                command(worker.module, *limits, *(f"--pipe={each}" for each in pipes)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for us; the child exits with its stdin
                pass_fds=pipes,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            )
        except OSError as error:
            raise ChildDiedError(f"it cannot be started: {error.strerror}") from None
        self.waiter = threading.Thread(
            target=self._wait, args=(on_exit,), daemon=True, name="child"
        )
        self.waiter.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self, seconds: float = STARTUP_SECONDS) -> tuple[str, ...]:
        """Wait for its first line; return why it is not fully confined. Raises ChildDiedError."""
        if self.unconfined is None:
            missing = self._answer(None, seconds).get("unconfined")
            self.unconfined = tuple(map(str, missing)) if isinstance(missing, list) else ()
        return self.unconfined

    def ask(
        self, request: Mapping[str, Any], body: bytes = b"", *, seconds: float
    ) -> dict[str, Any]:
        """Send a request with its bytes; return the answer.

        Raises ChildLateError, ChildDiedError; the child is then gone.
        """
        self.wait_until_ready(seconds)
        message = {**request, "size": len(body), "cpu_seconds": seconds}
        return self._answer(json.dumps(message).encode() + b"\n" + body, seconds)

    def kill(self) -> None:
        """Kill it at once, from any thread; callers waiting for an answer get ChildDiedError."""
        self._process.kill()

    def end(self) -> None:
        """Stop it, and close the pipes to it."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # unsent data can no longer be sent
                _pipe(pipe).close()

    def _answer(self, request: bytes | None, seconds: float) -> dict[str, Any]:
        line = b""
        with self._deadline(seconds) as late, contextlib.suppress(OSError, ValueError):
            if request is not None:
                _pipe(self._process.stdin).write(request)
                _pipe(self._process.stdin).flush()
            line = _pipe(self._process.stdout).readline(MAX_ANSWER_BYTES)
        if line.endswith(b"\n") and (answer := _object(line)) is not None:
            return answer
        self.end()
        if late.is_set():
            raise ChildLateError(f"it took longer than {seconds:g} s")
        raise ChildDiedError("it sent an invalid answer" if line else "it ended")

    @contextlib.contextmanager
    def _deadline(self, seconds: float) -> Iterator[threading.Event]:
        """Kill the child if the block takes longer; the event is set if that happened."""
        late = threading.Event()

        def kill() -> None:
            late.set()
            self.kill()

        guard = threading.Timer(seconds, kill)
        guard.daemon = True
        guard.start()
        try:
            yield late
        finally:
            guard.cancel()

    def _wait(self, on_exit: Callable[[], None]) -> None:
        self._process.wait()  # so that an idle child that exited does not stay a zombie
        on_exit()


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _pipe(pipe: Any) -> BinaryIO:
    """Every child is started with both pipes; this is for the type checker."""
    found: BinaryIO = pipe
    return found
