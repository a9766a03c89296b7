"""OpenAI-compatible services, Anthropic and Gemini by means of pydantic-ai, its one importer."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from importlib import import_module
from typing import Any

import httpx2
from pydantic_ai import exceptions
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from daemon.adapters.llm import lm_studio
from daemon.adapters.llm.context import needed_tokens
from daemon.adapters.llm.failures import (
    CALLS_TOOL,
    DECLINED,
    INTERRUPTED,
    TOO_LONG,
    CallFailedError,
    is_unreached,
    kind_of_status,
)
from daemon.model.language_models import Connection, OfferedModel, ProviderKind, is_embedding

OnText = Callable[[str], None]
_MAX_CHARACTERS = 400_000  # of one answer
_NO_KEY = "none"  # the libraries refuse to work without any
# The module of pydantic-ai, its model and its provider.
_OPENAI = ("openai", "OpenAIChatModel", "OpenAIProvider")
_CLASSES = {
    ProviderKind.ANTHROPIC: ("anthropic", "AnthropicModel", "AnthropicProvider"),
    ProviderKind.GEMINI: ("google", "GoogleModel", "GoogleProvider"),
}
_KINDS: tuple[tuple[type[BaseException], str], ...] = (
    (exceptions.ModelContextWindowExceededError, "context"),
    (exceptions.ModelAuthenticationError, "key"),
    (exceptions.ModelNotFoundError, "model"),
    (exceptions.ModelRateLimitError, "limit"),
    (exceptions.ModelQuotaExceededError, "limit"),
    (exceptions.ModelUnavailableError, "overloaded"),
    (exceptions.ContentFilterError, "declined"),
    (exceptions.ModelConnectionError, "unavailable"),
)
# Models of OpenAI, wherever they run, take another field for the limit of tokens than all others.
_BY_OPENAI = re.compile(r"(?:.*/)?(?:gpt-(?!oss)|chatgpt|o\d)")
_OPENAI_PROFILE: dict[str, Any] = {"openai_chat_streaming_requires_finish_reason": True}
_COMPATIBLE = _OPENAI_PROFILE | {"openai_chat_supports_max_completion_tokens": False}
_FORBIDDEN = 403  # for a key, or for what a filter found
_LIST_SECONDS = 5.0
_CONTEXT_KEYS = ("max_model_len", "context_length")  # of vLLM and OpenRouter
_ANTHROPIC_VERSION = "2023-06-01"
_MODEL_LISTS = {
    ProviderKind.OPENAI: "models",
    ProviderKind.ANTHROPIC: "v1/models?limit=1000",
    ProviderKind.GEMINI: "v1beta/models?pageSize=1000",
}


class LibraryProvider:
    """A provider that pydantic-ai knows. No tool is ever offered to its models."""

    def __init__(self, connection: Connection, client: httpx2.AsyncClient) -> None:
        self._connection = connection
        self._client = client
        self._contexts: dict[str, int] | None = None

    async def ask(self, request: Mapping[str, Any], on_text: OnText) -> dict[str, Any]:
        needed_tokens(request, await self._context(request["model"]))
        model = _model(self._connection, self._client, request["model"])
        schema = request.get("schema")
        is_native = bool(model.profile.get("supports_json_schema_output"))
        system = request["system"]
        if schema is not None and not is_native:
            system = f"{system}\n\n{output_options(schema)}"
        prompt = ModelRequest(
            parts=[SystemPromptPart(content=system), UserPromptPart(content=request["user"])]
        )
        messages: list[ModelMessage] = [prompt]
        settings, parameters = _settings(request), _parameters(schema if is_native else None)
        try:
            if request.get("stream"):
                response = await _streamed(model, messages, settings, parameters, on_text)
            else:
                response = await model_request(
                    model, messages, model_settings=settings, model_request_parameters=parameters
                )
        except (exceptions.AgentRunError, exceptions.UserError) as error:
            raise _failure(error) from None
        return _done(response, request["model"])

    async def models(self) -> list[OfferedModel]:
        kind, key = self._connection.kind, self._connection.key
        headers = {
            ProviderKind.OPENAI: {"authorization": f"Bearer {key}"},
            ProviderKind.ANTHROPIC: {"x-api-key": key, "anthropic-version": _ANTHROPIC_VERSION},
            ProviderKind.GEMINI: {"x-goog-api-key": key},
        }[kind]
        url = f"{self._connection.base_url.rstrip('/')}/{_MODEL_LISTS[kind]}"
        response = await self._client.get(url, headers=headers if key else {})
        response.raise_for_status()
        found = response.json()
        entries = found.get("data") or found.get("models") or []
        return [
            each for each in map(_offered, entries) if each.name and not is_embedding(each.name)
        ]

    async def _context(self, model: str) -> int:
        """Return how many tokens a model can read and write, 0 where its server does not say.

        The only model of a server answers whatever name is asked for.
        """
        if self._connection.kind is not ProviderKind.OPENAI:
            return 0
        if self._contexts is None:
            self._contexts = await self._listed_contexts()
        if not any(self._contexts.values()):  # LM Studio may load a model with another one
            return (await self._lm_studio()).get(model, 0)
        only = self._contexts.values() if len(self._contexts) == 1 else ()
        return self._contexts.get(model) or next(iter(only), 0)

    async def _listed_contexts(self) -> dict[str, int]:
        """Return what llama.cpp, vLLM and OpenRouter list; errors are left to the call itself."""
        try:
            async with asyncio.timeout(_LIST_SECONDS):
                return {each.name: each.context for each in await self.models()}
        except (httpx2.HTTPError, ValueError, TypeError, AttributeError, TimeoutError):
            return {}

    async def _lm_studio(self) -> dict[str, int]:
        try:
            async with asyncio.timeout(_LIST_SECONDS):
                return await lm_studio.contexts(self._client, self._connection.base_url)
        except (httpx2.HTTPError, ValueError, TimeoutError):
            return {}

    async def close(self) -> None:
        await self._client.aclose()


def _offered(entry: Mapping[str, Any]) -> OfferedModel:
    """Return a model of a list; llama.cpp says how many parameters it has."""
    name = str(entry.get("id") or entry.get("name") or "").removeprefix("models/")
    meta = entry.get("meta") or {}
    said = (meta.get("n_ctx"), *(entry.get(key) for key in _CONTEXT_KEYS))
    context = next((each for each in said if isinstance(each, int) and each > 0), 0)
    return OfferedModel(name, round(float(meta.get("n_params") or 0) / 1e9, 1), context=context)


def output_options(schema: Mapping[str, Any]) -> str:
    """Return the instruction for models that take no schema."""
    return (
        f"Answer with one JSON object of this JSON schema, and nothing else:\n{json.dumps(schema)}"
    )


def _model(connection: Connection, client: httpx2.AsyncClient, name: str) -> Model:
    """Load the library of one provider only: each takes a second."""
    module, *classes = _CLASSES.get(connection.kind, _OPENAI)
    make_model, make_provider = (
        getattr(import_module(f"pydantic_ai.{part}.{module}"), each)
        for part, each in zip(("models", "providers"), classes, strict=True)
    )
    provider = make_provider(
        api_key=connection.key or _NO_KEY, base_url=connection.base_url, http_client=client
    )
    model: Model = make_model(name, provider=provider, profile=_profile(connection.kind, name))
    return model


def _profile(kind: ProviderKind, name: str) -> dict[str, Any] | None:
    if kind is not ProviderKind.OPENAI:
        return None
    return _OPENAI_PROFILE if _BY_OPENAI.match(name) else _COMPATIBLE


def _settings(request: Mapping[str, Any]) -> ModelSettings:
    return ModelSettings(
        max_tokens=request["max_tokens"],
        temperature=request["temperature"],
        timeout=float(request["seconds"]),
        max_retries=0,  # a retry is a call that the caller has to pay for
        thinking=False,  # it would use up the tokens of the answer
    )


def _parameters(schema: Mapping[str, Any] | None) -> ModelRequestParameters:
    if schema is None:
        return ModelRequestParameters()
    name = str(schema.get("title", "answer"))
    output = OutputObjectDefinition(json_schema=dict(schema), name=name, strict=None)
    return ModelRequestParameters(
        output_mode="native", output_object=output, allow_text_output=True
    )


async def _streamed(
    model: Model,
    messages: list[ModelMessage],
    settings: ModelSettings,
    parameters: ModelRequestParameters,
    on_text: OnText,
) -> ModelResponse:
    """Pass on each piece of the text as it arrives, and return the whole response."""
    length = 0
    async with model_request_stream(
        model, messages, model_settings=settings, model_request_parameters=parameters
    ) as stream:
        async for piece in _pieces(stream):
            length += len(piece)
            if length > _MAX_CHARACTERS:
                raise TOO_LONG
            on_text(piece)
        return stream.get()


def _done(response: ModelResponse, name: str) -> dict[str, Any]:
    text = response.text or ""
    if response.finish_reason == "content_filter":
        raise DECLINED
    if any(isinstance(each, ToolCallPart) for each in response.parts):
        raise CALLS_TOOL
    # A reason that the library does not know, such as "eos", ends an answer, too.
    if not (response.finish_reason or (response.provider_details or {}).get("finish_reason")):
        raise INTERRUPTED
    if len(text) > _MAX_CHARACTERS:
        raise TOO_LONG
    return {
        "text": text,
        "input_tokens": response.usage.input_tokens,
        "output_tokens": response.usage.output_tokens,
        "model": response.model_name or name,
        "finish": response.finish_reason or "stop",
    }


async def _pieces(stream: StreamedResponse) -> AsyncIterator[str]:
    async for event in stream:
        if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
            yield event.part.content
        elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
            yield event.delta.content_delta


def _failure(error: Exception) -> CallFailedError:
    message = _error_text(getattr(error, "body", None)) or str(error) or type(error).__name__
    kind = next((kind for type_, kind in _KINDS if isinstance(error, type_)), "")
    status = error.status_code if isinstance(error, exceptions.ModelHTTPError) else 0
    if is_unreached(error):
        kind = "unreachable"
    elif status and (not kind or status == _FORBIDDEN):
        kind = kind_of_status(status, message)
    elif not kind:
        kind = "unavailable" if isinstance(error, exceptions.ModelAPIError) else "reply"
    return CallFailedError(kind, message, getattr(error, "retry_after", None))


def _error_text(body: object) -> str:
    """Return the message in the body of an error, however deep it is."""
    match body:
        case str():
            try:
                return _error_text(json.loads(body)) or body
            except ValueError:
                return body
        case list():
            return next(filter(None, map(_error_text, body)), "")
        case dict():
            named = (body[key] for key in ("message", "error", "detail") if key in body)
            return next(filter(None, map(_error_text, named)), "")
    return ""
