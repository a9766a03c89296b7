"""The real `lacuna web` beside the real daemon of a vault."""

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

from tests.fakes.process import Lacuna


@dataclass(frozen=True)
class Served:
    """The vault of a running daemon and a running server, and how to sign in."""

    lacuna: Lacuna
    link: str
    pid: int

    @property
    def origin(self) -> str:
        return self.link.partition("/login")[0]

    def found(self, query: str) -> Any:
        """Return what a query of the REST interface finds."""
        token = (self.lacuna.state / "web-token").read_text()
        headers = {"Authorization": f"Bearer {token}"}
        with closing(HTTPConnection(self.origin.partition("//")[2], timeout=60)) as connection:
            connection.request("GET", f"/api/v1/{query}", headers=headers)
            return json.loads(connection.getresponse().read())


@contextmanager
def served(lacuna: Lacuna, documents: int, topics: Sequence[str]) -> Iterator[Served]:
    """Serve a vault whose library has so many documents, after research of topics."""
    daemon = lacuna.start("run")
    try:
        daemon.wait_until(lambda: "watching" in daemon.logged(), "the daemon watches")
        if documents:
            lacuna.json("library", "scan")
            daemon.wait_until(
                lambda: lacuna.json("library")["embedded"] == documents, "the library is read"
            )
        if topics:
            lacuna.json("research", *topics)
        with subprocess.Popen(
            lacuna.arguments("web", "--port", "0"),
            env=lacuna.environment,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                assert process.stdout is not None
                shown = re.search(r"http://\S+", process.stdout.readline())
                assert shown is not None
                yield Served(lacuna, shown[0], process.pid)
            finally:
                process.terminate()
    finally:
        daemon.kill()
