"""Sources and pages are waited for side by side: real sources, asked over the loopback.

No clock decides: the server answers only when all who should wait side by side are there.
"""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon.adapters.fetch import Gate
from daemon.adapters.secrets import KeyringSecrets
from daemon.adapters.sources import load_registry
from daemon.adapters.sources.build import build_sources
from daemon.adapters.sources.registry import Rate
from daemon.model.evidence import Hit, SourceStatus
from daemon.ports import Extracted, RetrievedDocument
from daemon.research.pipeline import RunResult
from tests.fakes.extractor import FakeExtractor
from tests.fakes.gates import a_gate
from tests.fakes.http_server import Asked, HttpServer, Reply
from tests.fakes.keyring import FakeKeyring
from tests.fakes.run_parts import BREAD, NOW, RUN, Pages, Surroundings, a_task, an_agenda

NAMES = tuple(f"searx{number}" for number in range(8))
DEADLINE = 30.0  # seconds; reached only if a request waits for another one's answer


class Meeting(HttpServer):
    """Answers searches only when `parties` of them are there; those of `hangs…` never."""

    def __init__(self, parties: int) -> None:
        super().__init__()
        self.searches = threading.Barrier(parties, timeout=DEADLINE)
        self.fallback = self._answer

    def _answer(self, asked: Asked) -> Reply:
        _, name, *_ = asked.path.split("/")
        if not asked.path.endswith("/search"):
            return Reply(b"<p>a page</p>")
        self.searches.wait()
        if name.startswith("hangs"):
            return Reply(silent=True)
        results = [
            {"url": f"{self.origin}/page/{name}-{number}", "title": f"Page {number} of {name}"}
            for number in range(3)
        ]
        return Reply(json.dumps({"results": results}).encode(), 200, "application/json")


@contextmanager
def meeting(parties: int) -> Iterator[Meeting]:
    server = Meeting(parties)
    try:
        yield server
    finally:
        server.closing.set()
        server.close()


class LoopbackPages(Pages):
    """Pages from the server, and how many were waited for at a time."""

    def __init__(self, gate: Gate) -> None:
        super().__init__({})
        self.gate = gate
        self.waiting = self.most = 0

    async def get(self, hit: Hit) -> RetrievedDocument:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        fetched = await self.gate.get(hit.url)
        self.waiting -= 1
        text = f"{BREAD}\n{hit.url}"
        statement = Extracted(text, "trafilatura")
        return RetrievedDocument(hit, fetched.final_url, fetched.body, "text/html", NOW, statement)


def around(server: HttpServer, paths: dict[str, str], folder: Path) -> Surroundings:
    entry = load_registry()["searxng"]
    registry = {
        name: entry.model_copy(update={"base_url": f"{server.origin}/{path}", "rate": Rate()})
        for name, path in paths.items()
    }
    gate = a_gate(allow_origins=[server.origin], timeout=60)
    sources, left_out = build_sources(
        registry,
        fetcher=gate,
        extractor=FakeExtractor(),
        secrets=KeyringSecrets(environ={}, keyring=FakeKeyring),
        library=None,
        embedder=None,
        cache_dir=folder,
    )
    assert not left_out
    return Surroundings(sources, LoopbackPages(gate))


def run(surroundings: Surroundings, folder: Path) -> RunResult:
    agenda = an_agenda(a_task("staling of bread", sources=tuple(surroundings.sources)))
    return asyncio.run(surroundings.run(agenda, folder / RUN))


def test_sources_are_waited_for_side_by_side_and_so_are_pages(tmp_path: Path) -> None:
    with meeting(len(NAMES)) as server:
        surroundings = around(server, {name: name for name in NAMES}, tmp_path)
        result = run(surroundings, tmp_path)
    assert [each.status for each in result.answers] == [SourceStatus.OK] * len(NAMES)
    assert isinstance(surroundings.pages, LoopbackPages)
    assert surroundings.pages.most > 1


def test_sources_that_never_answer_end_at_their_own_time_outs_beside_the_others(
    tmp_path: Path,
) -> None:
    with meeting(6) as server:
        paths = {name: name for name in NAMES[:4]} | {"silent": "hangs-1", "mute": "hangs-2"}
        surroundings = around(server, paths, tmp_path)
        surroundings.timeouts = {"silent": 3.0, "mute": 3.0}
        result = run(surroundings, tmp_path)
        server.closing.set()
    assert not server.searches.broken
    reported = {each.source: each.why for each in result.answers if each.why}
    assert reported == {"silent": "no answer in 3 s", "mute": "no answer in 3 s"}
