"""A server that answers calls of models with all that it should not."""

import asyncio
import gzip
import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel

from daemon.adapters.llm.failures import failure_of
from daemon.adapters.llm.models import ChildLanguageModel
from daemon.adapters.llm.process import ProviderProcess
from daemon.adapters.llm.providers import provider_of
from daemon.model.errors import LanguageModelError, RateLimitError
from daemon.model.language_models import Connection, ModelCall, ProviderKind, Reply
from tests.fakes.http_server import Asked, HttpServer, serving
from tests.fakes.http_server import Reply as Sent

DEEP = 20_000  # brackets
JSON = "application/json"


class Town(BaseModel):
    """What a call may ask for."""

    name: str


def said(content: object, **more: object) -> Sent:
    body = {"model": "m", "message": {"content": content}, "done": True, **more}
    return Sent(json.dumps(body).encode(), 200, JSON)


def limited(header: str) -> Sent:
    return Sent(b'{"error": "slow down"}', 429, JSON, {"retry-after": header})


def zipped(body: bytes) -> Sent:
    return Sent(gzip.compress(body), 200, JSON, {"content-encoding": "gzip"})


TOWN = '{"name": "Ulm"}'
CALLS_A_TOOL = {"content": TOWN, "tool_calls": [{"function": {"name": "sh", "arguments": {}}}]}
ANSWERS: dict[str, Sent] = {
    "calls a tool": said("", message=CALLS_A_TOOL),
    "nests an answer": said('{"name":' * DEEP + "1" + "}" * DEEP),
    "nests all of it": Sent(b"[" * DEEP + b"]" * DEEP, 200, JSON),
    "answers with numbers": Sent(b"12", 200, JSON),
    "has no message": Sent(b'{"message": [], "done": true}', 200, JSON),
    "zips a bomb": zipped(b'{"message": {"content": "' + b" " * 300_000_000),
    "repeats a field": Sent(
        b'{"message": {"content": "{\\"name\\": \\"Ulm\\", \\"name\\": 7}"}, "done": true}',
        200,
        JSON,
    ),
    "adds a field": said('{"name": {"$ref": "file:///etc/passwd"}}'),
    "sends you to the metadata": Sent(
        b"", 307, headers={"location": "http://169.254.169.254/latest/meta-data"}
    ),
    "sends you to a file": Sent(b"", 302, headers={"location": "file:///etc/passwd"}),
    "sends you in circles": Sent(b"", 307, headers={"location": "/api/chat"}),
    "says nothing for ever": Sent(b'{"message": {"content": ""}}\n', 200, JSON, endless=True),
    "talks for ever": Sent(b'{"message": {"content": "more "}}\n', 200, JSON, endless=True),
    "is not in UTF-8": Sent(b'{"message": {"content": "\xff\xfe"}, "done": true}', 200, JSON),
    "breaks a character": said("\ud800" + TOWN + "\udfff"),
    "swears": Sent(b'{"error": "\\u001b[2J\\u0007\\u202e' + b"a" * 5000 + b'"}', 500, JSON),
}
COUNTS: dict[str, dict[str, object]] = {
    "less than nothing": {"eval_count": -7, "prompt_eval_count": -(10**9)},
    "words": {"eval_count": "many", "prompt_eval_count": [1]},
    "infinity": {"eval_count": math.inf, "prompt_eval_count": math.nan},
    "more than there is": {"eval_count": 10**400, "prompt_eval_count": 1},
}


async def asked(server: HttpServer, sent: Sent) -> Reply | LanguageModelError:
    """Return what the daemon gets from a call with this answer."""
    server.fallback = sent
    process = ProviderProcess("ollama", Connection(ProviderKind.OLLAMA, server.origin))
    model = ChildLanguageModel("ollama", "m", process)
    try:
        return await model.ask(ModelCall("Answer.", "Where?", Town, seconds=20), lambda _: None)
    except LanguageModelError as error:
        return error
    finally:
        await process.close()


@pytest.mark.parametrize("what", ANSWERS)
def test_an_answer_that_nobody_asked_for_is_an_error_of_one_line(what: str) -> None:
    with serving() as server:
        found = asyncio.run(asked(server, ANSWERS[what]))

    assert isinstance(found, LanguageModelError), found
    assert str(found).isprintable()
    assert len(str(found)) < 500
    assert {each.path for each in server.asked} <= {"/api/chat", "/api/show"}


@pytest.mark.parametrize("what", COUNTS)
def test_tokens_are_counted_as_none_where_the_count_makes_no_sense(what: str) -> None:
    body = json.dumps({"message": {"content": TOWN}, "done": True, **COUNTS[what]})
    with serving() as server:
        found = asyncio.run(asked(server, Sent(body.encode(), 200, JSON)))

    assert isinstance(found, Reply)
    assert 0 <= found.usage.input_tokens <= 10**9
    assert 0 <= found.usage.output_tokens <= 10**9


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("9" * 400, None),
        ("1e9", None),
        ("²", None),
        ("7; drop", None),
    ],
)
@pytest.mark.parametrize("kind", [ProviderKind.OLLAMA, ProviderKind.OPENAI])
def test_only_a_sensible_time_to_wait_is_waited_for(
    kind: ProviderKind, header: str, seconds: float | None
) -> None:
    with serving() as server:
        server.fallback = limited(header)
        failure = asyncio.run(_failure(Connection(kind, server.origin, "key")))

    assert failure["kind"] == "limit"
    assert failure["retry_after"] == seconds


def test_an_openai_server_that_calls_a_tool_is_not_believed() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "sh", "arguments": "{}"}}
    message = {"role": "assistant", "content": TOWN, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    with serving() as server:
        server.fallback = Sent(json.dumps(body).encode(), 200, JSON)
        failure = asyncio.run(_failure(Connection(ProviderKind.OPENAI, server.origin, "key")))

    assert failure["kind"] == "reply"
    assert "tool" in failure["message"]


async def _failure(connection: Connection) -> Mapping[str, Any]:
    provider = provider_of(connection)
    request = {"model": "m", "system": "s", "user": "u", "max_tokens": 9, "temperature": 0.0}
    try:
        return await provider.ask({**request, "seconds": 20.0, "schema": None}, lambda _: None)
    except Exception as error:  # noqa: BLE001 - as the worker does
        return failure_of(error)
    finally:
        await provider.close()


def test_half_a_second_is_waited_for() -> None:
    with serving() as server:
        found = asyncio.run(asked(server, limited("0.5")))

    assert isinstance(found, RateLimitError)
    assert found.retry_after == 0.5


def test_a_header_with_a_line_break_is_no_other_header() -> None:
    raw = b"HTTP/1.1 429 No\r\nretry-after: 7\r\n location: http://x/\r\n"
    raw += b"content-length: 0\r\nconnection: close\r\n\r\n"
    with serving() as server:
        found = asyncio.run(asked(server, Sent(raw=raw)))

    assert isinstance(found, RateLimitError)
    assert found.retry_after is None


def test_a_wrong_model_has_no_suggestion_that_a_terminal_obeys() -> None:
    def answer(asked_: Asked) -> Sent:
        if asked_.path == "/api/tags":
            names = [{"name": "m\x1b[2J"}, {"name": "$(reboot)"}, {"name": "m" * 300}]
            return Sent(json.dumps({"models": names}).encode(), 200, JSON)
        return Sent(b'{"error": "not found"}', 404, JSON)

    with serving() as server:
        server.routes = dict.fromkeys(("/api/chat", "/api/tags", "/api/show"), answer)
        found = asyncio.run(asked(server, Sent()))

    assert str(found) == "ollama has no model “m”"
