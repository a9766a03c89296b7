"""Recorded traffic of language-model services, played by a real server on the loopback."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fakes.http_server import Reply

FOLDER = Path(__file__).resolve().parents[2] / "../shared/data/llm"
needs_recordings = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the recorded traffic (../shared/data/llm) is not here"
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded answer, and the JSON of the request that it answers."""

    uri: str
    asked: dict[str, Any]
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def is_stream(self) -> bool:
        kind = self.headers.get("content-type", "")
        return "event-stream" in kind or "ndjson" in kind

    def reply(self) -> Reply:
        """Send it whole."""
        kind = self.headers.get("content-type", "application/json")
        kept = {name: self.headers[name] for name in ("retry-after",) if name in self.headers}
        return Reply(self.body, self.status, kind, kept)

    def in_pieces(self, size: int, *, until: int | None = None) -> Reply:
        """Send it as chunks of `size` bytes, wherever that cuts; break off after `until` bytes."""
        kind = self.headers.get("content-type", "application/json")
        # The server closes: without saying that, a client may send its next request here.
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n"
        head += "transfer-encoding: chunked\r\n\r\n"
        body = self.body[:until]
        pieces = (body[at : at + size] for at in range(0, len(body), size))
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in pieces)
        end = b"" if until is not None else b"0\r\n\r\n"
        return Reply(raw=head.encode() + chunks + end)


def recorded(path: str) -> list[Recorded]:
    """Read all answers of one recording, in order; `path` may end in `*`."""
    (file,) = FOLDER.glob(path)
    reported = yaml.safe_load(file.read_text("utf-8"))
    return [
        _recorded(each) for each in reported.get("interactions") or reported["http_interactions"]
    ]


def recordings(pattern: str) -> Iterator[tuple[str, Recorded]]:
    """Go over all answers of the recordings that match, with the names of their files."""
    for file in sorted(FOLDER.glob(pattern)):
        name = str(file.relative_to(FOLDER))
        yield from ((name, each) for each in recorded(name.replace("[", "[[]")))


def _recorded(each: dict[str, Any]) -> Recorded:
    request, response = each["request"], each["response"]
    headers = {str(k).lower(): str(v[0]) for k, v in response["headers"].items()}
    return Recorded(
        request["uri"],
        _asked(request),
        response["status"]["code"],
        headers,
        _body(response),
    )


def _asked(request: dict[str, Any]) -> dict[str, Any]:
    if "parsed_body" in request:
        found: dict[str, Any] = request["parsed_body"] or {}
        return found
    body = request.get("body") or "{}"
    text = body.get("string", "{}") if isinstance(body, dict) else body
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found


def _body(response: dict[str, Any]) -> bytes:
    if "parsed_body" in response:
        return json.dumps(response["parsed_body"]).encode()
    text = response["body"]["string"]
    return text if isinstance(text, bytes) else str(text).encode()
