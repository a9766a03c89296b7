"""Models of the hub's workers, with the API of OpenAI: a vault names the hub as a provider.

A call is answered once, and its answer kept for a day: a vault that lost it gets it again.
"""

import json
from collections.abc import Iterator
from typing import Any, Literal

from anyio.to_thread import run_sync
from pydantic import BaseModel, Field, JsonValue
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from daemon.faces.hub.answered_requests import answered_within
from daemon.faces.hub.bodies import body
from daemon.faces.web.problems import problem
from daemon.model.shared_requests import MODELS, RequestState
from daemon.usecases.hub_service import Caller, HubService

_MAX_CALL = 4_000_000  # bytes
_MOST, _USUAL = 100_000, 4_000  # tokens of an answer, at most and if the call says nothing
_CALL_SECONDS = 600.0  # that an answer is waited for; the vault has a limit of its own
_STATUS = {RequestState.REFUSED: 429, RequestState.FAILED: 502, RequestState.WAITING: 503}


class Message(BaseModel):
    """A text: pictures would cost more than is counted before the call is sent."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str


class Call(BaseModel):
    """What goes to the model's provider. The rest of a call could cost more than is counted."""

    model: str = Field(min_length=1, max_length=300)
    messages: list[Message] = Field(min_length=1)
    stream: bool = False
    max_tokens: int | None = Field(default=None, ge=1, le=_MOST)
    max_completion_tokens: int | None = Field(default=None, ge=1, le=_MOST)
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    response_format: dict[str, JsonValue] | None = None

    def question(self) -> bytes:
        """Return what is sent, always with one limit of the tokens of the answer."""
        body = self.model_dump(exclude={"model", "stream"}, exclude_none=True)
        if self.max_completion_tokens is not None:
            body.pop("max_tokens", None)
        else:
            body.setdefault("max_tokens", _USUAL)
        return json.dumps(body, sort_keys=True).encode()


async def call(service: HubService, request: Request, person: Caller) -> Response:
    """Answer a call of a model, in one piece also where a stream was asked for."""
    asked = await body(request, Call, _MAX_CALL)
    question = asked.question()
    vault = request.path_params["vault"]
    key = await run_sync(service.ask_service, person, vault, MODELS, asked.model, question)
    found = await answered_within(_CALL_SECONDS, service, person, key)
    if found.answer is None:
        why = found.trouble or "no worker of the hub has called the model yet"
        return problem(_STATUS[found.state], why)
    if not asked.stream:
        return JSONResponse(found.answer)
    return Response("".join(_events(found.answer)), media_type="text/event-stream")


async def models(service: HubService, request: Request, person: Caller) -> Response:
    """List the models that workers call."""
    names = await run_sync(service.models, person, request.path_params["vault"])
    return JSONResponse({"object": "list", "data": [{"id": each} for each in names]})


def _events(answer: dict[str, Any]) -> Iterator[str]:
    """Return an answer as a stream of one piece, its end, and what it took."""
    choices = [
        {
            "index": at,
            "delta": each.get("message") or {},
            "finish_reason": each.get("finish_reason"),
        }
        for at, each in enumerate(answer.get("choices") or ())
    ]
    same = {key: answer.get(key) for key in ("id", "created", "model")}
    whole = {**same, "object": "chat.completion.chunk", "choices": choices}
    for event in (whole, {**whole, "choices": [], "usage": answer.get("usage")}):
        yield f"data: {json.dumps(event)}\n\n"
    yield "data: [DONE]\n\n"
