"""What is posted for the process that speaks MCP, which may be lost to what it reads."""

import asyncio
from typing import Any

from daemon.adapters.sources.mcp_http import MAX_ANSWER_BYTES, Post
from tests.fakes.gates import a_gate
from tests.fakes.http_server import HttpServer, Reply, serving

JSON = "application/json"


def send(server: HttpServer, message: dict[str, Any], **own: str) -> tuple[Post, dict[str, Any]]:
    post = Post(a_gate(allow_origins=[server.origin]), f"{server.origin}/mcp", own)
    reported, _ = asyncio.run(post.send(message))
    return post, reported


def test_it_chooses_neither_the_address_nor_headers_other_than_those_of_the_protocol() -> None:
    with serving() as server:
        server.fallback = Reply(
            b"{}", content_type=JSON, headers={"Mcp-Session-Id": "s", "X-A": "b"}
        )
        headers = {
            "mcp-method": "tools/call",
            "Mcp-Session-Id": "s",
            "accept": JSON,
            "authorization": "Bearer planted",
            "host": "evil.example",
            "cookie": "a=b",
            "mcp-name": "a\r\nX-Planted: b",
            "mcp-number": 5,
            "url": "http://evil.example",
        }
        message = {"post": 3, "body": {"id": 1}, "headers": headers, "url": "http://evil.example"}
        _, reported = send(server, message, Authorization="Bearer own")
        (asked,) = server.asked
    assert asked.path == "/mcp"
    assert asked.headers["authorization"] == "Bearer own"
    assert asked.headers["host"] == server.origin.removeprefix("http://")
    named = {name for name in asked.headers if name.startswith("mcp-") or "plant" in name}
    assert named == {"mcp-method", "mcp-session-id"}
    assert "cookie" not in asked.headers
    assert reported["posted"] == 3
    assert reported["headers"] == {"content-type": JSON, "mcp-session-id": "s"}


def test_what_is_no_message_is_posted_as_an_empty_one() -> None:
    with serving() as server:
        server.fallback = Reply(b"{}", content_type=JSON)
        send(server, {"post": [], "body": "x", "headers": [1]})
        assert server.asked[0].body == b"{}"


def test_an_answer_that_is_too_large_is_not_handed_on() -> None:
    with serving() as server:
        server.fallback = Reply(b" " * (MAX_ANSWER_BYTES + 1), content_type=JSON)
        post, reported = send(server, {"post": 0, "body": {}, "headers": {}})
    assert reported == {"posted": 0, "failed": True, "over": False}
    assert post.trouble is not None
    assert post.trouble.why == "the answer is larger than 5 MB"
