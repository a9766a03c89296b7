"""Resolve host names with the system's resolver."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence

from daemon.model.errors import OfflineError

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
CONNECT_SECONDS = 10.0


async def resolve(host: str, port: int) -> list[str]:
    """Return a host's addresses, in the order in which the system would try them. Raises
    FetchError.
    """
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise OfflineError(f"{host}: no such host, or no network") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))
