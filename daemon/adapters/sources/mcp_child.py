"""The sealed process that speaks MCP with one server, as the daemon sees it.

Each server has its own process, so that a server that compromises it sees no other server's data.
"""

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from daemon.adapters.json_child import ChildDiedError, ChildLateError, JsonChild, Worker
from daemon.adapters.sources.mcp_command import Server
from daemon.adapters.sources.mcp_http import Post
from daemon.adapters.sources.reply import plain, unavailable
from daemon.ports import Fetcher

_WORKER = "daemon.adapters.mcp_worker"
_JOIN_SECONDS = 1.0  # for a server to exit after SIGTERM
# Separate threads: hanging servers must not block the resolution of host names.
_WAITING = ThreadPoolExecutor(32, thread_name_prefix="mcp")
_CRASHED = "its answer crashed the process that reads it, or needed too much memory"


class EndedError(Exception):
    """The server is gone; the message is its last line, or ""."""


class RefusedCallError(Exception):
    """The server rejected the call; the message is its own, or lists its tools."""


@dataclass(frozen=True, slots=True)
class Command:
    """A server that is started: its command line, environment and folder."""

    words: Sequence[str]
    env: Mapping[str, str]
    cwd: Path


@dataclass(frozen=True, slots=True)
class Address:
    """A server at an address, reached through the gate with `headers` on every request."""

    url: str
    headers: Mapping[str, str]
    fetcher: Fetcher


class McpChild:
    """One conversation with a server. Raises TroubleError if it cannot be started.

    Its methods may be called from any thread and any event loop, one call at a time. `on_exit` is
    called when everything has exited.
    """

    def __init__(
        self, way: Command | Address, idle_seconds: float, on_exit: Callable[["McpChild"], None]
    ) -> None:
        self._ended = on_exit
        self._has_answered = False
        self._post, self._server = None, None
        if isinstance(way, Command):
            self._server = Server(way.words, way.env, way.cwd)
        else:
            self._post = Post(way.fetcher, way.url, way.headers)
        pipes = self._server.pipes if self._server is not None else ()
        try:
            worker = Worker(_WORKER, idle_seconds=idle_seconds)
            self._child = JsonChild(worker, pipes, self._let_go)
        except ChildDiedError as error:
            if self._server is not None:
                self._server.signal(signal.SIGKILL)
                self._server.end()
            raise unavailable(f"could not start the process that speaks MCP: {error}") from None
        finally:
            if self._server is not None:
                self._server.hand_over()

    @property
    def pid(self) -> int:
        return self._child.pid

    async def call(self, tool: str, arguments: dict[str, Any], *, seconds: float) -> str:
        """Call a tool; return the JSON of a CallToolResult.

        Raises TimeoutError, EndedError, TroubleError, which end the conversation, and
        RefusedCallError.
        """
        request, body, until = {"call": tool, "arguments": arguments}, b"", monotonic() + seconds
        while True:
            left = max(until - monotonic(), 0.001)
            try:
                asking = partial(self._child.ask, request, body, seconds=left)
                answer = await asyncio.get_running_loop().run_in_executor(_WAITING, asking)
            except ChildLateError:
                raise TimeoutError from None
            except ChildDiedError:
                if self._has_answered:  # it may have gone idle at this moment
                    raise EndedError("") from None
                raise unavailable(_CRASHED) from None
            if "post" not in answer or self._post is None:
                text = await asyncio.to_thread(self._read, tool, answer)
                self._has_answered = True
                return text
            request, body = await self._post.send(answer)

    def end(self) -> None:
        """End it at once; a server that was started has a moment to exit itself."""
        self._child.end()

    def close(self) -> None:
        """End it, and wait until the server has exited."""
        self.end()
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._server is not None and self._child.waiter.is_alive():
                self._server.signal(number)
            self._child.waiter.join(_JOIN_SECONDS)

    def _let_go(self) -> None:
        if self._server is not None:
            self._server.end()
        self._ended(self)

    def _read(self, tool: str, answer: Mapping[str, Any]) -> str:
        match answer:
            case {"result": str(text)}:
                return text
            case {"lacks": [*names]}:
                there = ", ".join(map(plain, names))[:200] or "none"
                raise RefusedCallError(f"it has no tool named {tool}; available: {there}")
            case {"refused": str(why)}:
                raise RefusedCallError(plain(why)[:220])
            case {"ended": str(why)}:
                if self._post is not None and self._post.trouble is not None:
                    raise self._post.trouble
                if why:
                    raise unavailable(plain(why)[:200])
                raise EndedError(self._server.last_words() if self._server is not None else "")
        raise unavailable(_CRASHED)
