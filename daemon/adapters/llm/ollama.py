"""Ollama by its own API, which takes a schema, the length of the context and a keep-alive."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from daemon.adapters.llm.context import needed_tokens
from daemon.adapters.llm.failures import (
    CALLS_TOOL,
    INTERRUPTED,
    TOO_LONG,
    CallFailedError,
    kind_of_status,
)
from daemon.model.language_models import (
    Connection,
    OfferedModel,
    ProviderKind,
    billions_in,
    is_embedding,
    is_hosted,
)

_MAX_CHARACTERS = 400_000  # of one answer
_SERVER_ERROR = 500  # what an error in the middle of an answer stands for
_SECONDS = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?")  # to wait, as a header says
_CONTEXTS = (4096, 8192, 16_384, 32_768, 65_536, 131_072)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What Ollama shows of a model: tokens that it reads and writes, 0 if unknown, and whether it

    thinks before it answers.
    """

    context: int = 0
    thinks: bool = False


class OllamaProvider:
    """Asks `/api/chat`; every piece of its answer is a line of JSON."""

    def __init__(self, connection: Connection, client: httpx2.AsyncClient) -> None:
        self._base = connection.base_url.rstrip("/")
        self._headers = {"authorization": f"Bearer {connection.key}"} if connection.key else {}
        self._client = client
        self._shown: dict[str, _Shown] = {}

    async def ask(
        self, request: Mapping[str, Any], on_text: Callable[[str], None]
    ) -> dict[str, Any]:
        body = _body(request, await self._model(request["model"]))
        pieces: list[str] = []
        length = 0
        async with self._client.stream(
            "POST", f"{self._base}/api/chat", json=body, headers=self._headers
        ) as response:
            await _check(response)
            async for line in response.aiter_lines():
                reply = _parsed(line)
                piece = _piece(reply.get("message") or {})
                length += len(piece)
                if length > _MAX_CHARACTERS:
                    raise TOO_LONG
                if piece:
                    pieces.append(piece)
                    on_text(piece)
                if reply.get("done"):
                    return _done(reply, "".join(pieces), request["model"])
        raise INTERRUPTED

    async def _model(self, name: str) -> _Shown:
        if name not in self._shown:
            response = await self._client.post(
                f"{self._base}/api/show", json={"model": name}, headers=self._headers
            )
            self._shown[name] = _shown_in(response)
        return self._shown[name]

    async def models(self) -> list[OfferedModel]:
        response = await self._client.get(f"{self._base}/api/tags", headers=self._headers)
        await _check(response)
        found = map(_offered, response.json().get("models") or [])
        return [each for each in found if each is not None]

    async def close(self) -> None:
        await self._client.aclose()


def _offered(entry: Mapping[str, Any]) -> OfferedModel | None:
    """Return a model of the list, None for one that embeds texts and answers nothing."""
    name, details = str(entry["name"]), entry.get("details") or {}
    capabilities = entry.get("capabilities") or ["completion"]
    embeds = "bert" in str(details.get("family")) or "completion" not in capabilities
    if embeds or is_embedding(name):
        return None
    is_elsewhere = bool(entry.get("remote_host")) or is_hosted(ProviderKind.OLLAMA, name)
    return OfferedModel(name, billions_in(str(details.get("parameter_size"))), is_elsewhere)


def _shown_in(response: httpx2.Response) -> _Shown:
    try:
        shown = response.json()
        thinks = "thinking" in (shown.get("capabilities") or ())
        named = (shown.get("model_info") or {}).items()
        found = next((each for name, each in named if name.endswith(".context_length")), 0)
    except (ValueError, AttributeError, TypeError):
        return _Shown()
    return _Shown(found if isinstance(found, int) and found > 0 else 0, thinks)


def _body(request: Mapping[str, Any], model: _Shown) -> dict[str, Any]:
    """Return what is sent; raise CallFailedError if the model has not so many tokens."""
    needed = needed_tokens(request, model.context)
    context = next((each for each in _CONTEXTS if each >= needed), _CONTEXTS[-1])
    context = min(context, model.context or context)
    body: dict[str, Any] = {
        "model": request["model"],
        "messages": [
            {"role": "system", "content": request["system"]},
            {"role": "user", "content": request["user"]},
        ],
        "stream": bool(request.get("stream")),
        # Without it Ollama cuts a long prompt at the beginning, and says nothing.
        "options": {
            "num_ctx": context,
            "num_predict": request["max_tokens"],
            "temperature": request["temperature"],
        },
    }
    if model.thinks:  # thoughts would use up the tokens of the answer; gpt-oss cannot do without
        body["think"] = "low" if "gpt-oss" in request["model"] else False
    if request.get("schema") is not None:
        body["format"] = request["schema"]
    return body


def _parsed(line: str) -> dict[str, Any]:
    if not line.strip():
        return {}
    try:
        reply = json.loads(line)
    except ValueError:
        raise INTERRUPTED from None
    if not isinstance(reply, dict):
        raise INTERRUPTED
    if "error" in reply:
        raise CallFailedError(
            kind_of_status(_SERVER_ERROR, str(reply["error"])), str(reply["error"])
        )
    return reply


def _piece(message: Mapping[str, Any]) -> str:
    if message.get("tool_calls"):
        raise CALLS_TOOL
    return str(message.get("content") or "")


def _done(reply: Mapping[str, Any], text: str, model: str) -> dict[str, Any]:
    return {
        "text": text,
        "input_tokens": reply.get("prompt_eval_count") or 0,
        "output_tokens": reply.get("eval_count") or 0,
        "model": str(reply.get("model") or model),
        "finish": str(reply.get("done_reason") or "stop"),
    }


async def _check(response: httpx2.Response) -> None:
    """Raise CallFailedError for an answer that is an error."""
    if response.status_code < 400:
        return
    text = (await response.aread()).decode("utf-8", "replace")
    try:
        reply = json.loads(text)
    except ValueError:
        reply = {}
    message = str(reply.get("error", text)) if isinstance(reply, dict) else text
    retry_after = response.headers.get("retry-after", "")
    seconds = float(retry_after) if _SECONDS.fullmatch(retry_after) else None
    raise CallFailedError(kind_of_status(response.status_code, message), message, seconds)
