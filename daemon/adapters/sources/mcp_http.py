"""MCP over HTTP, through the one gate: posts the messages of the process that speaks MCP.

So an MCP server is reached like any other host: at a checked address, with limits on size and time,
without cookies or a proxy, and at a local address only if its origin is allowed. The process that
speaks MCP neither chooses the address nor knows the keys.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from daemon.adapters.sources.reply import (
    TroubleError,
    looks_like_html,
    refused,
    unavailable,
    unreached,
)
from daemon.model.errors import FetchError
from daemon.ports import Fetched, Fetcher

MAX_ANSWER_BYTES = 5_000_000  # bytes of an answer
_ASKED = re.compile(r"accept|mcp-[a-z0-9-]{1,60}")  # the headers that are part of the protocol
_ANSWERED = re.compile(r"content-type|mcp-[a-z0-9-]{1,60}")
_VALUE = re.compile(r"[ -~]{0,2000}")


class Post:
    """Posts to one server; `trouble` is the error of the last post, if it failed."""

    def __init__(self, fetcher: Fetcher, url: str, headers: Mapping[str, str]) -> None:
        self._fetcher = fetcher
        self._url = url
        self._headers = headers
        self.trouble: TroubleError | None = None
        self._is_over = False  # whether the server no longer knows the session

    async def send(self, message: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Post a message for the process; return the response for it, with the answer's bytes."""
        body, headers = message.get("body"), dict(_allowed_headers(message.get("headers"), _ASKED))
        fetched = await self._fetched(body if isinstance(body, dict) else {}, headers)
        answer: dict[str, Any] = {
            "posted": message.get("post"),
            "failed": self.trouble is not None,
            "over": self._is_over,
        }
        if fetched is None:
            return answer, b""
        answer |= {
            "status": fetched.status,
            "headers": dict(_allowed_headers(fetched.headers, _ANSWERED)),
        }
        return answer, fetched.body

    async def _fetched(self, body: dict[str, Any], headers: dict[str, str]) -> Fetched | None:
        try:
            sent = {**headers, **self._headers}
            fetched = await self._fetcher.post(self._url, body=body, headers=sent)
        except FetchError as error:
            self.trouble = unreached(error)
            return None
        # Only now: another request may have failed meanwhile and ended the session.
        self.trouble = None
        if fetched.status == 404 and "mcp-session-id" in headers:
            self._is_over = True
        elif fetched.status not in (200, 202):
            self.trouble = refused(fetched)
        elif looks_like_html(fetched):
            self.trouble = unavailable("answered with a web page instead of data")
        elif len(fetched.body) > MAX_ANSWER_BYTES:
            self.trouble = unavailable(f"the answer is larger than {MAX_ANSWER_BYTES / 1e6:g} MB")
            return None
        return fetched  # refused requests, too: the SDK may have another method


def _allowed_headers(headers: object, wanted: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    for name, value in headers.items() if isinstance(headers, Mapping) else ():
        known = isinstance(name, str) and wanted.fullmatch(name.lower())
        if known and isinstance(value, str) and _VALUE.fullmatch(value):
            yield name.lower(), value
