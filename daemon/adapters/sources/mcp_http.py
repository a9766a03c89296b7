"""MCP over HTTP, through the one gate: what the SDK would send itself, the gate sends for it.

So an MCP server is reached as any other: at a checked address, with capped sizes and times, with no
cookies and no proxy, and at an address of this machine only when its origin is allowed.
"""

import json

import httpx2

from daemon.adapters.sources.reply import (
    TroubleError,
    looks_like_html,
    refused,
    unavailable,
    unreached,
)
from daemon.model.errors import FetchError
from daemon.ports import Fetcher

_OWN = frozenset({"host", "content-length", "content-type", "connection", "accept-encoding"})
_ENCODED = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_NOT_HERE = 405  # what the protocol has for a server that offers no stream of its own


class GateTransport(httpx2.AsyncBaseTransport):
    """Sends the SDK's requests; `trouble` is what the last of them ran into, if it failed.

    Only messages to the server are sent. The stream on which it would speak unasked is never
    opened, and a session that is over is left to end by itself.
    """

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self.trouble: TroubleError | None = None
        self.is_over = False  # whether the server says that it no longer knows the session

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method != "POST":
            return httpx2.Response(_NOT_HERE)
        body = json.loads(await request.aread())
        headers = {name: text for name, text in request.headers.items() if name not in _OWN}
        headers.pop("user-agent", None)
        try:
            fetched = await self._fetcher.post(str(request.url), body=body, headers=headers)
        except FetchError as error:
            self.trouble = unreached(error)
            raise httpx2.ConnectError(str(error)) from None
        # Only now: another request may have failed meanwhile, and be what ends the session.
        self.trouble = None
        if fetched.status == 404 and "mcp-session-id" in headers:
            self.is_over = True
        elif fetched.status not in (200, 202):
            self.trouble = refused(fetched)
        elif looks_like_html(fetched):
            self.trouble = unavailable("answered with a web page where data should be")
        answered = [(name, text) for name, text in fetched.headers.items() if name not in _ENCODED]
        return httpx2.Response(fetched.status, headers=answered, content=fetched.body)
