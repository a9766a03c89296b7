"""How long connections may wait, and how many of strangers, so that nobody occupies the server."""

from asyncio import Transport
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from daemon.faces.web.access import KNOWN
from daemon.faces.web.problems import problem
from daemon.faces.web.request_guard import HEADERS

HEAD_SECONDS = 10
MAX_STRANGERS = 128  # connections; the oldest is closed for a new one
# connections that are taken at once, all of them before the first is read: too few to close one of
# a client that is known as soon as its request is read
BACKLOG = MAX_STRANGERS // 4


class ImpatientProtocol(H11Protocol):
    """Closes a connection on which no complete head of a request comes in time."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._since = self.loop.time()
        self._timer = self.loop.call_later(HEAD_SECONDS, self._close_if_headless)

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # uvicorn narrows it, too
        """Close the oldest of too many connections of which nobody known is served now."""
        others = [each for each in self.connections if isinstance(each, ImpatientProtocol)]
        strangers = (each for each in others if each.is_of_stranger)
        for oldest in sorted(strangers, key=ImpatientProtocol.age)[MAX_STRANGERS - 1 :]:
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

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP as every other request is answered."""
        answer = problem(400, msg, {**HEADERS, "connection": "close"})
        head = h11.Response(status_code=400, headers=answer.raw_headers, reason=b"Bad Request")
        for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    @property
    def is_headless(self) -> bool:
        """Whether the head of a request is awaited."""
        return self.conn.their_state is h11.IDLE

    @property
    def is_of_stranger(self) -> bool:
        """Whether no request of a client that is signed in or has the token is in progress."""
        has_no_request = self.is_headless or not self.scope  # also after one that is malformed
        return has_no_request or KNOWN not in self.scope["state"]

    def age(self) -> float:
        """Return the seconds since this connection began to wait."""
        return self.loop.time() - self._since

    def _close_if_headless(self) -> None:
        if self.is_headless:
            self.transport.abort()
