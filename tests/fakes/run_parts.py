"""A run's surroundings for tests: a small vault, a few pages, and counters of what was asked."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from daemon.model.agenda import Agenda, AgendaStatus, Depth, GapKind, Task
from daemon.model.errors import FetchError
from daemon.model.event import BaseEvent, StepProgress
from daemon.model.evidence import Hit, Match, SourceType
from daemon.model.run import RunRules
from daemon.model.topics import question_key
from daemon.ports import Extracted, Reranker, RetrievedDocument, Source, Stop, Vectors
from daemon.research.credibility import Table, our_table
from daemon.research.hook_filters import Filters
from daemon.research.pipeline import Parts, RunResult, Write, research
from daemon.store.evidence import RunFolder
from daemon.store.reporter import Reporter
from daemon.store.run_files import RunDirectory
from tests.fakes.embedder import FakeEmbedder

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
RUN = "20261121T093000Z-ab12cd"

BREAD = """Staling is not drying

Bread in a refrigerator goes stale faster than bread outside, because stale bread is cold bread.
Stale bread is soft again when heat melts starch that made bread stale in a refrigerator.
Subscribe to our newsletter for more stale bread from a refrigerator.
Rye bread turns stale later than white bread, even when bread stays in a refrigerator overnight.
"""
BREAD_QUERY = "stale bread refrigerator"
PIANO = """Stretched octaves

Piano tuners stretch the octaves because thick strings are stiff and their overtones are sharp.
The ear receives beats between overtones and wants them slow in the middle of the keyboard.
"""
MITES = """Oxalic acid in winter

Oxalic acid kills varroa mites on the bees and leaves those under the cappings of brood alive.
A winter treatment with oxalic acid works because the varroa mites have no brood to hide in.
"""


def a_task(topic: str, query: str = "", **values: object) -> Task:
    task = Task(
        id=f"t-{topic.replace(' ', '-')}",
        topic=topic,
        query=query or topic,
        sources=("one", "two"),
        because="it is thin",
        note="Bread.md",
        kind=GapKind.GAP,
        score=0.5,
    )
    return replace(task, **values)  # type: ignore[arg-type]


def an_agenda(*tasks: Task, depth: Depth = Depth.STANDARD) -> Agenda:
    return Agenda("a-1", NOW, None, "asked", AgendaStatus.RUNNING, depth, tasks)


def a_hit(name: str, source: str = "one", **values: object) -> Hit:
    hit = Hit(source, SourceType.WEB, f"https://example.org/{name}", f"A page on {name} and more")
    return replace(hit, **values)  # type: ignore[arg-type]


@dataclass
class Pages:
    """Documents by the last part of their address; remembers which were fetched."""

    texts: Mapping[str, str]
    fetched: list[str] = field(default_factory=list)

    async def get(self, hit: Hit) -> RetrievedDocument:
        self.fetched.append(hit.url)
        text = self.texts.get(hit.url.rpartition("/")[2])
        if text is None:
            raise FetchError("HTTP 404")
        return RetrievedDocument(
            hit=hit,
            final_url=hit.url,
            body=text.encode(),
            content_type="text/html",
            fetched_at=NOW,
            extracted=Extracted(text, "trafilatura"),
        )


class Vault:
    """Notes by path, found by the likeness of their words."""

    def __init__(self, notes: Mapping[str, str]) -> None:
        self.notes = notes
        self.asked = 0
        self._paths = sorted(notes)
        self._vectors = FakeEmbedder().embed([notes[path] for path in self._paths])

    def near(self, vectors: Vectors, limit: int) -> list[list[Match]]:
        self.asked += 1
        found = []
        for row in vectors @ self._vectors.T:
            order = np.argsort(-row, kind="stable")[:limit]
            found.append([Match(self._paths[index], "", float(row[index])) for index in order])
        return found


def offered_for(tasks: Iterable[Task], keys: Iterable[str]) -> frozenset[str]:
    """What an earlier run of these tasks left: the keys of its documents and its questions."""
    return frozenset({*keys, *(question_key(task.query) for task in tasks)})


@dataclass
class Surroundings:
    """All that a run is given, in a form that tests can change and look at."""

    sources: Mapping[str, Source]
    pages: Pages
    vault: Vault = field(
        default_factory=lambda: Vault(
            {
                "Bread.md": "Why does bread go stale in the refrigerator?",
                "Bees.md": "Varroa mites and the brood.",
            }
        )
    )
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    known: frozenset[str] = frozenset()
    answered: Mapping[str, str] = field(default_factory=dict)
    rules: RunRules = field(default_factory=lambda: RunRules(0.85, 5))
    timeouts: Mapping[str, float] = field(default_factory=dict)
    stop: Stop = field(default_factory=Stop)
    seen: list[str] = field(default_factory=list)
    retracted: Mapping[str, str] = field(default_factory=dict)
    cited: Mapping[str, str] = field(default_factory=dict)
    table: Table = field(default_factory=our_table)
    filters: Filters | None = None
    grace: float = 0.05  # seconds
    reranker: Reranker | None = None
    write: Write | None = None
    report: Reporter | None = None

    async def run(self, agenda: Agenda, folder: Path, *, now: datetime = NOW) -> RunResult:
        parts = Parts(
            sources=self.sources,
            get_document=self.pages.get,
            embedder=self.embedder,
            reranker=self.reranker,
            write=self.write,
            near=self.vault.near,
            known_keys=self.known,
            answered=self.answered,
            note_text=self.vault.notes.get,
            rules=self.rules,
            timeouts=self.timeouts,
            retractions=lambda ids: {
                id_: self.retracted[id_] for id_ in ids if id_ in self.retracted
            },
            cited=lambda: self.cited,
            table=self.table,
            filters=self.filters,
            grace=self.grace,
        )
        report = self.report or Reporter(Seen(self.seen), between=0)
        return await research(
            agenda, parts, RunFolder(RunDirectory(folder)), now=now, stop=self.stop, report=report
        )


@dataclass(frozen=True)
class Seen:
    """Takes events, and lists what progress says."""

    whats: list[str]

    @property
    def clock(self) -> Callable[[], datetime]:
        return lambda: NOW

    def write(self, event: BaseEvent) -> None:
        if isinstance(event, StepProgress):
            self.whats.append(event.what)
