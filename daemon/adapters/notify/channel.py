"""Shared parts of the notification channels: the settings, and a careful POST."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from daemon.model.errors import FetchError, NotifyError, SecretError
from daemon.ports import Fetched, Secrets


class Poster(Protocol):
    """The part of the network gate used here."""

    async def post(
        self, url: str, *, body: bytes, headers: Mapping[str, str] | None = None
    ) -> Fetched: ...


class PostFunction(Protocol):
    """Sends bytes to one address only; private addresses only at the given origin."""

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> Awaitable[Fetched]: ...


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """The settings; an empty address turns a channel off."""

    desktop: bool
    ntfy: str
    webhook: str
    secrets: Secrets
    post: Callable[[str], PostFunction]  # given the name of the sender


def posting(gate: Poster, record: Callable[[str, bytes], None]) -> PostFunction:
    """Send through `gate`; `record` gets the host and the body before anything is sent."""

    async def post(url: str, body: bytes, headers: Mapping[str, str]) -> Fetched:
        record(urlsplit(url).hostname or "", body)
        return await gate.post(url, body=body, headers=headers)

    return post


def key_of(secrets: Secrets, name: str) -> str | None:
    """Look up a key. Raises NotifyError if the keyring is not available."""
    try:
        return secrets.get(name)
    except SecretError as error:
        raise NotifyError(str(error)) from None


def deliver(post: PostFunction, url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """Send, and check that it was accepted. Raises NotifyError, which names only the host."""
    try:
        answer = asyncio.run(_sent(post, url, body, headers))
    except FetchError as error:
        raise NotifyError(str(error)) from None
    if not 200 <= answer.status < 300:
        raise NotifyError(f"HTTP {answer.status}")


async def _sent(post: PostFunction, url: str, body: bytes, headers: Mapping[str, str]) -> Fetched:
    return await post(url, body, {"Content-Type": "application/json", **headers})
