"""`lacuna web` without a daemon: a process of its own does the work, and the server stays small."""

import json
import os
import re
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from bench.process import is_reported, resident_mb
from daemon.host.processes import descendants
from tests.fakes.cli import LIBRARY, NOTES, lay_out
from tests.fakes.process import PATIENCE, ROOT, Lacuna

MAX_MB = 80
# Words are enough here, and a model takes seconds to load.
WORDS_ONLY = {"embedding.model": "nobody/nothing", "research.reranker": "off"}


class Server:
    """A running server, and requests to it with the token."""

    def __init__(self, lacuna: Lacuna, process: "subprocess.Popen[str]", port: str) -> None:
        self._lacuna, self._port = lacuna, port
        self.process = process

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        """Return the status and the answer, as JSON if it is."""
        token = (self._lacuna.state / "web-token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with closing(HTTPConnection("127.0.0.1", int(self._port), timeout=120)) as connection:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, headers)
            answer = connection.getresponse()
            shown = answer.read().decode("utf-8", "replace")
            is_json = "json" in (answer.getheader("content-type") or "")
            return answer.status, json.loads(shown) if is_json else shown

    @property
    def worker(self) -> int:
        """The process that works."""
        [worker] = [each for each in descendants(self.process.pid) if _is_worker(each)]
        return worker


def comes_true(condition: Callable[[], bool]) -> bool:
    """Wait until a condition holds."""
    deadline, pause = time.monotonic() + PATIENCE / 2, threading.Event()
    while not (found := condition()) and time.monotonic() < deadline:
        pause.wait(0.1)  # how often it looks
    return found


def _is_worker(pid: int) -> bool:
    return b"daemon.cli.web_work" in Path(f"/proc/{pid}/cmdline").read_bytes()


@contextmanager
def serving(lacuna: Lacuna) -> Iterator[Server]:
    with subprocess.Popen(
        lacuna.arguments("web", "--port", "0"),
        env=lacuna.environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            shown = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())
            assert shown is not None
            yield Server(lacuna, process, shown[1])
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("home")
    lay_out(home / "vault", NOTES)
    lay_out(home / "library", LIBRARY)
    settings = {"library.folder": str(home / "library"), **WORDS_ONLY}
    with serving(Lacuna(home / "vault", home / "lacuna", settings)) as server:
        yield server


@pytest.fixture
def server(served: Server) -> Server:
    """The server, with the process that works, which it starts for the first query."""
    if served.process.poll() is None:
        assert served("GET", "/api/v1/status")[0] == 200
    return served


@pytest.mark.skipif(not is_reported(), reason="the system does not report memory in /proc")
def test_the_server_stays_small_after_every_kind_of_work(server: Server) -> None:
    assert server("POST", "/api/v1/index", {})[1]["notes"] > 0
    assert server("POST", "/api/v1/library-scan", {})[0] == 200
    assert server("POST", "/api/v1/research", {"topics": ["why bread goes stale"]})[0] == 409
    status, written = server("POST", "/api/v1/report", {"part": "Baking", "depth": "quick"})
    assert status == 200
    for form in ("md", "html", "pdf"):
        saved = server("GET", f"/api/v1/save/note.{form}?{urlencode({'note': written['path']})}")
        assert saved[0] == 200, saved
    for query in ("search?query=bread", "ask?question=why+does+bread+go+stale", "health", "map"):
        assert server("GET", f"/api/v1/{query}")[0] == 200, query
    for page in ("", "health", "map", "search?query=bread", "inbox", "runs", "settings", "sources"):
        assert server("GET", f"/{page}")[0] == 200, page
    for other in ("settings", "health-list?kind=links", "models", "voices"):
        assert server("GET", f"/api/v1/{other}")[0] == 200, other
    assert server("POST", "/api/v1/backup")[0] == 200
    assert server("GET", "/api/v1/openapi.json")[1]["openapi"] == "3.1.0"
    # A large answer takes more for a moment; at rest, the server returns what it freed.
    assert comes_true(lambda: resident_mb(server.process.pid) < MAX_MB)
    assert resident_mb(server.worker) > 0


def test_work_goes_on_in_another_process_when_the_first_was_killed(server: Server) -> None:
    killed = server.worker
    os.kill(killed, signal.SIGKILL)
    answers = [server("GET", "/api/v1/search?query=bread") for _ in range(2)]
    assert answers[1][0] == 200
    assert server.worker != killed


def test_what_does_not_exist_is_unknown_as_beside_a_daemon(server: Server) -> None:
    status, why = server("POST", "/api/v1/report", {"part": "nowhere"})
    assert status == 404
    assert why["detail"].startswith("nowhere: no folder, cluster or tag of the vault")
    assert server("GET", "/inbox?status=nope")[0] == 422


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="there are no descriptors of processes")
def test_the_process_that_works_ends_with_the_server(server: Server) -> None:
    server("GET", "/api/v1/status")
    worker = os.pidfd_open(server.worker)
    server.process.kill()  # it cannot say that it ends
    assert select.select([worker], [], [], PATIENCE)[0] == [worker]
    os.close(worker)


def test_a_vault_that_cannot_be_opened_ends_the_server_with_the_reason(tmp_path: Path) -> None:
    done = Lacuna(tmp_path / "none", tmp_path / "home").call("web", "--port", "0")
    assert done.returncode == 1
    assert re.fullmatch(r"lacuna: .*none.*\n", done.stderr)
