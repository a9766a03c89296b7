"""Sources: which exist, why one is not queried, and whether they answer."""

import asyncio
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from pydantic import Field

from daemon.app import App
from daemon.model.errors import SourceError
from daemon.model.evidence import Answer, SourceStatus
from daemon.model.progress import Progress
from daemon.ports import Source as Port
from daemon.store.reporter import Reporter
from daemon.usecases.command import Command
from daemon.usecases.document import Document, ListDocument, Number, Request
from daemon.usecases.query import of_all
from daemon.usecases.web_search import MAX_WEB_QUERY

if TYPE_CHECKING:  # the daemon answers queries about sources without what reads entries
    from daemon.new_source import Entry

_RECENT_RUNS = 20
_RESULTS = 5  # results that a test requests
_SEVERAL = 3  # results of which one should have what the entry says where to find
_FILLED = {
    "text": "snippet",
    "date": "published",
    "authors": "authors",
    "doi": "doi",
    "figures": "figures",
}


class SourceTestRequest(Request):
    """Which sources to test, and with which query."""

    names: tuple[str, ...] = Field(default=(), description="Default: all that are on.")
    query: str = Field(
        default="spaced repetition", max_length=MAX_WEB_QUERY, description="The query."
    )


class Source(Document):
    """A source of the registry."""

    name: str = Field(description="Name of the source.", examples=["crossref"])
    type: str = Field(
        description="Its type, as in sources.yaml.", examples=["api", "feed", "library", "mcp"]
    )
    on: bool = Field(description="Whether it is on.")
    why: str = Field(description='Why it does not work, or not completely; "" otherwise.')
    description: str = Field(description="What it provides.")
    layers: tuple[str, ...] = Field(description="The layers that query it.")
    cost_per_request: Number = Field(description="US dollars.")
    note: str = Field(description='What to know before using it; "" for nothing.')
    keys: dict[str, bool] = Field(
        description="Name of each key that it uses: whether it is set.",
        examples=[{"semanticscholar": False}],
    )
    limits: str = Field(
        description='How often it is asked at most; "": as often as needed.',
        examples=["1 a second, 100 a day"],
    )
    seconds: Number | None = Field(
        description="Mean time of an answer in the last runs, in seconds; null: not asked lately."
    )


class Sources(ListDocument[Source]):
    """Every source of the registry."""


class SourceAnswer(Document):
    """How a source answered a test."""

    name: str = Field(description="Name of the source.")
    status: SourceStatus = Field(description="How it answered.")
    results: int = Field(description="Number of results.")
    why: str = Field(description='What went wrong; "" if nothing did.')
    seconds: Number = Field(description="Duration, in seconds.")
    remarks: tuple[str, ...] = Field(
        default=(), description="Paths under `results` that are empty in every result."
    )


class SourceAnswers(ListDocument[SourceAnswer]):
    """How sources answered a test."""

    @property
    def is_any_well(self) -> bool:
        return any(each.status in (SourceStatus.OK, SourceStatus.EMPTY) for each in self.root)


class SourceTest(Document):
    """How sources answered a test, and which were not asked."""

    answers: SourceAnswers = Field(description="The answers of the sources.")
    missing: dict[str, str] = Field(description="Name: why a source cannot answer.")
    only_documents: tuple[str, ...] = Field(description="Sources that only provide documents.")


def sources(app: App) -> Sources:
    """List every source of the registry, and why one is not queried."""
    states = {each.name: each for each in app.research.states(app.index.library)}
    latencies = _latencies(app)
    return Sources(
        tuple(
            Source(
                name=name,
                type=entry.type,
                on=states[name].is_on,
                why=states[name].why,
                description=entry.description,
                layers=entry.layers,
                cost_per_request=entry.cost.per_request,
                note=entry.note,
                keys={key: app.secrets.where(key) is not None for key in sorted(entry.keys)},
                limits=_limits(entry),
                seconds=latencies.get(name),
            )
            for name, entry in app.research.registry.items()
        )
    )


def _latencies(app: App) -> dict[str, float]:
    """Return the mean seconds of an answer of each source in the last runs."""
    seen: dict[str, list[float]] = {}
    for run in app.stores.runs.all(_RECENT_RUNS):
        for each in run.summary.get("sources", ()):
            if (seconds := each.get("seconds")) is not None:
                seen.setdefault(each["name"], []).append(seconds)
    return {name: round(fmean(values), 3) for name, values in seen.items()}


def _limits(entry: "Entry") -> str:
    """Return in words how often a source is asked."""
    rate = entry.rate
    limits = [
        f"{number:g} a {span}"
        for number, span in (
            (rate.per_second, "second"),
            (rate.minute, "minute"),
            (rate.day, "day"),
        )
        if number
    ]
    if rate.least_interval_seconds:
        limits.append(f"one every {rate.least_interval_seconds:g} s")
    return ", ".join(limits)


def test(app: App, request: SourceTestRequest, report: Reporter) -> SourceTest:
    """Query each source once. Raises SourceError if one is unknown or none is on."""
    chosen = (
        app.at_once(sources=request.names).sources if request.names else tuple(app.research.sources)
    )
    if not chosen:
        raise SourceError("no source is on; `lacuna sources list` says why")
    states = app.research.states(app.index.library)
    missing = {each.name: each.why for each in states if each.why and not each.is_on}
    asked = [
        (app.research.sources[name], app.research.registry[name].timeout_seconds) for name in chosen
    ]
    with report.step("sources") as progress:
        answers = asyncio.run(_ask_all(asked, request.query, progress))
    return SourceTest(
        answers=SourceAnswers(
            tuple(
                _document(each, _unfilled(app.research.registry[each.source], each))
                for each in answers
            )
        ),
        missing={name: missing[name] for name in chosen if name in missing},
        only_documents=tuple(each.name for each in states if each.is_on and not each.is_asked),
    )


def _unfilled(entry: "Entry", answer: Answer) -> tuple[str, ...]:
    """Name the paths of `results` that brought nothing, of several results."""
    if len(answer.hits) < _SEVERAL:
        return ()
    paths = {name: getattr(entry.results, name) for name in _FILLED}
    return tuple(
        f"no result has anything at `results.{name}` ({path})"
        for name, path in paths.items()
        if path and not any(getattr(hit, _FILLED[name]) for hit in answer.hits)
    )


def _document(answer: Answer, remarks: tuple[str, ...]) -> SourceAnswer:
    return SourceAnswer(
        name=answer.source,
        status=answer.status,
        results=len(answer.hits),
        why=answer.why,
        seconds=round(answer.seconds, 2),
        remarks=remarks,
    )


async def _ask_all(
    chosen: Sequence[tuple[Port, float]], query: str, progress: Progress
) -> list[Answer]:
    """Ask all sources at once; report how many have answered, and which are still to."""
    open_ = [source.name for source, _ in chosen]

    async def ask(source: Port, wait: float) -> Answer:
        answer = await _ask(source, query, wait)
        open_.remove(source.name)
        progress(len(chosen) - len(open_), len(chosen), f"waiting for {', '.join(open_)}")
        return answer

    progress(0, len(chosen), f"waiting for {', '.join(open_)}")
    return list(await asyncio.gather(*(ask(source, wait) for source, wait in chosen)))


async def _ask(source: Port, query: str, seconds: float) -> Answer:
    """Query as a run would: for at most the entry's `max_latency_ms`."""
    try:
        async with asyncio.timeout(seconds):
            return await source.search(query, limit=_RESULTS)
    except TimeoutError:
        why = f"no answer in {seconds:g} s"
        return Answer(source.name, query, SourceStatus.UNAVAILABLE, why=why, seconds=seconds)


SOURCES = of_all("sources", Sources, sources)
TEST = Command(
    name="sources-test",
    request=SourceTestRequest,
    document=SourceTest,
    carry_out=lambda work, request: test(work.app, request, work.report),
    needs_sync=False,
)
