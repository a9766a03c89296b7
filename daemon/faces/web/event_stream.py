"""Server-sent events: of the vault, of a run and of a question, from any number on."""

import json
from collections.abc import AsyncIterator, Callable, Generator
from functools import partial
from threading import Event

import anyio
from anyio import CapacityLimiter, from_thread, to_thread
from anyio.streams.memory import MemoryObjectSendStream
from pydantic import ValidationError
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from daemon.faces.web.access import Access
from daemon.faces.web.api import ROOT, Api, busy, json_response, key_of, refusal
from daemon.faces.web.asked import BusyError, Questions
from daemon.faces.web.problems import NOT_FOUND, BadRequestError, problem
from daemon.faces.web.request_values import from_body
from daemon.model.errors import LacunaError
from daemon.model.event import BaseEvent
from daemon.usecases.queries import QUERIES

Follow = Callable[..., Generator[BaseEvent]]
"""Yields the events of the vault after a number (None: from now on) until the first argument
returns true; with `run`, those of a run to its end. Raises LacunaError when nothing more can come.
"""
_Events = Callable[[Callable[[], bool], int | None], Generator[BaseEvent]]

_MAX_STREAMS = 8  # each takes a thread
_BUFFERED = 200  # events that a slow reader may be behind
_HEARTBEAT = 15  # seconds
_SEND_SECONDS = 30.0  # that sending one event may take before the reader is cut off


class _Counted(Response):
    """A response that calls a function when it has ended, however it ends."""

    def __init__(self, response: Response, on_end: Callable[[], None]) -> None:
        super().__init__()
        self._response, self._on_end = response, on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._response(scope, receive, send)
        finally:
            self._on_end()


class EventStream:
    """The handlers of events, and of questions whose answer is not awaited."""

    def __init__(self, follow: Follow, api: Api, questions: Questions, access: Access) -> None:
        self._follow, self._api, self._questions = follow, api, questions
        self._access = access
        self._threads = CapacityLimiter(_MAX_STREAMS)
        self._open = 0  # streams, from their request on

    def routes(self) -> list[Route]:
        return [
            Route(f"{ROOT}/events", self._of_vault, methods=["GET"]),
            Route(f"{ROOT}/runs/{{id}}/events", self._of_run, methods=["GET"]),
            Route(f"{ROOT}/asked", self._ask, methods=["POST"]),
            Route(f"{ROOT}/ask/{{id}}/events", self._of_question, methods=["GET"]),
            Route(f"{ROOT}/ask/{{id}}", self._cancel, methods=["DELETE"]),
        ]

    async def _of_vault(self, request: Request) -> Response:
        return self._streamed(request, self._follow)

    async def _of_run(self, request: Request) -> Response:
        run = request.path_params["id"]
        try:
            run = (await self._api.carry_out(QUERIES["run"], {"run": run}))["run"]
        except (LacunaError, ValidationError) as error:
            return refusal(error)
        return self._streamed(request, partial(self._follow, run=run))

    async def _ask(self, request: Request) -> Response:
        """Begin to answer a question; its events report the progress."""
        query = QUERIES["ask"]
        try:
            asked = await from_body(query.request, request)
            id_ = self._questions.begin(query, asked, key_of(request))
        except BusyError as error:
            return busy(error)
        except (LacunaError, BadRequestError, ValidationError) as error:
            return refusal(error)
        place = f"{ROOT}/ask/{id_}/events"
        answer = json_response({"id": id_, "events": place}, 202)
        answer.headers["location"] = place
        return answer

    async def _of_question(self, request: Request) -> Response:
        id_ = request.path_params["id"]
        if not self._questions.knows(id_):
            return problem(404, "no question has this id any more", kind=NOT_FOUND)
        return self._streamed(
            request, lambda is_over, after: self._questions.follow(id_, is_over, after or 0)
        )

    async def _cancel(self, request: Request) -> Response:
        id_ = request.path_params["id"]
        if not self._questions.knows(id_):
            return problem(404, "no question has this id any more", kind=NOT_FOUND)
        self._questions.cancel(id_)
        return Response(status_code=204)

    def _streamed(self, request: Request, follow: _Events) -> Response:
        last = request.headers.get("last-event-id", request.query_params.get("after"))
        if last is not None and not (last.isascii() and last.isdigit() and len(last) < 16):
            return problem(400, "Last-Event-ID must be the number of an event")
        if self._open >= _MAX_STREAMS:
            return problem(503, f"{_MAX_STREAMS} readers follow already", {"retry-after": "10"})
        self._open += 1
        has_ended = self._access.ending(request.state.session)
        events = self._read(follow, int(last) if last else None, has_ended)
        sent = EventSourceResponse(events, ping=_HEARTBEAT, send_timeout=_SEND_SECONDS)
        return _Counted(sent, self._count_out)

    def _count_out(self) -> None:
        self._open -= 1

    async def _read(
        self, follow: _Events, after: int | None, has_ended: Callable[[], bool]
    ) -> AsyncIterator[ServerSentEvent]:
        """Yield events as they come; end when the daemon stops, the reader falls behind, or it may
        no longer use the server.
        """
        over = Event()

        def is_over() -> bool:
            return over.is_set() or has_ended()

        send, receive = anyio.create_memory_object_stream[ServerSentEvent](_BUFFERED)
        async with send, anyio.create_task_group() as tasks:  # also if the thread never begins
            work = partial(self._pass_on, send, over, partial(follow, is_over, after))
            tasks.start_soon(partial(to_thread.run_sync, work, limiter=self._threads))
            try:
                async for event in receive:
                    yield event
            finally:
                over.set()
                receive.close()

    def _pass_on(
        self,
        send: MemoryObjectSendStream[ServerSentEvent],
        over: Event,
        follow: Callable[[], Generator[BaseEvent]],
    ) -> None:
        """Put events into the buffer, on a thread of its own, until it is full or closed."""
        try:
            for event in follow():
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
    """Return an event as it is sent; of one without a type only its number, which readers keep."""
    if type(event) is BaseEvent:
        return ServerSentEvent(id=str(event.seq))
    body = event.model_dump(mode="json")
    text = json.dumps(body)  # one line of ASCII: many readers also split at U+2028 and U+0085
    return ServerSentEvent(data=text, event=body["type"], id=str(event.seq))
