"""The page of a large vault in Chromium, and the memory of its server with and without a daemon.

First paint of every page, the map, a list of 500 findings, and one of 10,000 runs by a word.

Where there is no graphics card, Chromium draws WebGL on the processor, which takes longer.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

from bench.measure import clock, load, percentile
from bench.places import Places
from bench.process import is_reported, resident_mb
from bench.running import Running, running, wait_until
from bench.table import Row
from daemon.model.agenda import AgendaStatus
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.run import RunStatus
from daemon.store.agendas import AgendaStore
from daemon.store.db import Database
from daemon.store.findings import FindingStore
from daemon.store.lock import held_by, lock_path
from daemon.store.run_search import RunSearch, texts_of
from daemon.store.runs import new_run_id
from tests.fakes.run_parts import a_task, an_agenda

try:
    from playwright.sync_api import sync_playwright
except ImportError:  # the row is then skipped
    sync_playwright = None  # type: ignore[assignment]
if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = shutil.which("chromium")
MAP_SECONDS, PAINT_SECONDS, LIST_SECONDS, FIND_SECONDS, SERVER_MB = 2.0, 0.5, 1.0, 0.05, 80
_FINDINGS, _RUNS, _VISITS = 500, 10_000, 5
_PAGES = (
    *("/", "/search?query=bread", "/research", "/health", "/map", "/runs", "/library"),
    *("/sources", "/schedules", "/topics", "/privacy", "/reports", "/settings", "/doctor", "/ask"),
)
_WITHOUT_DAEMON = ("status", "map", "health", "search?query=bread", "ask?question=what+is+bread")
_COMMANDS: dict[str, Any] = {
    "research": {"topics": ["why does bread go stale"]},
    "report": {"part": "bread"},
    "library-scan": {},
}
_RUN = "INSERT INTO runs (id, agenda, status, started_at) VALUES (?, ?, ?, ?)"
_TIMES = """async () => {
    const painted = () => performance.getEntriesByName("first-contentful-paint")[0];
    while (!painted()) await new Promise((resolve) => setTimeout(resolve, 5));
    const marks = performance.getEntriesByType("mark");
    const times = Object.fromEntries(marks.map((each) => [each.name, each.startTime / 1000]));
    return { paint: painted().startTime / 1000, ...times };
}"""


@dataclass(frozen=True, slots=True)
class _Served:
    """A running `lacuna web`: its process, its login link, and its token."""

    pid: int
    link: str
    token: str

    @property
    def origin(self) -> str:
        return self.link.partition("/login")[0]


def rows(places: Places) -> Iterator[Row]:
    """Visit each page several times; the first visit, which fills the browser's cache, counts."""
    if not is_reported() or CHROMIUM is None or sync_playwright is None:
        return
    with running(places, {}, with_map=True) as daemon, _serving(daemon) as served:
        _asked(served, "map")  # it is drawn again for the copy of the vault
        with _browser(served) as page:
            yield from _of_pages(page, served)
            yield from _of_map(page, served)
            _fill(Database(daemon.state / "lacuna.db"))
            yield from _of_inbox(page, served)
        found = _finding_runs(served)
        yield _row(f"find one of {_RUNS:,} runs by a word, over HTTP", found, FIND_SECONDS)
        yield _memory(f"after every page of {places.large:,} notes", served)
        os.kill(daemon.guard, signal.SIGTERM)
        wait_until(lambda: held_by(lock_path(daemon.state)) is None, "the end of the daemon")
        with _serving(daemon) as alone:
            for query in _WITHOUT_DAEMON:
                _asked(alone, query)
            for command, body in _COMMANDS.items():
                _asked(alone, command, body)
            yield _memory("without a daemon, after queries, research and a report", alone)


def _memory(after: str, served: _Served) -> Row:
    resident = resident_mb(served.pid)
    return Row(
        f"memory of `lacuna web` {after}",
        f"{resident:.0f} MB ({load()})",
        f"limit {SERVER_MB} MB",
        f"{resident / SERVER_MB:.2f}",
        "≤ 1",
        resident <= SERVER_MB,
    )


def _of_pages(page: "Page", served: _Served) -> Iterator[Row]:
    painted = {path: _visits(page, served, path) for path in _PAGES}
    for path, took in painted.items():
        print(f"  first paint of {path}: {_text(took)}", file=sys.stderr)
    slowest = max(painted, key=lambda path: percentile(painted[path], 0.5))
    yield _row(
        f"first paint, the slowest of the pages ({slowest})", painted[slowest], PAINT_SECONDS
    )


def _of_inbox(page: "Page", served: _Served) -> Iterator[Row]:
    listed = []
    for _ in range(_VISITS):
        page.goto(f"{served.origin}/inbox", wait_until="load")
        assert page.locator("#findings li").count() == _FINDINGS
        listed.append(
            float(
                page.evaluate(
                    "performance.timing.loadEventEnd - performance.timing.navigationStart"
                )
            )
            / 1000
        )
    yield _row(f"a page of {_FINDINGS} findings, loaded", listed, LIST_SECONDS)


def _of_map(page: "Page", served: _Served) -> Iterator[Row]:
    took: list[dict[str, float]] = []
    for _ in range(_VISITS):
        page.goto(f"{served.origin}/topics")  # leaving a map takes time, too
        page.wait_for_load_state("networkidle")
        page.goto(f"{served.origin}/map", wait_until="commit")
        page.locator("#map[data-links]").wait_for()
        took.append(page.evaluate(_TIMES))
    size = "{:,} nodes and {:,} links".format(
        *(
            int(page.locator("#map").get_attribute(name) or 0)
            for name in ("data-drawn", "data-links")
        )
    )
    stages = {
        "first picture": "map-sketch",
        "drawn by WebGL, interactive": "map-notes",
        "with its links": "map-links",
    }
    for what, mark in stages.items():
        yield _row(f"map of {size}: {what}", [each[mark] for each in took], MAP_SECONDS)


def _visits(page: "Page", served: _Served, path: str) -> list[float]:
    took = []
    for _ in range(_VISITS):
        page.goto(f"{served.origin}{path}", wait_until="load")
        took.append(float(page.evaluate(_TIMES)["paint"]))
    return took


def _row(what: str, took: list[float], limit: float) -> Row:
    median = percentile(took, 0.5)
    target = f"limit {limit * 1e3:.0f} ms"
    return Row(
        what, f"{_text(took)} ({load()})", target, f"{median / limit:.2f}", "≤ 1", median <= limit
    )


def _text(took: list[float]) -> str:
    return f"median {percentile(took, 0.5) * 1e3:.0f} ms, most {max(took) * 1e3:.0f} ms"


def _asked(served: _Served, name: str, body: Any = None) -> Any:
    """Return the answer to a query, or to a command with a body."""
    headers = {"Authorization": f"Bearer {served.token}", "Content-Type": "application/json"}
    method, sent = ("GET", None) if body is None else ("POST", json.dumps(body))
    with closing(HTTPConnection(served.origin.partition("//")[2])) as connection:
        connection.request(method, f"/api/v1/{name}", sent, headers)
        return json.loads(connection.getresponse().read())


def _finding_runs(served: _Served) -> list[float]:
    took = []
    for number in range(100):
        with clock() as needed:
            answer = _asked(served, f"runs?words=subject{number * 97:05}&limit=100")
        took.append(needed.wall)
        assert len(answer) == 1
    return took[1:]  # the first one loads the search


@contextmanager
def _serving(daemon: Running) -> Iterator[_Served]:
    start = "import sys; from lacuna import main; sys.argv[0] = 'lacuna'; main()"
    command = [sys.executable, "-c", start, "web", "--config", str(daemon.config), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        if found is None:
            raise RuntimeError("`lacuna web` did not start")
        try:
            token = (daemon.state / "web-token").read_text().strip()
            yield _Served(process.pid, found[0], token)
        finally:
            process.terminate()


@contextmanager
def _browser(served: _Served) -> Iterator["Page"]:
    arguments = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.set_default_timeout(120_000)
        page.goto(served.link)
        page.wait_for_url(f"{served.origin}/")
        yield page
        browser.close()


def _fill(db: Database) -> None:
    """Store findings that wait and runs that have ended, each about a subject of its own."""
    agendas, findings, search = AgendaStore(db), FindingStore(db), RunSearch(db)
    now = datetime.now(UTC)
    with db.transaction():
        for number in range(_RUNS):
            at = now - timedelta(hours=4 * number)
            task = a_task(f"why is subject{number:05} so important", f"subject{number:05}")
            agenda = replace(an_agenda(task), id=f"bench{number}", status=AgendaStatus.DONE)
            agendas.save(agenda)
            run = new_run_id(at, agenda.id)
            search.add(run, texts_of(agenda))
            db.execute(_RUN, (run, agenda.id, RunStatus.DONE.value, at.isoformat()))
            if number < _FINDINGS:
                findings.learn(_finding(number, run, at))
    db.close()


def _finding(number: int, run: str, at: datetime) -> FindingRecord:
    return FindingRecord(
        id=f"{number:012x}",
        run=run,
        path=f"Inbox/Research/Finding {number}.md",
        status=FindingStatus.PENDING,
        title=f"What is known of subject{number:05}, and what its sources do not agree on",
        source=f"https://example.org/{number}",
        key=f"url:https://example.org/{number}",
        topic=f"subject{number:05}",
        credibility=0.7,
        created_at=at,
    )
