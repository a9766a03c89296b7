"""Server-sent events: what the daemon does, as it happens, from any number on."""

import json
from collections.abc import AsyncIterator, Callable, Generator
from functools import partial
from threading import Event

import anyio
from anyio import CapacityLimiter, from_thread, to_thread
from anyio.streams.memory import MemoryObjectSendStream
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from daemon.faces.web.problems import problem
from daemon.model.errors import LacunaError
from daemon.model.event import BaseEvent

Follow = Callable[[Callable[[], bool], int | None], Generator[BaseEvent]]
"""Yields the events of the daemon after a number (None: from now on) until the first argument
returns true. Raises LacunaError when no daemon runs.
"""

_MAX_STREAMS = 8  # each takes a thread
_BUFFERED = 200  # events that a slow reader may be behind
_HEARTBEAT = 15  # seconds
_SEND_SECONDS = 30.0  # that sending one event may take before the reader is cut off


class EventStream:
    """The handler of `GET /api/v1/events`."""

    def __init__(self, follow: Follow) -> None:
        self._follow = follow
        self._threads = CapacityLimiter(_MAX_STREAMS)

    def routes(self) -> list[Route]:
        return [Route("/api/v1/events", self._events, methods=["GET"])]

    async def _events(self, request: Request) -> Response:
        last = request.headers.get("last-event-id", request.query_params.get("after", ""))
        if last and not (last.isascii() and last.isdigit() and len(last) < 16):
            return problem(400, "Last-Event-ID must be the number of an event")
        if self._threads.available_tokens < 1:
            return problem(503, f"{_MAX_STREAMS} readers follow already", {"retry-after": "10"})
        events = self._read(int(last) if last else None)
        return EventSourceResponse(events, ping=_HEARTBEAT, send_timeout=_SEND_SECONDS)

    async def _read(self, after: int | None) -> AsyncIterator[ServerSentEvent]:
        """Yield events as they come; end when the daemon stops, or the reader falls behind."""
        over = Event()
        send, receive = anyio.create_memory_object_stream[ServerSentEvent](_BUFFERED)
        async with anyio.create_task_group() as tasks:
            work = partial(self._pass_on, send, over, after)
            tasks.start_soon(partial(to_thread.run_sync, work, limiter=self._threads))
            try:
                async for event in receive:
                    yield event
            finally:
                over.set()
                receive.close()

    def _pass_on(
        self, send: MemoryObjectSendStream[ServerSentEvent], over: Event, after: int | None
    ) -> None:
        """Put events into the buffer, on a thread of its own, until it is full or closed."""
        try:
            for event in self._follow(over.is_set, after):
                from_thread.run_sync(send.send_nowait, _as_sent(event))
        except LacunaError as error:
            ended = ServerSentEvent(data=str(error).replace("\r", " "), event="ended")
            _try(send, ended)
        except (anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
            over.set()
        finally:
            from_thread.run_sync(send.close)


def _try(send: MemoryObjectSendStream[ServerSentEvent], event: ServerSentEvent) -> None:
    try:
        from_thread.run_sync(send.send_nowait, event)
    except (anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
        return  # the reader has gone, or is far behind: the stream ends all the same


def _as_sent(event: BaseEvent) -> ServerSentEvent:
    body = event.model_dump(mode="json")
    text = json.dumps(body, ensure_ascii=False)  # one line: JSON escapes line breaks
    return ServerSentEvent(data=text, event=body["type"], id=str(event.seq))
