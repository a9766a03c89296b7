"""An MCP server that is a command: starting and stopping it."""

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from daemon.adapters.sources.reply import plain, unavailable

_LAST_WORDS = 2000  # bytes of a server's stderr that are kept
_EOF_SECONDS = 0.5  # how long to read stderr after the server exited
_GRACE_SECONDS = 2.0  # for a server to exit on its own, and after a signal
# Its environment besides the variables of its entry: what programs need to run.
_INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")


class Server:
    """One run of a command, in its own session. Raises TroubleError if it cannot be started."""

    def __init__(self, words: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        usual = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        try:
            cwd.mkdir(parents=True, exist_ok=True)
            self._process = subprocess.Popen(
                [*words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**usual, **env},
                cwd=cwd,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            why = f"program not found: {error.filename}"
            raise unavailable(f"cannot be started: {why}") from None
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise unavailable(f"cannot be started: {why}") from None
        self._said = bytearray()
        self._listener = threading.Thread(target=self._listen, daemon=True, name="mcp-stderr")
        self._listener.start()

    @property
    def pipes(self) -> tuple[int, int]:
        """Return the descriptors of its output and its input."""
        return _pipe(self._process.stdout).fileno(), _pipe(self._process.stdin).fileno()

    def hand_over(self) -> None:
        """Close these pipes here: another process owns them now, and closes them when it exits."""
        _pipe(self._process.stdout).close()
        _pipe(self._process.stdin).close()

    def last_words(self) -> str:
        """Return the last line of its stderr, or ""."""
        self._listener.join(_EOF_SECONDS)  # but its children may keep the pipe open
        lines = bytes(self._said).decode("utf-8", "replace").split("\n")
        return next((text for line in reversed(lines) if (text := plain(line)[:200])), "")

    def end(self) -> None:
        """Wait for it to exit after its pipes were closed; terminate it, then kill it, if
        necessary.
        """
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE_SECONDS)
                return
            self.signal(number)
        self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it and its children."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _listen(self) -> None:
        with _pipe(self._process.stderr) as stderr:
            while data := os.read(stderr.fileno(), 4096):
                self._said += data
                del self._said[:-_LAST_WORDS]


def _pipe(pipe: Any) -> BinaryIO:
    found: BinaryIO = pipe
    return found
