"""A conversation with one MCP server, in a task and a thread of its own.

A server that hangs, or that has to be killed, then holds up nobody, and whoever stops waiting for
it leaves its ending to that thread. It is begun with the first question, begun anew after it broke,
and ended when nothing was asked for a while.
"""

import asyncio
import atexit
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from daemon.adapters.sources.mcp_line import (
    EndedError,
    RefusedCallError,
    Way,
    called,
    why_it_ended,
)

if TYPE_CHECKING:
    from mcp import Client

IDLE_SECONDS = 60.0
_JOIN_SECONDS = 15.0

Dial = Callable[[Way], "AbstractAsyncContextManager[Client]"]


class McpSession:
    """Calls tools of one server. It belongs to no event loop, and may be used from several."""

    def __init__(self, dial: Dial, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._dial = dial
        self._idle_seconds = idle_seconds
        self._turn = threading.Lock()
        self._talk: _Talk | None = None

    async def call(self, tool: str, arguments: dict[str, Any], *, patience: float) -> str:
        """Call a tool; return what it gave as the JSON of a CallToolResult.

        It may take `patience` seconds, with the start of the server. A server that went away since
        it was last asked is started again; one that does not answer is ended. Raises TimeoutError,
        EndedError, RefusedCallError, TroubleError.
        """
        async with asyncio.timeout(patience):
            talk, is_new = self._at_hand()
            try:
                return await _ask(talk, tool, arguments)
            except EndedError:
                if is_new:
                    raise
            talk, _ = self._at_hand()
            return await _ask(talk, tool, arguments)

    def close(self) -> None:
        """End the server, and wait until it has ended."""
        atexit.unregister(self.close)
        with self._turn:
            talk, self._talk = self._talk, None
        if talk is not None:
            talk.end()
            talk.thread.join(_JOIN_SECONDS)

    def _at_hand(self) -> "tuple[_Talk, bool]":
        """The conversation that is under way, or a new one, and whether it is new."""
        with self._turn:
            if self._talk is not None and not self._talk.is_over:
                return self._talk, False
            atexit.unregister(self.close)
            atexit.register(self.close)
            self._talk = _Talk(self._dial, self._idle_seconds)
            return self._talk, True


async def _ask(talk: "_Talk", tool: str, arguments: dict[str, Any]) -> str:
    try:
        return await asyncio.wrap_future(talk.submit(tool, arguments))
    except RefusedCallError:
        raise
    except BaseException:  # a time-out, or the end of all waiting: what hangs is not kept
        talk.end()
        raise


class _Talk:
    """One start of a server, to its end. Its methods may be called from any thread."""

    def __init__(self, dial: Dial, idle_seconds: float) -> None:
        self.is_over = False
        self._dial = dial
        self._idle_seconds = idle_seconds
        self._turn = threading.Lock()
        self._open: set[Future[str]] = set()
        self._jobs: asyncio.Queue[tuple[Future[str], str, dict[str, Any]]] = asyncio.Queue()
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[None] | None = None
        self.thread = threading.Thread(target=self._run, name="mcp", daemon=True)
        self.thread.start()

    def submit(self, tool: str, arguments: dict[str, Any]) -> "Future[str]":
        """Have a tool called as soon as the server is there."""
        asked: Future[str] = Future()
        asked.set_running_or_notify_cancel()
        with self._turn:
            if self.is_over:
                asked.set_exception(EndedError(""))
            else:
                self._open.add(asked)
                self._loop.call_soon_threadsafe(self._jobs.put_nowait, (asked, tool, arguments))
        return asked

    def end(self) -> None:
        """End the server; what was asked of it and not answered fails."""
        with self._turn:
            if not self.is_over:
                self.is_over = True
                self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _run(self) -> None:
        reason: Exception = EndedError("")
        way = Way()
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve(way))
        except asyncio.CancelledError:
            pass  # by `end`
        except Exception as error:  # noqa: BLE001  # whatever breaks one server is that one's end
            reason = why_it_ended(error, way)
        finally:
            with self._turn:
                self.is_over = True
            for asked in list(self._open):
                self._settle(asked, reason)

    async def _serve(self, way: Way) -> None:
        self._task = asyncio.current_task()
        if self.is_over:
            return
        async with self._dial(way) as client, asyncio.TaskGroup() as calls:
            while job := await self._next():
                calls.create_task(self._answer(client, way, *job))

    async def _next(self) -> "tuple[Future[str], str, dict[str, Any]] | None":
        """The next call, or None when none came for long."""
        while True:
            try:
                async with asyncio.timeout(self._idle_seconds):
                    return await self._jobs.get()
            except TimeoutError:
                with self._turn:
                    if not self._open:
                        self.is_over = True
                        return None

    async def _answer(
        self, client: "Client", way: Way, asked: "Future[str]", tool: str, arguments: dict[str, Any]
    ) -> None:
        try:
            outcome: str | Exception = await called(client, way, tool, arguments)
        except Exception as error:  # noqa: BLE001  # one call must not end the others
            outcome = error
        self._settle(asked, outcome)

    def _settle(self, asked: "Future[str]", outcome: str | Exception) -> None:
        with self._turn:
            self._open.discard(asked)
        if isinstance(outcome, str):
            asked.set_result(outcome)
        else:
            asked.set_exception(outcome)
