"""An MCP server that is a command: how it is started, and how it ends."""

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from daemon.adapters.sources.reply import plain, unavailable

_LAST_WORDS = 2000  # bytes of what a server wrote to stderr that are kept
_EOF_SECONDS = 0.5  # how long a server that ended may take for what it still writes there
_GRACE_SECONDS = 2.0  # for a server to end by itself, and when it is asked to
# What it gets of the environment besides what its entry says: what programs cannot do without.
_INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")


class Server:
    """One start of a command, in a session of its own. Raises TroubleError when there is none."""

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
            why = f"there is no program {error.filename}"
            raise unavailable(f"cannot be started: {why}") from None
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise unavailable(f"cannot be started: {why}") from None
        self._said = bytearray()
        self._listener = threading.Thread(target=self._listen, daemon=True, name="mcp-stderr")
        self._listener.start()

    @property
    def pipes(self) -> tuple[int, int]:
        """The descriptors to read what it says, and to write what it is asked."""
        return _pipe(self._process.stdout).fileno(), _pipe(self._process.stdin).fileno()

    def hand_over(self) -> None:
        """Let go of these pipes: another process has them now, with which they end."""
        _pipe(self._process.stdout).close()
        _pipe(self._process.stdin).close()

    def last_words(self) -> str:
        """Return the last line that it wrote to stderr, or ""."""
        self._listener.join(_EOF_SECONDS)  # but children of it may keep the pipe open
        lines = bytes(self._said).decode("utf-8", "replace").split("\n")
        return next((said for line in reversed(lines) if (said := plain(line)[:200])), "")

    def end(self) -> None:
        """Wait for its end after its pipes were closed; ask for it, and force it, if need be."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE_SECONDS)
                return
            self.signal(number)
        self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it and to what it started."""
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
