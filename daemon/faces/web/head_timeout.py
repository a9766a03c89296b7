"""How long a client may take to send the head of a request, so that nobody occupies the server."""

from asyncio import Transport
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10
_MAX_HEADLESS = 16  # connections that wait for a head; the oldest is closed for a new one


class ImpatientProtocol(H11Protocol):
    """Closes a connection on which no complete head of a request comes in time."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._since = self.loop.time()
        self._timer = self.loop.call_later(HEAD_SECONDS, self._close_if_headless)

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # uvicorn narrows it, too
        """Close the oldest of too many connections that wait for a head."""
        waiting = [each for each in self.connections if isinstance(each, ImpatientProtocol)]
        headless = sorted((each for each in waiting if each.is_headless), key=ImpatientProtocol.age)
        for oldest in headless[_MAX_HEADLESS - 1 :]:
            oldest.transport.abort()
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._timer.cancel()
        self._since = self.loop.time()
        self._timer = self.loop.call_later(HEAD_SECONDS, self._close_if_headless)
        super().on_response_complete()

    @property
    def is_headless(self) -> bool:
        """Whether the head of a request is awaited."""
        return self.conn.their_state is h11.IDLE

    def age(self) -> float:
        """Return the seconds since this connection began to wait."""
        return self.loop.time() - self._since

    def _close_if_headless(self) -> None:
        if self.is_headless:
            self.transport.abort()
