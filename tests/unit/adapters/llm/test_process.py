"""The process that calls a provider: calls side by side, cancel, deadline, and death."""

import asyncio
import gc
import json
import os
import signal
from pathlib import Path

import pytest
from pydantic import BaseModel

from daemon.adapters.llm.models import (
    ChildLanguageModel,
    error_of,
    object_in,
    offered_models,
)
from daemon.adapters.llm.process import ProviderProcess
from daemon.model.errors import (
    InvalidReplyError,
    KeyRefusedError,
    LanguageModelError,
    ModelUnavailableError,
    RateLimitError,
    UnknownModelError,
)
from daemon.model.language_models import Connection, ModelCall, ProviderKind
from tests.fakes.http_server import Asked, HttpServer, Reply, serving


class Town(BaseModel):
    """What a call may ask for."""

    name: str
    people: int


def answering(text: str, tokens: int = 5) -> Reply:
    reported = {"model": "tiny", "message": {"content": text}, "done": True, "eval_count": tokens}
    return Reply(json.dumps({**reported, "prompt_eval_count": 9}).encode(), 200, "application/json")


def models_list(*names: str) -> Reply:
    return Reply(json.dumps({"models": [{"name": each} for each in names]}).encode())


def by_model(asked: Asked) -> Reply:
    """Answer as the model's name requires."""
    name = json.loads(asked.body)["model"]
    replies = {
        "tiny": answering("hello"),
        "object": answering('Sure: {"name": "Ulm", "people": 126000}'),
        "wrong": answering('{"name": "Ulm"}'),
        "hangs": Reply(b'{"message": {"content": "he"}}\n' * 2, hangs=True),
        "counts": answering("hello", 10**30),
        "endless": Reply(b"x" * 65_536, endless=True),
        "garbage": Reply(b"\xff\x00<html>" * 10, 200, "application/json"),
        "long": answering("x" * 10_000_000),
    }
    missing = Reply(b'{"error": "model not found, try pulling it first"}', 404, "application/json")
    return replies.get(name, missing)


def ollama(server: HttpServer) -> ProviderProcess:
    server.routes["/api/chat"] = by_model
    server.routes["/api/tags"] = models_list(
        "tiny:latest", "wrong:latest", "x; rm -rf ~", "\x1b[2J"
    )
    return ProviderProcess("ollama", Connection(ProviderKind.OLLAMA, server.origin, "secret-key"))


BAD_ANSWERS = (
    "ollama cannot be used (the answer broke off): check it with `lacuna models test`",
    "ollama cannot be used (the answer is too long): check it with `lacuna models test`",
    "ollama gave no usable answer (the answer is too long): choose another model if this repeats",
)
CALL = ModelCall("Be brief.", "Hello?", seconds=60)
ENDLESS = ModelCall("Be brief.", "Hello?", seconds=3600)  # of a server that never answers


async def failure(model: ChildLanguageModel, call: ModelCall = CALL) -> LanguageModelError:
    with pytest.raises(LanguageModelError) as caught:
        await model.ask(call)
    return caught.value


async def life(server: HttpServer) -> None:
    process = ollama(server)

    def model(name: str) -> ChildLanguageModel:
        return ChildLanguageModel("ollama", name, process)

    try:
        pieces: list[str] = []
        reply = await model("tiny").ask(CALL, pieces.append)
        assert (reply.text, reply.usage.total, pieces) == ("hello", 14, ["hello"])
        assert server.asked[-1].headers["authorization"] == "Bearer secret-key"

        call = ModelCall("", "", schema=Town, seconds=60)
        assert (await model("object").ask(call)).value == Town(name="Ulm", people=126000)
        assert isinstance(await failure(model("wrong"), call), InvalidReplyError)
        assert json.loads(server.asked[-1].body)["format"]["required"] == ["name", "people"]

        unknown = await failure(model("tinny"))
        assert isinstance(unknown, UnknownModelError)
        assert str(unknown) == "ollama has no model “tinny”: did you mean “tiny:latest”?"

        listed = [each.name for each in await offered_models("ollama", process)]
        assert listed == ["tiny:latest", "wrong:latest"]
        assert (await model("counts").ask(CALL)).usage.output_tokens == 1_000_000_000
        for name in ("garbage", "long", "endless"):
            assert str(await failure(model(name))) in BAD_ANSWERS, name

        late = await failure(model("hangs"), ModelCall("", "", seconds=0.2))
        assert isinstance(late, ModelUnavailableError)

        await cancelled_at_once(server, model("hangs"), model("tiny"))
        await killed(process, model("hangs"), model("tiny"))
    finally:
        await process.close()


async def cancelled_at_once(
    server: HttpServer, hanging: ChildLanguageModel, other: ChildLanguageModel
) -> None:
    """A cancelled call ends long before its limit, at its provider, too; others go on."""
    pieces = asyncio.Queue[str]()
    calls = [asyncio.create_task(hanging.ask(ENDLESS, pieces.put_nowait)) for _ in range(5)]
    for _ in calls:
        assert await pieces.get() == "he"
    await other.ask(CALL)
    for each in calls:
        each.cancel()
    ended = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(each, asyncio.CancelledError) for each in ended)
    assert (await other.ask(CALL)).text == "hello"
    for _ in calls:
        assert await asyncio.to_thread(server.left.acquire, timeout=60)


async def killed(
    process: ProviderProcess, hanging: ChildLanguageModel, other: ChildLanguageModel
) -> None:
    """Whoever waits for a process that is killed gets an error; the next call starts another."""
    call = asyncio.create_task(failure(hanging))
    await other.ask(CALL)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    assert "its process ended" in str(await call)
    assert (await other.ask(CALL)).text == "hello"


def test_the_process_answers_calls_concurrently_and_survives_failures() -> None:
    with serving() as server:
        asyncio.run(life(server))


def test_a_call_that_is_cancelled_while_its_process_starts_leaves_no_process() -> None:
    def children() -> set[str]:
        return set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split())

    def runs(pid: str) -> bool:
        try:
            state = Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return False
        return state.rpartition(")")[2].split()[0] != "Z"

    async def cancelled() -> set[str]:
        before = children()
        process = ProviderProcess("ollama", Connection(ProviderKind.OLLAMA, "http://127.0.0.1:9"))
        call = asyncio.create_task(ChildLanguageModel("ollama", "tiny", process).ask(CALL))
        while not (own := children() - before) and not call.done():
            await asyncio.sleep(0.005)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert process.pid is None  # it was not ready
        return set(filter(runs, own))

    assert asyncio.run(cancelled()) == set()
    gc.collect()  # a pipe that was left open would be reported here


def test_ollama_is_not_sent_a_prompt_that_its_model_would_cut() -> None:
    async def answers(server: HttpServer) -> list[str]:
        process = ollama(server)
        shown = {"model_info": {"general.architecture": "llama", "llama.context_length": 2048}}
        server.routes["/api/show"] = Reply(json.dumps(shown).encode(), 200, "application/json")
        model = ChildLanguageModel("ollama", "tiny", process)
        try:
            long = str(await failure(model, ModelCall("", "word " * 3000, seconds=60)))
            return [long, (await model.ask(ModelCall("", "word", max_tokens=9, seconds=60))).text]
        finally:
            await process.close()

    with serving() as server:
        refused, answered = asyncio.run(answers(server))
        sent = [json.loads(each.body) for each in server.asked if each.path == "/api/chat"]

    assert "(it needs about 6000 tokens of 2048): choose a model with more context" in refused
    assert answered == "hello"
    assert [each["options"]["num_ctx"] for each in sent] == [2048]


def test_no_key_is_in_the_environment_or_the_command_line() -> None:
    async def started() -> tuple[bytes, bytes]:
        with serving() as server:
            process = ollama(server)
            await ChildLanguageModel("ollama", "tiny", process).ask(CALL)
            place = Path(f"/proc/{process.pid}")
            try:
                return (place / "cmdline").read_bytes(), (place / "environ").read_bytes()
            except PermissionError:  # it hides both from everybody but root
                return b"", b""
            finally:
                await process.close()

    command, environment = asyncio.run(started())

    assert b"secret-key" not in command + environment


@pytest.mark.parametrize(
    ("kind", "type_", "words"),
    [
        ("key", KeyRefusedError, "`lacuna secrets set openai`"),
        ("limit", RateLimitError, "try again in 7 s"),
        ("unavailable", ModelUnavailableError, "`lacuna models test`"),
    ],
)
def test_an_error_is_one_line_with_a_remedy(
    kind: str, type_: type[LanguageModelError], words: str
) -> None:
    error = error_of(kind, "why", 7.0, "openai", "gpt")

    assert isinstance(error, type_)
    assert words in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        ('{"a": {"b": 2}} and more', '{"a": {"b": 2}}'),
        ("nothing", "nothing"),
        ("{broken", "{broken"),
    ],
)
def test_a_json_object_is_found_in_surrounding_text(text: str, found: str) -> None:
    assert object_in(text) == found
