"""The provider of a connection. Loaded only in the process that calls models."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import httpx2

from daemon.adapters.llm.lm_studio import LIST as LM_STUDIO_LIST
from daemon.adapters.llm.ollama import OllamaProvider
from daemon.adapters.llm.only_base import OnlyBase
from daemon.model.language_models import Connection, OfferedModel, ProviderKind, is_local

OnText = Callable[[str], None]
_BROKEN, _ERRORS = 502, range(400, 600)  # statuses of HTTP


class Provider(Protocol):
    """One provider at one base URL."""

    async def ask(self, request: Mapping[str, Any], on_text: OnText) -> dict[str, Any]:
        """Answer a call with its text and usage. Raises CallFailedError, httpx2.HTTPError."""
        ...

    async def models(self) -> list[OfferedModel]:
        """Return the models that it offers."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...


# The APIs that are spoken by code of our own; pydantic-ai speaks the others.
PROVIDERS: Mapping[ProviderKind, Callable[[Connection, httpx2.AsyncClient], Provider]] = {
    ProviderKind.OLLAMA: OllamaProvider,
}


def _further_path(connection: Connection) -> str:
    """Return what may be read besides the base URL: LM Studio's own list, on this machine."""
    may_be = connection.kind is ProviderKind.OPENAI and is_local(connection.base_url)
    return LM_STUDIO_LIST if may_be else ""


async def _with_its_status(response: httpx2.Response) -> None:
    """Give an error that is sent with the status 200, as by OpenRouter, the status in its body."""
    is_json = response.headers.get("content-type", "").startswith("application/json")
    if response.status_code != httpx2.codes.OK or not is_json:
        return
    try:
        body = json.loads(await response.aread())
    except ValueError:
        return
    error = body.get("error") if isinstance(body, dict) and "choices" not in body else None
    if isinstance(error, dict):
        code = error.get("code")
        response.status_code = code if isinstance(code, int) and code in _ERRORS else _BROKEN


def provider_of(connection: Connection) -> Provider:
    """Return the provider; it connects to the base URL of the connection and nowhere else."""
    client = httpx2.AsyncClient(
        transport=OnlyBase(connection.base_url, _further_path(connection)),
        trust_env=False,
        timeout=httpx2.Timeout(600.0),
        event_hooks={"response": [_with_its_status]},
    )
    if not connection.kind.needs_library:
        return PROVIDERS[connection.kind](connection, client)
    from daemon.adapters.llm.pydantic_ai_provider import LibraryProvider  # noqa: PLC0415 takes a second to load

    return LibraryProvider(connection, client)
