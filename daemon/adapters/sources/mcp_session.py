"""The conversations with one MCP server: begun with the first question, and kept for the next.

A conversation goes on until nothing was asked for a while, or until something went wrong in it.
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
    """Calls tools of one server. It belongs to no event loop, and may be used from several.

    Calls at the same time, as many as the source's `concurrency`, have a conversation each.
    """

    def __init__(self, way: Command | Address, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._way = way
        self._idle_seconds = idle_seconds
        self._turn = threading.Lock()
        self._all: set[McpChild] = set()
        self._idle: list[McpChild] = []

    async def call(self, tool: str, arguments: dict[str, Any], *, patience: float) -> str:
        """Call a tool; return what it gave as the JSON of a CallToolResult.

        It may take `patience` seconds, with the start of the server. A server that went away since
        it was last asked is started again; one that does not answer is ended. Raises TimeoutError,
        EndedError, RefusedCallError, TroubleError.
        """
        async with asyncio.timeout(patience):
            child = self._kept()
            if child is not None:
                try:
                    return await self._ask(child, tool, arguments, patience)
                except EndedError:
                    pass  # it was gone already
            child = await asyncio.to_thread(self._begin)
            return await self._ask(child, tool, arguments, patience)

    def close(self) -> None:
        """End the server, and wait until it has ended."""
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
        except BaseException:  # a time-out, or the end of all waiting: what hangs is not kept
            child.end()
            raise
        self._keep(child)
        return text

    def _kept(self) -> McpChild | None:
        with self._turn:
            return self._idle.pop() if self._idle else None

    def _keep(self, child: McpChild) -> None:
        with self._turn:
            if child in self._all:
                self._idle.append(child)
                return
        child.end()

    def _begin(self) -> McpChild:
        with self._turn:  # which `_forget` waits for
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
