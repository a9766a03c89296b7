"""The process that speaks MCP with one server, through the official SDK.

It has no network and no files, and cannot start programs. Its parent posts its messages to a server
at an address; a server that is a command is connected by two inherited pipes (`--pipe READ --pipe
WRITE`). Requests and answers:

{"call": tool, "arguments"}              asks for a call of a tool
{"posted": number, "status", "headers",  what came of a post, with the bytes of the answer; `status`
 "failed", "over"}                       is missing when none came
{"post": number, "body", "headers"}      has to be posted before the call can go on
{"result": text}                         a CallToolResult as JSON
{"refused": why}, {"lacks": [tool, …]}   the call failed, and the server is still there
{"ended": why}                           the server is gone, and so is this process
"""

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Any, BinaryIO

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp.types import CONNECTION_CLOSED, jsonrpc_message_adapter

from daemon.adapters.json_worker import Pipes, allow_cpu, open_pipes

MAX_MESSAGE_BYTES = 5_000_000  # bytes of one message from a server
_MAX_REQUEST_BYTES = 16_000_000  # bytes
_MAX_NAMES = 50  # tools that are listed if the requested one is missing
_NO_STREAM = 405  # the HTTP status of a server that sends no unsolicited messages
_ADDRESS = "http://server/"  # which only the parent knows
_WRONG_FORM = "the answer does not have the expected form"
_TOO_LARGE = f"the answer is larger than {MAX_MESSAGE_BYTES / 1e6:g} MB"
_TOO_MUCH = "the answer needs more memory than allowed"


class Parent:
    """The pipes to the parent. Each of its requests gets one message in answer, in order."""

    def __init__(self, pipes: Pipes) -> None:
        self.calls: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.is_over = False  # whether the last post failed, or the session has expired
        self.trouble = ""  # why no answer is possible, if known
        self._pipes = pipes
        self._out: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._posts: dict[int, asyncio.Future[tuple[dict[str, Any], bytes]]] = {}
        self._numbers = count()

    def send(self, message: dict[str, Any]) -> None:
        """Send this as the answer to the pending or the next request."""
        self._out.put_nowait(message)

    async def post(self, body: Any, headers: dict[str, str]) -> tuple[dict[str, Any], bytes]:
        """Have the parent post a message; return the response."""
        number = next(self._numbers)
        answer = self._posts[number] = asyncio.get_running_loop().create_future()
        self.send({"post": number, "body": body, "headers": headers})
        posted: tuple[dict[str, Any], bytes] = await answer
        return posted

    async def serve(self) -> None:
        """Read requests and answer them, until none has come for a while, or the server is gone."""
        reader, is_idle = await _reader(self._pipes.requests, _MAX_REQUEST_BYTES), False
        self._pipes.send_ready()
        # Not while the parent is posting or a request is pending: that may take any time.
        while line := await asyncio.wait_for(
            reader.readline(), self._pipes.idle_seconds if is_idle else None
        ):
            request = json.loads(line)
            allow_cpu(float(request["cpu_seconds"]))
            self._take(request, await reader.readexactly(int(request["size"])))
            message = await self._out.get()
            self._pipes.send(message)
            if "ended" in message:
                return
            is_idle = "post" not in message

    def _take(self, request: dict[str, Any], body: bytes) -> None:
        if "call" in request:
            self.calls.put_nowait(request)
            return
        self.is_over = request["failed"] or request["over"]
        waiting = self._posts.pop(request["posted"])
        if not waiting.done():  # the SDK may have given it up
            waiting.set_result((request, body))


class Relay(httpx2.AsyncBaseTransport):
    """Passes the SDK's requests to the parent.

    Sends only messages to the server. Does not open the stream for unsolicited messages of the
    server, and lets a session expire instead of closing it.
    """

    def __init__(self, parent: Parent) -> None:
        self._parent = parent

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method != "POST":
            return httpx2.Response(_NO_STREAM)
        message = json.loads(await request.aread())
        answer, body = await self._parent.post(message, dict(request.headers))
        if "status" not in answer:
            raise httpx2.ConnectError("no answer came")
        return httpx2.Response(answer["status"], headers=answer["headers"], content=body)


def main() -> None:
    logging.disable()  # the error is the answer; the SDK's log would repeat it with its data
    asyncio.run(_serve(open_pipes()))


async def _serve(pipes: Pipes) -> None:
    parent = Parent(pipes)
    speaking = asyncio.create_task(_run_session(parent, pipes.inherited))
    with suppress(TimeoutError, BrokenPipeError):
        await parent.serve()
    speaking.cancel()
    os._exit(0)  # there is nothing to clean up, and the SDK would take its time


async def _run_session(parent: Parent, pipes: tuple[int, ...]) -> None:
    """Answer calls until the server is gone."""
    try:
        async with _client(parent, pipes) as client:
            while True:
                parent.send(await _answer(client, parent, await parent.calls.get()))
    except Exception as error:  # noqa: BLE001  # whatever breaks a server is that one's end
        parent.send({"ended": _why(error) or parent.trouble})


@asynccontextmanager
async def _client(parent: Parent, pipes: tuple[int, ...]) -> AsyncIterator[Client]:
    if pipes:
        async with Client(_streams(parent, *pipes), cache=None) as client:
            yield _without_validation(client)
        return
    async with (
        httpx2.AsyncClient(transport=Relay(parent), trust_env=False) as http,
        Client(streamable_http_client(_ADDRESS, http_client=http), cache=None) as client,
    ):
        yield _without_validation(client)


def _without_validation(client: Client) -> Client:
    """Turn off validation of answers against the server's own schemas.

    A pattern in such a schema could take until the deadline, each time. The reader of an answer
    validates it.
    """

    async def pass_on(name: str, result: object) -> None:
        """Accept everything."""

    client.session.validate_tool_result = pass_on  # type: ignore[method-assign]
    return client


@asynccontextmanager
async def _streams(parent: Parent, reading: int, writing: int) -> AsyncIterator[Any]:
    """Return the pipes of a server that the parent started, as streams of the SDK's messages."""
    incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_send, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    lines = await _reader(os.fdopen(reading, "rb"), MAX_MESSAGE_BYTES)
    server = await _writer(os.fdopen(writing, "wb"))

    async def receive() -> None:
        async with incoming:
            try:
                while line := await lines.readline():
                    await incoming.send(_parsed(line))
            except ValueError:
                parent.trouble = _TOO_LARGE
            except anyio.BrokenResourceError:
                return  # the session is over

    async def send() -> None:
        with suppress(OSError):  # closing its input closes its output, too
            async for each in outgoing:
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                server.write(f"{text}\n".encode())
                await server.drain()
        await incoming.aclose()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(receive)
        tasks.start_soon(send)
        yield received, to_send
        tasks.cancel_scope.cancel()


async def _reader(pipe: BinaryIO, longest: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=longest)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
    return reader


async def _writer(pipe: BinaryIO) -> asyncio.StreamWriter:
    """Make a pipe non-blocking. A thread could not wake the loop: that takes a socket."""
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, pipe)
    return asyncio.StreamWriter(transport, protocol, None, loop)


def _parsed(line: bytes) -> SessionMessage | Exception:
    text = line.decode("utf-8", "replace")
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError as error:
        return error


async def _answer(client: Client, parent: Parent, asked: dict[str, Any]) -> dict[str, Any]:
    tool = asked["call"]
    try:
        result = await client.call_tool(tool, asked["arguments"])
        if result.is_error and (names := await _other_tools(client, tool)) is not None:
            return {"lacks": names}
        return {"result": result.model_dump_json(by_alias=True)}
    except MCPError as error:
        if error.code == CONNECTION_CLOSED or parent.is_over:
            return {"ended": parent.trouble}
        if (names := await _other_tools(client, tool)) is not None:
            return {"lacks": names}
        return {"refused": f"reports an error: {str(error)[:2000]}"}
    except (RuntimeError, ValueError):  # pydantic's, too, if an answer has another form
        return {"refused": _WRONG_FORM}


async def _other_tools(client: Client, tool: str) -> list[str] | None:
    """List the server's tools if it has none with this name; None if it has, or lists none."""
    try:
        names = [each.name for each in (await client.list_tools()).tools]
    except (MCPError, RuntimeError, ValueError):
        return None  # a server that lists no tools may have it all the same
    return None if tool in names else sorted(names)[:_MAX_NAMES]


def _why(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return _TOO_MUCH if isinstance(error, MemoryError) else ""


if __name__ == "__main__":
    main()
