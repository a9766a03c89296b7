"""The conversations with one MCP server: started by the first query, and kept for the next.

A conversation ends when it is idle for a while, or on an error.
"""

import asyncio
import atexit
import threading
from typing import Any

from daemon.adapters.sources.mcp_child import (
    Address,
    Command,
    EndedError,
    McpChild,
    RefusedCallError,
)

IDLE_SECONDS = 60.0


class McpSession:
    """Calls tools of one server. Belongs to no event loop, and may be used from several.

    Concurrent calls, up to the source's `concurrency`, have a conversation each.
    """

    def __init__(self, way: Command | Address, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._way = way
        self._idle_seconds = idle_seconds
        self._turn = threading.Lock()
        self._all: set[McpChild] = set()
        self._idle: list[McpChild] = []

    async def call(self, tool: str, arguments: dict[str, Any], *, patience: float) -> str:
        """Call a tool; return its result as the JSON of a CallToolResult.

        It may take `patience` seconds, including the start of the server. A server that exited
        since the last call is restarted; one that does not answer is killed. Raises TimeoutError,
        EndedError, RefusedCallError, TroubleError.
        """
        async with asyncio.timeout(patience):
            child = self._idle_child()
            if child is not None:
                try:
                    return await self._ask(child, tool, arguments, patience)
                except EndedError:
                    pass  # it had already exited
            child = await asyncio.to_thread(self._begin)
            return await self._ask(child, tool, arguments, patience)

    def close(self) -> None:
        """Stop the server, and wait until it has exited."""
        atexit.unregister(self.close)
        with self._turn:
            found, self._idle = [*self._all], []
        for child in found:
            child.close()

    async def _ask(
        self, child: McpChild, tool: str, arguments: dict[str, Any], patience: float
    ) -> str:
        try:
            text = await child.call(tool, arguments, seconds=patience)
        except RefusedCallError:
            self._keep(child)
            raise
        except BaseException:  # a timeout, or cancellation: a hanging conversation is not kept
            child.end()
            raise
        self._keep(child)
        return text

    def _idle_child(self) -> McpChild | None:
        with self._turn:
            return self._idle.pop() if self._idle else None

    def _keep(self, child: McpChild) -> None:
        with self._turn:
            if child in self._all:
                self._idle.append(child)
                return
        child.end()

    def _begin(self) -> McpChild:
        with self._turn:  # for which `_forget` waits
            child = McpChild(self._way, self._idle_seconds, self._forget)
            if not self._all:
                atexit.register(self.close)
            self._all.add(child)
        return child

    def _forget(self, child: McpChild) -> None:
        with self._turn:
            self._all.discard(child)
            if child in self._idle:  # it went idle, and nobody else closes its pipes
                self._idle.remove(child)
                child.end()
            if not self._all:
                atexit.unregister(self.close)
