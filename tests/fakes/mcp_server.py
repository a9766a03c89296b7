"""A small real MCP server, made with the official SDK: over stdio, or over HTTP in a thread."""

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from mcp.server.mcpserver import MCPServer

PAPERS: list[dict[str, object]] = [
    {
        "title": "<b>Tides</b> &amp; moons",
        "link": "https://example.com/tides",
        "abstract": "Tides turn twice a day.",
        "publication": {"date": "2024-05-06T07:08:09Z"},
        "authors": [{"name": "Ada Lovelace"}, {"name": "Mary Somerville"}],
        "doi": "https://doi.org/10.1000/TIDES",
        "cited_by_count": 12,
    },
    {"title": "Ebb", "link": "https://example.com/ebb", "publication": {"date": "2023"}},
]


def papers_server() -> MCPServer:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    server = MCPServer("papers")  # which would have the whole process log its way
    root.handlers, root.level = before

    @server.tool()
    def search_papers(query: str, max_results: int = 10) -> dict[str, object]:
        if query == "fail":
            raise ValueError("the index is being built")
        found = [] if query == "nothing" else PAPERS[:max_results]
        return {"query": query, "papers": found}

    @server.tool(structured_output=False)
    def in_words(query: str) -> str:
        return "\n\n".join(f"Title: {each['title']}\nURL: {each['link']}" for each in PAPERS)

    return server


@contextmanager
def serving_mcp(*, json_response: bool = False, stateless: bool = False) -> Iterator[str]:
    """Serve it on the loopback for as long as the block lasts; yields its address."""
    app = papers_server().streamable_http_app(json_response=json_response, stateless_http=stateless)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        listener.listen()
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.should_exit = True
            thread.join(30)


if __name__ == "__main__":
    papers_server().run("stdio")
