"""What the ways of notifying share: the user's wishes, and a careful POST."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from daemon.model.errors import FetchError, NotifyError, SecretError
from daemon.ports import Fetched, Secrets


class Poster(Protocol):
    """As much of the gate as is used here."""

    async def post(
        self, url: str, *, body: bytes, headers: Mapping[str, str] | None = None
    ) -> Fetched: ...


class Post(Protocol):
    """Sends bytes to one address and to no other; private addresses only at the origin given."""

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> Awaitable[Fetched]: ...


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the settings say; an empty address turns a way off."""

    desktop: bool
    ntfy: str
    webhook: str
    secrets: Secrets
    post: Callable[[str], Post]  # given the name of who sends


def posting(gate: Poster, record: Callable[[str, bytes], None]) -> Post:
    """Send through `gate`; `record` is told the host and the body before anything is sent."""

    async def post(url: str, body: bytes, headers: Mapping[str, str]) -> Fetched:
        record(urlsplit(url).hostname or "", body)
        return await gate.post(url, body=body, headers=headers)

    return post


def key_of(secrets: Secrets, name: str) -> str | None:
    """Look a key up. Raises NotifyError when the keyring cannot say."""
    try:
        return secrets.get(name)
    except SecretError as error:
        raise NotifyError(str(error)) from None


def deliver(post: Post, url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """Send, and see that it was taken. Raises NotifyError, which names no more than a host."""
    try:
        answer = asyncio.run(_sent(post, url, body, headers))
    except FetchError as error:
        raise NotifyError(str(error)) from None
    if not 200 <= answer.status < 300:
        raise NotifyError(f"HTTP {answer.status}")


async def _sent(post: Post, url: str, body: bytes, headers: Mapping[str, str]) -> Fetched:
    return await post(url, body, {"Content-Type": "application/json", **headers})
