"""Requests to a language model, and its answers."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([bmt])\b", re.IGNORECASE)
_BILLIONS = {"m": 0.001, "b": 1.0, "t": 1000.0}
_EMBEDS = re.compile(r"embed|rerank|minilm|\bbge-", re.IGNORECASE)


class ProviderKind(StrEnum):
    """The API that a provider speaks."""

    OPENAI = "openai"  # and everything compatible: OpenRouter, vLLM, LM Studio, llama.cpp
    OLLAMA = "ollama"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"

    @property
    def needs_library(self) -> bool:
        """Whether pydantic-ai speaks it, which is an extra of the installation."""
        return self in (ProviderKind.OPENAI, ProviderKind.ANTHROPIC, ProviderKind.GEMINI)


# The API and the address of providers that need no table in the settings.
KNOWN_PROVIDERS: dict[str, tuple[ProviderKind, str]] = {
    "ollama": (ProviderKind.OLLAMA, "http://127.0.0.1:11434"),
    "lmstudio": (ProviderKind.OPENAI, "http://127.0.0.1:1234/v1"),
    "llamacpp": (ProviderKind.OPENAI, "http://127.0.0.1:8080/v1"),
    "openai": (ProviderKind.OPENAI, "https://api.openai.com/v1"),
    "openrouter": (ProviderKind.OPENAI, "https://openrouter.ai/api/v1"),
    "anthropic": (ProviderKind.ANTHROPIC, "https://api.anthropic.com"),
    "gemini": (ProviderKind.GEMINI, "https://generativelanguage.googleapis.com"),
}


THIS_MACHINE = "localhost"  # the host of what a model on this machine is sent


def is_local(base_url: str) -> bool:
    """Return whether an address is on this machine."""
    return urlsplit(base_url).hostname in ("127.0.0.1", "localhost", "::1")


def billions_in(text: str) -> float:
    """Return billions of parameters as a name or a size says them, 0 when it does not."""
    found = _SIZE.search(text)
    return float(found[1]) * _BILLIONS[found[2].lower()] if found is not None else 0.0


def is_embedding(name: str) -> bool:
    """Return whether a model embeds or ranks texts, and answers nothing."""
    return _EMBEDS.search(name) is not None


OLLAMA_CLOUD = "https://ollama.com"


def is_hosted(kind: ProviderKind, model: str) -> bool:
    """Return whether an Ollama on this machine passes what it is sent on to Ollama's servers."""
    return kind is ProviderKind.OLLAMA and model.endswith(("-cloud", ":cloud"))


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model that a provider lists, and that answers in text.

    `billions` of parameters, and tokens of its `context`, are 0 when the list does not say; a
    `hosted` one is on another machine.
    """

    name: str
    billions: float = 0.0
    hosted: bool = False
    context: int = 0


class Role(StrEnum):
    """What a model is used for."""

    CLASSIFIER = "classifier"
    READER = "reader"
    WRITER = "writer"
    CHECKER = "checker"

    @property
    def is_heavy(self) -> bool:
        """Whether its calls take the single heavy slot; all others are light."""
        return self is Role.WRITER


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as the provider counted them; 0 where it did not."""

    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request: instructions in `system`, everything else in `user`.

    With a `schema` the answer is an object of that form. `seconds` is the deadline of the call.
    """

    system: str
    user: str
    schema: type[BaseModel] | None = None
    max_tokens: int = 1000
    seconds: float = 120.0
    temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer; `value` is the validated object if a schema was given."""

    text: str
    usage: Usage
    model: str
    value: BaseModel | None = None


@dataclass(frozen=True, slots=True)
class Connection:
    """How to reach a provider. The key exists only in memory and pipes."""

    kind: ProviderKind
    base_url: str
    key: str = ""

    def __repr__(self) -> str:
        return f"Connection({self.kind.value}, {self.base_url})"


def json_schema(call: ModelCall) -> dict[str, Any] | None:
    """Return the JSON schema of the object that a call asks for, or None for plain text."""
    return call.schema.model_json_schema() if call.schema is not None else None


@dataclass(frozen=True, slots=True)
class RoleState:
    """What a role uses, and why it is off; `why` is "" when it is on or has no model."""

    role: Role
    provider: str
    model: str
    base_url: str
    is_remote: bool
    why: str
