"""The user's own commands: JSON in, JSON out, no shell, with a deadline.

A hook is started as a list of arguments in a process group of its own. The whole group, and any
process that left it, is killed on a timeout and at the end. It gets none of our keys or settings;
the confinement of this process (Landlock, systemd) applies to it, too.
"""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from secrets import token_hex
from selectors import EVENT_READ, DefaultSelector
from tempfile import TemporaryFile
from typing import IO, Any

from daemon.adapters.strays import kill_orphans
from daemon.model.errors import HookError
from daemon.model.hook_event import FORMAT, HookEvent
from daemon.ports import Hook, Hooks

MAX_OUTPUT = 1_000_000  # bytes of an answer: a longer one is discarded
_MAX_STDERR = 4_000  # bytes of stderr that are kept
_MAX_REASON_LENGTH = 200
_POLL_SECONDS = 0.05
_CALL = "LACUNA_HOOK_CALL"  # marks all processes that a call has started, in any group
_ENVIRONMENT = (
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH",
    "SHELL", "TMPDIR", "TZ", "USER", "WAYLAND_DISPLAY", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
    "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
)  # fmt: skip


class HookCommand(Hook):
    """One list of arguments. It may take `seconds`, and runs in the folder `cwd`."""

    def __init__(
        self, event: HookEvent, arguments: Sequence[str], *, seconds: float, cwd: Path
    ) -> None:
        self._event = event
        self._arguments = [os.path.expanduser(arguments[0]), *arguments[1:]]  # noqa: PTH111  a name without a slash stays one
        self._seconds = seconds
        self._cwd = cwd

    @property
    def name(self) -> str:
        """The command's file, or the script that is its first argument."""
        script = [each for each in self._arguments[1:2] if each.startswith(("/", "~/"))]
        return Path((script or self._arguments)[0]).name

    def ask(
        self,
        body: Mapping[str, Any],
        is_over: Callable[[], bool] = lambda: False,
        *,
        starting: AbstractContextManager[None] | None = None,
    ) -> dict[str, Any]:
        """Run it once. Raises HookError with the reason."""
        payload = {"format": FORMAT, "event": self._event.value, **body}
        output = self._run(json.dumps(payload).encode(), is_over, starting or nullcontext())
        if not output.strip():
            return {}
        try:
            answer = json.loads(output)
        except (ValueError, RecursionError):
            raise HookError("its answer is not JSON") from None
        if not isinstance(answer, dict):
            raise HookError("its answer is not a JSON object")
        return answer

    def _run(
        self, payload: bytes, is_over: Callable[[], bool], starting: AbstractContextManager[None]
    ) -> bytes:
        call = token_hex(16)
        with self._started(payload, call, starting) as process:
            output_reader, complaint = _Reader(process.stdout, MAX_OUTPUT), _Reader(process.stderr)
            try:
                self._wait(process, output_reader, is_over)
            finally:
                _kill(process)
                kill_orphans(_CALL, call)
                for reader in (output_reader, complaint):
                    reader.finish()
        if output_reader.is_too_long:
            raise HookError(f"its answer is longer than {MAX_OUTPUT // 1_000_000} MB")
        if process.returncode != 0:
            raise HookError(
                f"it ended with {_exit_reason(process.returncode)}{_last_line(complaint.data)}"
            )
        return output_reader.data

    def _wait(
        self, process: subprocess.Popen[bytes], output: "_Reader", is_over: Callable[[], bool]
    ) -> None:
        """Wait until it has ended. Raises HookError if it takes too long or prints too much."""
        until = time.monotonic() + self._seconds
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_POLL_SECONDS)
                return
            if output.is_too_long:
                return
            if is_over():
                raise HookError("it was cancelled")
            if time.monotonic() >= until:
                raise HookError(f"it took longer than {self._seconds:g} s")

    @contextmanager
    def _started(
        self, payload: bytes, call: str, starting: AbstractContextManager[None]
    ) -> Iterator[subprocess.Popen[bytes]]:
        # Not a pipe, which would break: a hook need not read its input.
        with starting, self._translated(), TemporaryFile(dir=self._cwd) as stdin:
            stdin.write(payload)
            stdin.seek(0)
            process = self._popen(stdin, call)
        with process:
            yield process

    def _popen(self, stdin: IO[bytes], call: str) -> subprocess.Popen[bytes]:
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        return subprocess.Popen(
            self._arguments,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._cwd,
            env={**environment, "LACUNA_EVENT": self._event.value, _CALL: call},
            start_new_session=True,
        )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Raise HookError if it cannot be started."""
        try:
            yield
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise HookError(f"it cannot be started: {why}") from None


class CommandHooks(Hooks):
    """The table `[hooks]`."""

    def __init__(
        self, table: Mapping[HookEvent, Sequence[Sequence[str]]], *, seconds: float, cwd: Path
    ) -> None:
        self._hooks: dict[HookEvent, list[Hook]] = {
            event: [HookCommand(event, each, seconds=seconds, cwd=cwd) for each in lists]
            for event, lists in table.items()
        }

    def for_event(self, event: HookEvent) -> Sequence[Hook]:
        return self._hooks.get(event, [])


class _Reader(threading.Thread):
    """Reads a pipe and keeps the first `most` bytes, or the last few without `most`."""

    def __init__(self, pipe: IO[bytes] | None, most: int | None = None) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._most = most
        self._is_over = threading.Event()
        self.data = b""
        self.is_too_long = False
        self.start()

    def finish(self) -> None:
        """Take what has arrived by now; an escaped process may hold the other end open
        indefinitely.
        """
        self._is_over.set()
        self.join()

    def run(self) -> None:
        if self._pipe is None:
            return
        with DefaultSelector() as selector:
            selector.register(self._pipe, EVENT_READ)
            while True:
                is_last = self._is_over.is_set()
                if selector.select(0 if is_last else _POLL_SECONDS):
                    part = os.read(self._pipe.fileno(), 65536)
                    if not part:
                        return
                    self._keep(part)
                elif is_last:
                    return

    def _keep(self, part: bytes) -> None:
        if self._most is None:
            self.data = (self.data + part)[-_MAX_STDERR:]
        elif len(self.data) + len(part) > self._most:
            self.is_too_long = True
        else:
            self.data += part


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill it with all processes that it started, even if it has exited itself."""
    with suppress(ProcessLookupError, PermissionError):  # macOS reports this for a group of zombies
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _exit_reason(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _last_line(complaint: bytes) -> str:
    """Return the last line of stderr, for a message."""
    lines = complaint.decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    plain = "".join(each if each.isprintable() else " " for each in last)
    return f": {plain[:_MAX_REASON_LENGTH]}" if plain else ""
