"""Fast sources on the loopback, and no others."""

import json

from daemon.adapters.sources import load_registry
from tests.fakes.cli import Cli
from tests.fakes.http_server import HttpServer, Reply


def use(lacuna: Cli, server: HttpServer, named: dict[str, dict[str, object]]) -> None:
    """Have these sources only, each at its own path of the server."""
    entries: dict[str, dict[str, object]] = {
        name: {"enabled": False}
        for name, each in load_registry().items()
        if "search" in each.layers
    }
    for name, more in named.items():
        entries[name] = {
            "type": "json",
            "url": f"{server.origin}/{name}?q={{query}}",
            "layers": ["search"],
            "max_latency_ms": 3000,
            **more,
        }
    lacuna.sources.write_text(json.dumps(entries))


def replies(server: HttpServer, results: list[dict[str, str]], name: str = "fast") -> None:
    body = json.dumps({"results": results}).encode()
    server.routes[f"/{name}"] = Reply(body, content_type="application/json")
