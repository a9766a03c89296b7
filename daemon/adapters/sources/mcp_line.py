"""Ways to an MCP server with the official SDK: a command of this machine, or an address.

The SDK is imported when a server is first asked, and by nothing else: it takes a second to load.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from daemon.adapters.sources.reply import TroubleError, plain, unavailable
from daemon.ports import Fetcher

if TYPE_CHECKING:
    from mcp import Client

    from daemon.adapters.sources.mcp_http import GateTransport

_LAST_WORDS = 2000  # bytes of what a server wrote to stderr that are kept
_EOF_SECONDS = 0.5  # how long a server that ended may take for what it still writes there


class EndedError(Exception):
    """The conversation is over; the message is what the server said last, or ""."""


class RefusedCallError(Exception):
    """The server did not do what it was asked; the message is its own, or names its tools."""


@dataclass(slots=True)
class Way:
    """What is seen of a server beside its answers."""

    said: "_Tail | None" = None
    gate: "GateTransport | None" = None

    @property
    def trouble(self) -> TroubleError | None:
        return self.gate.trouble if self.gate is not None else None

    @property
    def last_words(self) -> str:
        """The last line that a command wrote to stderr, or ""."""
        lines = bytes(self.said.kept).decode("utf-8", "replace").split("\n") if self.said else []
        return next((said for line in reversed(lines) if (said := plain(line)[:200])), "")


@asynccontextmanager
async def by_command(
    way: Way, words: Sequence[str], env: Mapping[str, str], cwd: Path
) -> "AsyncIterator[Client]":
    """Start a server and speak with it over its stdin and stdout.

    Of the environment it gets what programs cannot do without (PATH, HOME and the like), and `env`.
    """
    from mcp import Client, StdioServerParameters, stdio_client  # noqa: PLC0415 only where MCP is used

    _quiet()
    await asyncio.to_thread(cwd.mkdir, parents=True, exist_ok=True)
    asked = StdioServerParameters(
        command=words[0],
        args=list(words[1:]),
        env=dict(env),
        cwd=cwd,
        encoding_error_handler="replace",
    )
    async with _listening(way) as log:

        @asynccontextmanager
        async def streams() -> AsyncIterator[Any]:
            async with stdio_client(asked, errlog=log) as both:
                log.close()  # the server has its own end of it now
                yield both

        async with Client(streams(), cache=None) as client:
            yield _unchecking(client)


@asynccontextmanager
async def by_address(
    way: Way, url: str, headers: Mapping[str, str], fetcher: Fetcher
) -> "AsyncIterator[Client]":
    """Speak with the server at `url`, through the gate, with `headers` on every request."""
    import httpx2  # noqa: PLC0415 only where MCP is used
    from mcp import Client  # noqa: PLC0415 only where MCP is used
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415 only where MCP is used

    from daemon.adapters.sources.mcp_http import GateTransport  # noqa: PLC0415 only where MCP is used

    _quiet()
    way.gate = GateTransport(fetcher)
    async with (
        httpx2.AsyncClient(transport=way.gate, headers=dict(headers), trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http), cache=None) as client,
    ):
        yield _unchecking(client)


def _unchecking(client: "Client") -> "Client":
    """Have answers not checked against the server's own schemas.

    A pattern in such a schema can hold this process for as long as the server likes, past every
    time-out. What an answer holds is checked by whoever reads it.
    """

    async def pass_on(name: str, result: object) -> None:
        """Find nothing wrong."""

    client.session.validate_tool_result = pass_on  # type: ignore[method-assign]
    return client


async def called(client: "Client", way: Way, tool: str, arguments: dict[str, Any]) -> str:
    """Call a tool; return the JSON of a CallToolResult.

    Raises EndedError when the server is gone, RefusedCallError, TroubleError.
    """
    from mcp import MCPError  # noqa: PLC0415 only where MCP is used
    from mcp.types import CONNECTION_CLOSED  # noqa: PLC0415 only where MCP is used
    from pydantic import ValidationError  # noqa: PLC0415 only where MCP is used

    try:
        result = await client.call_tool(tool, arguments)
        if result.is_error:
            await _check_tool(client, tool)
    except MCPError as error:
        if error.code == CONNECTION_CLOSED or (way.gate is not None and way.gate.is_over):
            raise await _ended(way) from None
        if way.trouble is not None:
            raise way.trouble from None
        await _check_tool(client, tool)
        raise RefusedCallError(f"reports an error: {plain(str(error))[:200]}") from None
    except (ValidationError, RuntimeError, ValueError):
        raise RefusedCallError("the answer is not in the form it should have") from None
    return result.model_dump_json(by_alias=True)


def why_it_ended(error: BaseException, way: Way) -> Exception:
    """Say why a server could not be spoken with at all, or not to the end."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TroubleError):
        return error
    if way.trouble is not None:
        return way.trouble
    match error:
        case FileNotFoundError():
            return unavailable(f"cannot be started: there is no program {error.filename}")
        case OSError():
            return unavailable(f"cannot be started: {error.strerror or type(error).__name__}")
        case _:
            return EndedError(way.last_words)


async def _check_tool(client: "Client", tool: str) -> None:
    """Raises RefusedCallError that names the server's tools when it has none of this name."""
    from mcp import MCPError  # noqa: PLC0415 only where MCP is used

    try:
        names = [each.name for each in (await client.list_tools()).tools]
    except MCPError:
        return  # a server that lists nothing may have it all the same
    if tool not in names:
        told = ", ".join(map(plain, sorted(names)))[:200] or "none at all"
        raise RefusedCallError(f"has no tool called {tool}; there are {told}")


async def _ended(way: Way) -> EndedError:
    if way.said is not None:
        await way.said.whole()
    return EndedError(way.last_words)


class _Tail(asyncio.Protocol):
    """Keeps the end of what is written to a pipe."""

    def __init__(self) -> None:
        self.kept = bytearray()
        self.is_closed = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.kept += data
        del self.kept[:-_LAST_WORDS]

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_closed.set()

    async def whole(self) -> None:
        """Wait for the end of it, but not for children of the server that keep it open."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.is_closed.wait(), _EOF_SECONDS)


@asynccontextmanager
async def _listening(way: Way) -> AsyncIterator[TextIO]:
    """Hear what a server writes to stderr; yields what it is to write to."""
    reading, writing = os.pipe()
    way.said = said = _Tail()
    with os.fdopen(writing, "w") as log:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: said, os.fdopen(reading, "rb")
        )
        try:
            yield log
        finally:
            if log.closed:
                await said.whole()
            transport.close()
            await asyncio.sleep(0)  # the pipe is closed in the loop's next turn


def _quiet() -> None:
    """What goes wrong is the source's answer; the SDK's log would repeat it with its data."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
