"""The real code of each provider, against a server that plays recorded traffic."""

import asyncio
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest

from daemon.model.language_models import Connection, OfferedModel, ProviderKind
from tests.fakes.cassettes import Recorded, needs_recordings, recorded, recordings
from tests.fakes.http_server import Asked, HttpServer, Reply, serving

pytest.importorskip("pydantic_ai", reason="the extra `models` is not installed")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the library, while it is imported
    import pydantic_ai  # noqa: F401

from daemon.adapters.llm.failures import CallFailedError, failure_of
from daemon.adapters.llm.providers import provider_of

pytestmark = [
    needs_recordings,
    pytest.mark.filterwarnings("ignore:Sampling parameters"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
_BASES = {
    ProviderKind.OPENAI: "chat/completions",
    ProviderKind.ANTHROPIC: "v1/messages",
    ProviderKind.GEMINI: "v1beta/models",
    ProviderKind.OLLAMA: "api/chat",
}
CITY = {
    "title": "City",
    "type": "object",
    "properties": {"city": {"type": "string"}, "country": {"type": "string"}},
    "required": ["city", "country"],
    "additionalProperties": False,
}


def kind_of(each: Recorded) -> ProviderKind:
    host = urlsplit(each.uri).netloc
    if host == "api.anthropic.com":
        return ProviderKind.ANTHROPIC
    if host == "generativelanguage.googleapis.com":
        return ProviderKind.GEMINI
    return ProviderKind.OLLAMA if host.endswith(":11434") else ProviderKind.OPENAI


def model_of(each: Recorded) -> str:
    named = str(each.asked.get("model") or "")
    return named or each.uri.partition("/models/")[2].partition(":")[0] or "gemini-2.5-flash"


def play(
    each: Recorded, reply: Reply, routes: Mapping[str, Reply] | None = None, **more: Any
) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """Return what the provider's code makes of a reply: answer or failure, text, what was sent."""
    pieces: list[str] = []
    with serving() as server:
        server.fallback = reply
        server.routes.update(routes or {})
        connection, request = asked_of(each, server)
        answer = asyncio.run(_ask(connection, request | more, pieces.append))
        posted = [asked.body for asked in server.asked if asked.method == "POST"]
        sent = json.loads(posted[-1]) if posted else {}
    return answer, "".join(pieces), sent


def asked_of(each: Recorded, server: HttpServer) -> tuple[Connection, dict[str, Any]]:
    """Return a request to the server as the one that was recorded."""
    base = urlsplit(each.uri).path.partition(_BASES[kind_of(each)])[0]
    connection = Connection(kind_of(each), f"{server.origin}{base}".rstrip("/"), "key-1234")
    return connection, {
        "model": model_of(each),
        "system": "Be brief.",
        "user": "What is it?",
        "schema": None,
        "max_tokens": 100,
        "temperature": 0.0,
        "seconds": 20.0,
        "stream": each.is_stream,
    }


async def _ask(
    connection: Connection, request: dict[str, Any], on_text: Callable[[str], None]
) -> dict[str, Any]:
    provider = provider_of(connection)
    try:
        return await provider.ask(request, on_text)
    except Exception as error:  # noqa: BLE001 - as the worker does
        return failure_of(error)
    finally:
        await provider.close()


TEXTS = (
    ("openai/test_prefect__test_prefect_agent_override_deps.yaml", "Mexico City", 14, 8),
    ("openrouter/test_openrouter__test_openrouter_web_search*", "pydantic", 8174, 30),
    ("ollama/test_chat__test_ollama_async_chat_legacy.yaml", "OpenTelemetry", 0, 79),
    ("anthropic/test_anthropic__test_extra_headers.yaml", "", 8, 1),
    ("gemini/test_google__test_google_model_stream.yaml", "Paris", 13, 8),
)


@pytest.mark.parametrize(("path", "words", "sent", "came"), TEXTS)
def test_a_text_comes_with_its_usage(path: str, words: str, sent: int, came: int) -> None:
    (each, *_) = recorded(path)

    answer, _, _ = play(each, each.reply())

    assert words in answer["text"]
    assert answer["input_tokens"] >= sent
    assert answer["output_tokens"] >= came


STREAMS = (
    "openai_stream/test_prefect__test_prefect_agent_iter.yaml",
    "openrouter/test_openrouter__test_openrouter_stream_with_reasoning.yaml",
    "anthropic/test_anthropic__test_anthropic_web_fetch_tool_stream.yaml",
    "gemini/test_google__test_google_stream_usage_is_live_mid_stream.yaml",
    "ollama/test_chat__test_ollama_streaming_chat_legacy.yaml",
)


@pytest.mark.parametrize("path", STREAMS)
@pytest.mark.parametrize("size", [1, 7, 4096])
def test_a_stream_does_not_depend_on_chunk_size(path: str, size: int) -> None:
    (each, *_) = recorded(path)

    whole, _, _ = play(each, each.reply())
    answer, streamed, _ = play(each, each.in_pieces(size))

    assert answer == whole
    assert answer["text"] == streamed
    assert answer["output_tokens"] > 0


@pytest.mark.parametrize("path", STREAMS)
def test_a_truncated_stream_is_an_error(path: str) -> None:
    (each, *_) = recorded(path)

    answer, _, _ = play(each, each.in_pieces(64, until=len(each.body) // 2))

    assert answer["kind"] == "unavailable"


@pytest.mark.parametrize("path", STREAMS)
def test_a_cancelled_call_leaves_its_provider(path: str) -> None:
    (each, *_) = recorded(path)
    arrived = Event()

    def hang(asked: Asked) -> Reply:
        if asked.method != "POST":
            return Reply(status=404)
        arrived.set()
        return replace(each.reply(), hangs=True)

    async def cancelled(server: HttpServer) -> None:
        connection, request = asked_of(each, server)
        call = asyncio.create_task(_ask(connection, request, lambda _: None))
        assert await asyncio.to_thread(arrived.wait, 20)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    with serving() as server:
        server.fallback = hang
        asyncio.run(cancelled(server))
        assert server.left.acquire(timeout=60)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("openai_schema/test_openai__test_openai_native_output.yaml", ("response_format",)),
        (
            "gemini/test_google__test_google_optional_fields_native_output.yaml",
            ("generationConfig", "responseJsonSchema"),
        ),
        ("ollama/test_chat__test_ollama_async_chat_legacy.yaml", ("format",)),
        ("anthropic/test_output__test_strict_true_tool_native_output.yaml", ("output_config",)),
    ],
)
def test_a_schema_is_sent_and_no_tool(path: str, place: tuple[str, ...]) -> None:
    each = recorded(path)[-1]

    answer, _, sent = play(each, each.reply(), schema=CITY)

    assert answer["text"]
    found: Any = sent
    for name in place:
        found = found[name]
    assert '"country"' in json.dumps(found)
    assert not {"tools", "tool_choice", "functions"} & set(sent)


@pytest.mark.parametrize(
    ("shown", "model", "think"),
    [
        ({"capabilities": ["completion", "thinking"]}, "qwen3:8b", False),
        ({"capabilities": ["completion", "thinking"]}, "gpt-oss:20b", "low"),
        ({"capabilities": ["completion"]}, "gemma3", None),  # it would answer with an error
        ({"capabilities": None}, "gemma3", None),
        ([], "gemma3", None),
    ],
)
def test_ollama_lets_no_model_think(shown: object, model: str, think: object) -> None:
    (each,) = recorded("ollama/test_chat__test_ollama_async_chat_legacy.yaml")
    show = {"/api/show": Reply(json.dumps(shown).encode(), 200, "application/json")}

    answer, _, sent = play(each, each.reply(), routes=show, model=model)

    assert answer["text"]
    assert sent.get("think") == think
    assert ("think" in sent) == (think is not None)


GEMINI_TEXT = "gemini/test_google__test_google_optional_fields_native_output.yaml"


def test_models_that_think_are_asked_to_think_as_little_as_they_can() -> None:
    openai, gemini = recorded(OPENAI_TEXT)[0], recorded(GEMINI_TEXT)[-1]

    assert play(openai, openai.reply(), model="gpt-5-mini")[2]["reasoning_effort"] == "minimal"
    assert "reasoning_effort" not in play(openai, openai.reply(), model="gpt-4o")[2]
    for model, key, value in (
        ("gemini-2.5-flash", "thinking_budget", 0),
        ("gemini-2.5-pro", "thinking_budget", 128),
    ):
        sent = play(gemini, gemini.reply(), model=model)[2]
        assert sent["generationConfig"]["thinkingConfig"][key] == value


@pytest.mark.parametrize(
    ("model", "field"),
    [
        ("gpt-5-mini", "max_completion_tokens"),
        ("openai/o3", "max_completion_tokens"),
        ("openai/gpt-oss-20b", "max_tokens"),
        ("qwen3-8b", "max_tokens"),
        ("mistral-small-latest", "max_tokens"),
    ],
)
def test_each_server_gets_the_limit_of_tokens_by_the_name_that_it_knows(
    model: str, field: str
) -> None:
    (each,) = recorded(OPENAI_TEXT)

    sent = play(each, each.reply(), model=model)[2]

    assert sent[field] == 100
    assert len({"max_tokens", "max_completion_tokens"} & set(sent)) == 1


def test_every_recorded_error_is_classified() -> None:
    kinds = {}
    for name, each in recordings("errors_ruby_llm/*"):
        if each.uri.endswith(("chat/completions", "v1/messages", ":generateContent")):
            answer, _, _ = play(each, each.reply())
            kinds[name.partition("with_")[2] or name.partition("scenarios_")[2]] = answer["kind"]
            is_auth = "auth_error" in name
            is_limit = each.status == 429
            expected = "key" if is_auth else "limit" if is_limit else "context"
            assert answer["kind"] == expected, name
    assert len(kinds) >= 12


def test_a_rate_limit_says_how_long_to_wait() -> None:
    (gemini,) = recorded("errors_ruby_llm/*real_error*gemini*")
    (openai,) = recorded("openai/test_openai__test_openai_o1_mini_system_role_developer_.yaml")
    limited = Reply(b'{"error":{"message":"slow down"}}', 429, "application/json")
    with_wait = Reply(limited.body, 429, "application/json", {"retry-after": "7"})
    (ollama,) = recorded("ollama/test_chat__test_ollama_async_chat_legacy.yaml")

    assert play(gemini, gemini.reply())[0]["retry_after"] == 48.0
    assert play(openai, with_wait)[0] == {
        "kind": "limit",
        "message": "slow down",
        "retry_after": 7.0,
    }
    assert play(ollama, with_wait)[0]["retry_after"] == 7.0
    assert play(openai, limited)[0]["retry_after"] is None


@pytest.mark.parametrize("path", [each[0] for each in TEXTS])
@pytest.mark.parametrize(
    ("status", "kind"), [(529, "overloaded"), (503, "overloaded"), (500, "unavailable")]
)
def test_a_server_error_is_not_a_refusal(path: str, status: int, kind: str) -> None:
    (each, *_) = recorded(path)

    answer, _, _ = play(each, Reply(b'{"error":{"message":"busy"}}', status, "application/json"))

    assert answer["kind"] in {kind, "unavailable"}


def test_an_unknown_model_is_named_as_such() -> None:
    (each,) = recorded("anthropic/test_model_name_suggestions*")

    assert play(each, each.reply())[0]["kind"] == "model"


# As the servers on a user's machine list their models, by their documentation.
LISTS: dict[str, tuple[ProviderKind, str, dict[str, Any], list[OfferedModel]]] = {
    "Ollama": (
        ProviderKind.OLLAMA,
        "/api/tags",
        {
            "models": [
                {
                    "name": "gemma3:latest",
                    "model": "gemma3:latest",
                    "modified_at": "2025-10-03T23:34:03.409490317-07:00",
                    "size": 3338801804,
                    "digest": "a2af6cc3eb7fa8be8504abaf9b04e88f17a119ec3f04a3addf55f92841195f5a",
                    "details": {
                        "parent_model": "",
                        "format": "gguf",
                        "family": "gemma",
                        "families": ["gemma"],
                        "parameter_size": "4.3B",
                        "quantization_level": "Q4_K_M",
                    },
                },
                {
                    "name": "nomic-embed-text:latest",
                    "details": {"family": "nomic-bert", "parameter_size": "137M"},
                },
                {"name": "all-minilm", "details": {"family": "bert", "parameter_size": "23M"}},
                {
                    "name": "gpt-oss:120b-cloud",
                    "remote_model": "gpt-oss:120b",
                    "remote_host": "https://ollama.com:443",
                    "details": {"family": "gptoss", "parameter_size": "116.8B"},
                },
            ]
        },
        [
            OfferedModel("gemma3:latest", 4.3),
            OfferedModel("gpt-oss:120b-cloud", 116.8, hosted=True),
        ],
    ),
    "LM Studio": (
        ProviderKind.OPENAI,
        "/v1/models",
        {
            "object": "list",
            "data": [
                {"id": "meta-llama-3.1-8b-instruct", "object": "model"},
                {"id": "text-embedding-nomic-embed-text-v1.5", "object": "model"},
            ],
        },
        [OfferedModel("meta-llama-3.1-8b-instruct")],
    ),
    "llama.cpp": (
        ProviderKind.OPENAI,
        "/v1/models",
        {
            "models": [{"name": "/models/qwen.gguf", "details": {"parameter_size": ""}}],
            "object": "list",
            "data": [
                {
                    "id": "/models/qwen.gguf",
                    "owned_by": "llamacpp",
                    "meta": {"n_ctx": 4096, "n_ctx_train": 32768, "n_params": 1777088000},
                }
            ],
        },
        [OfferedModel("/models/qwen.gguf", 1.8, context=4096)],
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_models_of_this_machine_are_listed_with_their_size(name: str) -> None:
    kind, path, body, expected = LISTS[name]
    with serving() as server:
        server.routes[path] = Reply(json.dumps(body).encode(), 200, "application/json")
        base = f"{server.origin}{path.removesuffix('/models').removesuffix('/api/tags')}"

        async def listed() -> list[OfferedModel]:
            provider = provider_of(Connection(kind, base))
            try:
                return await provider.models()
            finally:
                await provider.close()

        assert asyncio.run(listed()) == expected


OPENAI_TEXT = "openai/test_prefect__test_prefect_agent_override_deps.yaml"
# As the documentation of the servers has it.
CONTEXTS: dict[str, tuple[dict[str, Any], str]] = {
    "llama.cpp": ({"meta": {"n_ctx": 2048, "n_ctx_train": 32768}}, "of 2048"),
    "another name": ({"id": "/models/qwen.gguf", "meta": {"n_ctx": 2048}}, "of 2048"),
    "vLLM": ({"owned_by": "vllm", "max_model_len": 1024}, "of 1024"),
    "OpenRouter": ({"context_length": 512}, "of 512"),
    "no number": ({"context_length": "512"}, ""),
    "nothing": ({}, ""),
}


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_prompt_that_is_too_long_for_a_listed_model_is_not_sent(name: str) -> None:
    (each,) = recorded(OPENAI_TEXT)
    entry, said = CONTEXTS[name]
    body = json.dumps({"data": [{"id": model_of(each), **entry}]}).encode()
    lists = {"/v1/models": Reply(body, 200, "application/json")}

    answer, _, sent = play(each, each.reply(), routes=lists, user="word " * 2000)
    short, _, _ = play(each, each.reply(), routes=lists)

    assert "text" in short
    assert (answer.get("kind") == "context") == bool(said)
    assert said in answer.get("message", "")
    assert bool(sent) == (not said)


def test_the_context_that_lm_studio_loaded_a_model_with_is_asked_for_each_time() -> None:
    (each,) = recorded(OPENAI_TEXT)
    name = model_of(each)
    plain = {"object": "list", "data": [{"id": name}, {"id": "other"}]}
    states: list[dict[str, Any]] = [
        {"state": "not-loaded", "max_context_length": 131_072},
        {"state": "loaded", "max_context_length": 131_072, "loaded_context_length": 1024},
    ]
    with serving() as server:
        server.fallback = each.reply()
        server.routes["/v1/models"] = Reply(json.dumps(plain).encode(), 200, "application/json")

        def listed(_asked: Asked) -> Reply:
            entry = {"id": name, **states.pop(0)}
            return Reply(json.dumps({"data": [entry]}).encode(), 200, "application/json")

        server.routes["/api/v0/models"] = listed
        connection, request = asked_of(each, server)
        request |= {"user": "word " * 2000}

        async def twice() -> list[dict[str, Any]]:
            provider = provider_of(connection)
            try:
                first = await provider.ask(request, lambda _piece: None)
                with pytest.raises(CallFailedError) as caught:
                    await provider.ask(request, lambda _piece: None)
                return [first, failure_of(caught.value)]
            finally:
                await provider.close()

        first, second = asyncio.run(twice())

    assert first["text"]
    assert second["kind"] == "context"
    assert "of 1024" in second["message"]


def test_nothing_is_sent_to_another_address() -> None:
    with serving() as elsewhere, serving() as server:
        server.fallback = Reply(b"", 307, headers={"location": f"{elsewhere.origin}/api/chat"})
        connection = Connection(ProviderKind.OLLAMA, server.origin)
        request = {
            "model": "m",
            "system": "",
            "user": "",
            "max_tokens": 1,
            "temperature": 0.0,
            "seconds": 5,
        }
        answer = asyncio.run(_ask(connection, request, lambda _: None))

        assert "text" not in answer or not answer["text"]
        assert elsewhere.asked == []
