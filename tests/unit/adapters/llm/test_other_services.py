"""Errors and streams of services that no recording has, as their documentation shows them."""

import asyncio
import json
import warnings
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from daemon.model.language_models import Connection, ProviderKind
from tests.fakes.cassettes import needs_recordings, recorded
from tests.fakes.http_server import Reply, serving

pytest.importorskip("pydantic_ai", reason="the extra `models` is not installed")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the library, while it is imported
    import pydantic_ai  # noqa: F401

from daemon.adapters.llm.failures import failure_of
from daemon.adapters.llm.providers import provider_of
from daemon.adapters.llm.pydantic_ai_provider import LibraryProvider
from tests.unit.adapters.llm.test_recorded import STREAMS, kind_of, play

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
JSON = "application/json"
REQUEST = {
    "model": "m",
    "system": "Be brief.",
    "user": "What is it?",
    "schema": None,
    "max_tokens": 300,
    "temperature": 0.0,
    "seconds": 20.0,
}


def asked(reply: Reply, *, stream: bool = False) -> dict[str, Any]:
    """Return what the OpenAI-compatible provider makes of an answer."""

    async def ask(base_url: str) -> dict[str, Any]:
        provider = provider_of(Connection(ProviderKind.OPENAI, base_url, "key"))
        try:
            return await provider.ask({**REQUEST, "stream": stream}, lambda _piece: None)
        except Exception as error:  # noqa: BLE001 - as the worker does
            return failure_of(error)
        finally:
            await provider.close()

    with serving() as server:
        server.fallback = reply
        return asyncio.run(ask(f"{server.origin}/v1"))


def sent(status: int, body: object) -> Reply:
    return Reply(json.dumps(body).encode(), status, JSON)


def chat(text: str, finish: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


ERRORS: dict[str, tuple[int, object, str]] = {
    "OpenRouter, wrong model": (
        400,
        {"error": {"message": "foo/bar is not a valid model ID", "code": 400}},
        "model",
    ),
    "Mistral, wrong model": (
        400,
        {"object": "error", "message": "Invalid model: foo", "type": "invalid_model"},
        "model",
    ),
    "DeepSeek, wrong model": (400, {"error": {"message": "Model Not Exist"}}, "model"),
    "vLLM, wrong model": (
        404,
        {"object": "error", "message": "The model `x` does not exist.", "code": 404},
        "model",
    ),
    "Azure, filter": (
        400,
        {"error": {"message": "It triggered Azure OpenAI's content management policy."}},
        "declined",
    ),
    "OpenRouter, filter": (
        403,
        {"error": {"message": "Your input was flagged for “violence”", "code": 403}},
        "declined",
    ),
    "no permission": (403, {"error": {"message": "Your key has no permission"}}, "key"),
    "OpenRouter, no credits": (402, {"error": {"message": "Insufficient credits"}}, "limit"),
    "OpenRouter, error with status 200": (
        200,
        {"error": {"message": "Provider returned error", "code": 502}},
        "unavailable",
    ),
    "OpenRouter, limit with status 200": (
        200,
        {"error": {"message": "Rate limit exceeded", "code": 429}},
        "limit",
    ),
    "an error of no number with status 200": (200, {"error": {"message": "oh"}}, "unavailable"),
    "LM Studio, long prompt": (
        400,
        {"error": "Trying to keep the first 5103 tokens. The context length is only 4096 tokens"},
        "context",
    ),
    "llama.cpp, long prompt": (
        400,
        {"error": {"message": "the request exceeds the available context size", "code": 400}},
        "context",
    ),
    "llama.cpp, loading": (503, {"error": {"message": "Loading model"}}, "overloaded"),
    "a field too many": (
        422,
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "max_tokens"]}]},
        "request",
    ),
    "anything else": (400, {"error": {"message": "Your country is not supported"}}, "request"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_of_many_services_are_classified(name: str) -> None:
    status, body, kind = ERRORS[name]

    assert asked(sent(status, body))["kind"] == kind


def test_a_reason_to_end_that_no_library_knows_is_one() -> None:
    assert asked(sent(200, chat("It is bread.", "eos")))["text"] == "It is bread."


@needs_recordings
@pytest.mark.parametrize("path", STREAMS)
def test_a_stream_that_ends_orderly_but_too_early_is_an_error(path: str) -> None:
    (each, *_) = recorded(path)
    is_ollama = kind_of(each) is ProviderKind.OLLAMA
    between = b"\n" if is_ollama else b"\r\n\r\n" if b"\r\n\r\n" in each.body else b"\n\n"
    events = each.body.split(between)
    early = between.join([*events[: len(events) // 2], b""])

    answer, _, _ = play(each, replace(each.reply(), body=early))

    assert answer["kind"] == "unavailable"


@pytest.mark.parametrize(
    ("kind", "base_url", "path"),
    [
        (ProviderKind.OPENAI, "http://10.0.0.5:1234/v1", "/api/v0/models"),
        (ProviderKind.ANTHROPIC, "http://127.0.0.1:1234/v1", "/api/v0/models"),
        (ProviderKind.OPENAI, "http://127.0.0.1:1234/v1", "/api/v0/chat/completions"),
        (ProviderKind.OPENAI, "http://127.0.0.1:1234/v1", "/api/v0/models/../x"),
    ],
)
def test_only_the_list_of_lm_studio_is_read_besides_the_base_url(
    kind: ProviderKind, base_url: str, path: str
) -> None:
    base = httpx2.URL(base_url)

    async def get() -> None:
        provider = provider_of(Connection(kind, base_url))
        assert isinstance(provider, LibraryProvider)
        try:
            await provider._client.get(f"{base.scheme}://{base.host}:{base.port}{path}")
        finally:
            await provider.close()

    with pytest.raises(httpx2.ConnectError, match="the address is not the provider's"):
        asyncio.run(get())
