"""Sources and pages are waited for side by side: real sources, asked over the loopback.

What a run may take is a share of its longest chain (one source's answer, then one page), which is
measured in the same run: on a busy machine both become longer. The best of three tries counts.
"""

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.adapters.fetch import Gate
from daemon.adapters.secrets import KeyringSecrets
from daemon.adapters.sources import load_registry
from daemon.adapters.sources.build import build_sources
from daemon.adapters.sources.registry import Rate
from daemon.model.evidence import Hit, SourceStatus
from daemon.ports import Extracted, RetrievedDocument
from daemon.research.pipeline import RunResult
from tests.fakes.extractor import FakeExtractor
from tests.fakes.http_server import Asked, HttpServer, Reply, serving
from tests.fakes.keyring import FakeKeyring
from tests.fakes.run_parts import BREAD, NOW, RUN, Pages, Surroundings, a_task, an_agenda

NAMES = tuple(f"searx{number}" for number in range(8))
LATENCY = 5.0  # seconds, of every answer: so long that what a run adds is small beside it
TRIES = 3
MOST = 1.3  # of the longest chain: waiting for one more answer, or one time-out, makes it 1.4


class TimedPages(Pages):
    """Pages from the server; the longest that one took is kept."""

    def __init__(self, gate: Gate) -> None:
        super().__init__({})
        self.gate = gate
        self.longest = 0.0

    async def get(self, hit: Hit) -> RetrievedDocument:
        began = time.monotonic()
        fetched = await self.gate.get(hit.url)
        self.longest = max(self.longest, time.monotonic() - began)
        text = f"{BREAD}\n{hit.url}"
        said = Extracted(text, "trafilatura")
        return RetrievedDocument(hit, fetched.final_url, fetched.body, "text/html", NOW, said)


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        running.fallback = lambda asked: answer(running, asked)
        yield running


def answer(server: HttpServer, asked: Asked) -> Reply:
    """Let every answer take its time; `/hangs/…` never comes."""
    _, name, *_ = asked.path.split("/")
    if name == "hangs":
        return Reply(silent=True)
    server.closing.wait(LATENCY)
    if not asked.path.endswith("/search"):
        return Reply(b"<p>a page</p>")
    results = [
        {"url": f"{server.origin}/page/{name}-{number}", "title": f"Page {number} of {name}"}
        for number in range(20)
    ]
    return Reply(json.dumps({"results": results}).encode(), 200, "application/json")


def around(server: HttpServer, paths: dict[str, str], folder: Path) -> Surroundings:
    entry = load_registry()["searxng"]
    registry = {
        name: entry.model_copy(update={"base_url": f"{server.origin}/{path}", "rate": Rate()})
        for name, path in paths.items()
    }
    gate = Gate(allow_origins=[server.origin], timeout=60)
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
    return Surroundings(sources, TimedPages(gate))


def timed(surroundings: Surroundings, folder: Path) -> tuple[RunResult, float, float]:
    """Run once; return what came, how long it took, and how long its longest chain was."""
    agenda = an_agenda(a_task("staling of bread", sources=tuple(surroundings.sources)))
    began = time.monotonic()
    result = asyncio.run(surroundings.run(agenda, folder / RUN))
    took = time.monotonic() - began
    pages = surroundings.pages
    assert isinstance(pages, TimedPages)
    late = surroundings.timeouts.values()
    slowest = max([*(each.seconds for each in result.answers), *late])
    return result, took, slowest + pages.longest


@pytest.mark.long(11)
def test_a_run_takes_hardly_longer_than_its_longest_chain(
    server: HttpServer, tmp_path: Path
) -> None:
    ratios = []
    for number in range(TRIES):
        surroundings = around(server, {name: name for name in NAMES}, tmp_path)
        result, took, chain = timed(surroundings, tmp_path / str(number))
        assert [each.status for each in result.answers] == [SourceStatus.OK] * len(NAMES)
        ratios.append(took / chain)
        if ratios[-1] <= MOST:
            break
    assert min(ratios) <= MOST, ratios


@pytest.mark.long(11)
def test_a_source_that_hangs_costs_its_own_time_out_and_no_more(
    server: HttpServer, tmp_path: Path
) -> None:
    ratios = []
    for number in range(TRIES):
        paths = {name: name for name in NAMES[:4]} | {"silent": "hangs", "mute": "hangs"}
        surroundings = around(server, paths, tmp_path)
        surroundings.timeouts = {"silent": 4.0, "mute": 4.0}
        result, took, chain = timed(surroundings, tmp_path / str(number))
        told = {each.source: each.why for each in result.answers if each.why}
        assert told == {"silent": "no answer in 4 s", "mute": "no answer in 4 s"}
        ratios.append(took / chain)
        if ratios[-1] <= MOST:
            break
    assert min(ratios) <= MOST, ratios
