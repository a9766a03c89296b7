"""What a run says that it sent: what went over the network, and nothing else."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.adapters.sources import load_registry
from daemon.adapters.sources.arxiv import ArxivSource
from daemon.adapters.sources.brave import BraveSource
from daemon.adapters.sources.library import LibrarySource
from daemon.adapters.sources.registry import Rate
from daemon.adapters.sources.source_parts import Parts
from daemon.findings.digest import Cost, Entry, digest_text
from daemon.library.library import Library
from daemon.model.errors import FetchError, OfflineError, RefusedError
from daemon.model.evidence import Answer, Hit, SourceType
from daemon.ports import RetrievedDocument
from daemon.research.pipeline import RunResult
from daemon.research.replay import replay
from daemon.store.evidence import RunFolder
from daemon.store.run_files import RunDirectory
from tests.fakes.extractor import FakeExtractor
from tests.fakes.fetcher import FakeFetcher, answered
from tests.fakes.library import make_library
from tests.fakes.run_parts import (
    BREAD,
    BREAD_QUERY,
    NOW,
    RUN,
    Pages,
    Surroundings,
    a_hit,
    a_task,
    an_agenda,
)
from tests.fakes.source import FakeSource
from vault_adapters.wikilink import Linker

TASK = a_task("staling of bread", BREAD_QUERY)
FILE = Hit("one", SourceType.LIBRARY, "file:///books/bread", "A page on bread and more")
URL = "https://api.search.brave.com/res/v1/web/search"
FEED = b'<feed xmlns="http://www.w3.org/2005/Atom"></feed>'


class Shelf(FakeSource):
    """A source on this machine."""

    is_local = True

    async def search(self, query: str, *, limit: int) -> Answer:
        return replace(await super().search(query, limit=limit), requests=0)


def parts(name: str, fetcher: FakeFetcher, library: Library | None = None) -> Parts:
    return Parts(
        name=name,
        entry=load_registry()[name].model_copy(update={"rate": Rate()}),
        fetcher=fetcher,
        extractor=FakeExtractor(),
        embedder=None,
        library=library,
        cache_dir=Path("nowhere"),
        key="key-1",
    )


def run(tmp_path: Path, *sources: FakeSource) -> RunResult:
    around = Surroundings({one.name: one for one in sources}, Pages({"bread": BREAD}))
    agenda = an_agenda(replace(TASK, sources=tuple(around.sources)))
    return asyncio.run(around.run(agenda, tmp_path / RUN))


def test_reading_the_library_sends_nothing_and_the_digest_says_so(tmp_path: Path) -> None:
    gone = replace(FILE, url="file:///books/gone")
    result = run(tmp_path, Shelf("one", [FILE, gone]), Shelf("two", error=ValueError("broken")))
    assert len(result.findings) == 1
    assert (result.requests, result.bytes) == (0, 0)
    cost = Cost(result.requests, result.bytes)
    entry = Entry(RUN, NOW, an_agenda(TASK), (), result.answers, result.skips, cost)
    assert "> Nothing was sent over the network.\n" in digest_text(entry, link=Linker([]))
    again = replay(RunFolder(RunDirectory(tmp_path / RUN)))
    assert (again.requests, again.bytes) == (0, 0)


def test_what_goes_over_the_network_is_counted_beside_the_library(tmp_path: Path) -> None:
    web = FakeSource("two", [a_hit("bread", "two")])
    result = run(tmp_path, Shelf("one", [FILE]), web)
    assert result.requests == 2
    assert result.bytes == len(BREAD.encode())


def test_a_question_that_tasks_have_in_common_is_counted_once(tmp_path: Path) -> None:
    around = Surroundings({"one": FakeSource("one")}, Pages({}))
    tasks = [replace(TASK, id=id_, sources=("one",)) for id_ in ("t1", "t2")]
    result = asyncio.run(around.run(an_agenda(*tasks), tmp_path / RUN))
    assert result.requests == 1


@pytest.mark.parametrize("error", [RefusedError("refused"), OfflineError("no network")])
def test_a_document_that_is_refused_was_not_asked_for(tmp_path: Path, error: FetchError) -> None:
    class Walled(Pages):
        async def get(self, hit: Hit) -> RetrievedDocument:
            raise error

    around = Surroundings({"one": FakeSource("one", [a_hit("bread")])}, Walled({}))
    agenda = an_agenda(replace(TASK, sources=("one",)))
    assert asyncio.run(around.run(agenda, tmp_path / RUN)).requests == 1


@pytest.mark.parametrize(
    ("answer", "requests"),
    [
        (answered(URL, b'{"type": "search"}'), 1),
        (answered(URL, b"no", status=403), 1),
        (FetchError("reset"), 1),
        (RefusedError("refused"), 0),
        (OfflineError("no network"), 0),
    ],
)
def test_a_source_counts_what_it_really_sent(answer: object, requests: int) -> None:
    fetcher = FakeFetcher({URL: answer})  # type: ignore[dict-item]
    source = BraveSource.build(parts("brave", fetcher))
    assert asyncio.run(source.search("tides", limit=5)).requests == requests
    assert asyncio.run(source.search("?!", limit=5)).requests == 0


def test_a_source_that_asks_twice_counts_two() -> None:
    entry = load_registry()["arxiv"]
    url = entry.base_url + "/api/query"
    fetcher = FakeFetcher({url: answered(url, FEED, content_type="application/atom+xml")})
    source = ArxivSource.build(parts("arxiv", fetcher))
    answer = asyncio.run(source.search("tides harbours", limit=5))
    assert answer.requests == len(fetcher.asked) == 2


def test_the_library_sends_nothing(tmp_path: Path) -> None:
    (tmp_path / "tides.txt").write_text("Tides in harbours.")
    source = LibrarySource.build(
        parts("library", FakeFetcher(), make_library(tmp_path, state=tmp_path))
    )
    assert source.is_local
    assert asyncio.run(source.search("tides", limit=5)).requests == 0
