"""Search the notes and fast sources in parallel, within seconds even if one hangs."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from daemon.agenda.domain import domain_of
from daemon.app import App
from daemon.composition import open_reader
from daemon.index.plain_text import plain
from daemon.index.search import Search
from daemon.model.clock import now
from daemon.model.errors import LacunaError, StoppedError
from daemon.model.evidence import Answer
from daemon.model.hook_event import Verdict
from daemon.ports import Source, Stop
from daemon.research.cited import cited_by_notes
from daemon.research.dedup import Offer
from daemon.research.hook_filters import Filters
from daemon.research.web_search import WebQuery, contradictions, excerpt, found_in
from daemon.usecases import client, writer
from daemon.usecases.background import Background
from daemon.usecases.search import SearchHit, SearchHits, SearchRequest, search
from daemon.usecases.web_search import (
    Contradiction,
    KnownHit,
    NoteHit,
    SearchedSource,
    WebHit,
    WebSearch,
    WebSearchRequest,
)
from vault_adapters.base import VaultError

T = TypeVar("T")
LAYER = "search"
MAX_LATENCY_MS = 5000  # of `max_latency_ms`: slower sources are not included
TIME_LIMIT = (
    4.2  # seconds from the command to its answer; starting and printing take the rest of five
)
_LAST_STEPS = 0.4  # seconds at the end for hooks and comparing
_REFRESH = 1.0  # seconds for updating the index
_READ = 5  # notes that are quoted, and compared with results


def web_search(app: App, request: WebSearchRequest, *, began: float = 0.0) -> WebSearch:
    """Search notes and sources at once. Raises LacunaError for a query without words.

    `began` is when the user asked, on the monotonic clock; default: now.
    """
    query = " ".join(request.query.split())
    if not any(map(str.isalnum, query)):
        raise LacunaError("nothing to search for: the query has no words")
    return _Searching(app, query, request.limit, began or time.monotonic()).run(now())


@dataclass(slots=True)
class _Notes:
    """The vault's part: hits, the texts of their notes, and a remark or ""."""

    hits: SearchHits
    texts: Mapping[str, str]
    remark: str = ""


class _Searching:
    """One search, with its time limit."""

    def __init__(self, app: App, query: str, limit: int, began: float) -> None:
        self._app, self._query, self._limit = app, query, limit
        self._began = began
        self._end = self._began + TIME_LIMIT
        self._asked_until = self._end - _LAST_STEPS
        self._stop = Stop()
        self._remarks: list[str] = []
        self._skipped: dict[str, str] = {}
        leaves_out = app.settings.hooks.on_failure == "drop"
        self._filters = Filters(app.notifying.hooks, leaves_out)

    def run(self, at: datetime) -> WebSearch:
        in_notes = Background(self._search_notes)
        cited = Background(lambda: self._cited(in_notes))
        answers = self._ask()
        offers = self._left(found_in(answers, self._query))
        notes = self._notes(in_notes)
        self._stop.is_requested = True
        known = self._known(cited, offers)
        new = [each for each in offers if each.ref not in known][: self._limit]
        opposed = contradictions([*notes.texts.items()], new, self._end)
        return WebSearch(
            query=self._query,
            at=at,
            notes=tuple(_note_hit(each, notes.texts, self._query) for each in notes.hits.root),
            new=tuple(_web_hit(each, self._query) for each in new),
            known=tuple(
                KnownHit(title=each.hit.title, url=each.hit.url, path=known[each.ref])
                for each in offers
                if each.ref in known
            ),
            contradictions=tuple(
                Contradiction(
                    path=each.path,
                    note_says=each.ours,
                    title=each.offer.hit.title,
                    url=each.offer.hit.url,
                    result_says=each.theirs,
                    kind="opposite" if each.is_opposed else "other figure",
                )
                for each in opposed
            ),
            sources=tuple(map(_searched, answers)),
            skipped=self._skipped,
            remarks=tuple(dict.fromkeys(filter(None, [notes.remark, *self._remarks]))),
            seconds=round(time.monotonic() - self._began, 2),
        )

    def _ask(self) -> list[Answer]:
        """Query the included sources, as far as hooks allow it."""
        choosing = Background(lambda: chosen(self._app, self._query))
        try:
            found = choosing.result(self._asked_until)
        except LacunaError as error:
            self._remarks.append(f"no source was asked: {error}")
            return []
        if found is None:
            self._remarks.append("no source was asked: the keys were not read in time")
            return []
        sources, self._skipped = found
        dropped = self._call_hooks(
            lambda: self._filters.search(self._query, list(sources), self._is_late), sources
        )
        self._skipped = {**self._skipped, **dropped}
        wanted = {name: each for name, each in sources.items() if name not in dropped}
        return WebQuery(wanted, self._query).answers(self._asked_until) if wanted else []

    def _left(self, offers: Sequence[Offer]) -> list[Offer]:
        dropped = self._call_hooks(
            lambda: self._filters.results(self._query, offers, self._is_late),
            [offer.ref for offer in offers],
        )
        return [offer for offer in offers if offer.ref not in dropped]

    def _call_hooks(self, ask: Callable[[], Verdict], ids: Iterable[str]) -> Mapping[str, str]:
        """Return what hooks remove; those that take too long count as failed."""
        try:
            verdict = ask()
        except StoppedError:
            self._remarks.append("a hook took too long")
            return dict.fromkeys(ids, "a hook took too long") if self._filters.leaves_out else {}
        self._remarks += verdict.remarks
        return verdict.dropped

    def _is_late(self) -> bool:
        return time.monotonic() >= self._end

    def _notes(self, in_notes: "Background[_Notes]") -> _Notes:
        """Return what the vault says; by words alone if the model is not ready in time."""
        try:
            found = in_notes.result(self._asked_until)
        except LacunaError as error:
            return _Notes(SearchHits(()), {}, f"your notes could not be searched: {error}")
        if found is not None:
            return found
        with open_reader(self._app) as app:
            by_words = Search(app.stores.notes, None, None).search(self._query, self._limit)
            hits = SearchHits.model_validate(
                [
                    {"path": e.path, "heading": e.heading, "score": e.score, "snippet": e.snippet}
                    for e in by_words
                ]
            )
            return _read(app, hits, "your notes were searched by words only: no time for meaning")

    def _search_notes(self) -> _Notes:
        """Have the daemon search, or search the current index here."""
        asked = {"query": self._query, "limit": self._limit}
        found = client.query(self._app.state, "search", {**asked, "like": None})
        remark = "" if found is not None else self._refresh()
        with open_reader(self._app) as app:
            if found is None:
                hits = search(app, SearchRequest(query=self._query, limit=self._limit))
            else:
                hits = SearchHits.model_validate(found)
            return _read(app, hits, remark)

    def _refresh(self) -> str:
        """Index the changes, as far as there is time for it."""
        timer = threading.Timer(_REFRESH, setattr, (self._stop, "asked", True))
        timer.daemon = True
        timer.start()
        try:
            silent = writer.Listener(lambda _event: None, lambda _line: None)
            return writer.refresh(self._app, self._stop, silent, embed=False, review=False).remark
        except StoppedError:
            return "the index is behind your notes: run `lacuna index`"
        except (LacunaError, VaultError) as error:
            return f"the index is as it was before: {error}"
        finally:
            timer.cancel()

    def _cited(self, in_notes: "Background[_Notes]") -> Mapping[str, str]:
        """Return what the notes cite, once the index contains the changes."""
        with suppress(LacunaError):
            in_notes.result(self._asked_until)
        with open_reader(self._app) as own:
            return cited_by_notes(own.stores.notes)

    def _known(
        self, cited: "Background[Mapping[str, str]]", offers: Sequence[Offer]
    ) -> dict[str, str]:
        """Return ref → the note that cites the offered document."""
        by_key = (cited.result(self._end - _LAST_STEPS / 2) if offers else None) or {}
        found = ((offer.ref, [key for key in offer.keys if key in by_key]) for offer in offers)
        return {ref: by_key[keys[0]] for ref, keys in found if keys}


def chosen(app: App, query: str) -> tuple[dict[str, tuple[Source, float]], dict[str, str]]:
    """Return the included sources with their time limits, and why others are not.

    Those for the domain of the question come first.
    """
    domain = domain_of([query])
    layer = [
        (name, entry)
        for name, entry in app.research.registry.items()
        if LAYER in entry.layers and entry.enabled and not entry.opt_in
    ]
    wanted = dict(sorted(layer, key=lambda each: domain not in each[1].domains))
    left_out = dict(app.research.excluded_sources)
    asked: dict[str, tuple[Source, float]] = {}
    skipped: dict[str, str] = {}
    for name, entry in wanted.items():
        if name in left_out:
            skipped[name] = left_out[name]
        elif entry.max_latency_ms >= MAX_LATENCY_MS:
            skipped[name] = f"max_latency_ms is {entry.max_latency_ms}, not under {MAX_LATENCY_MS}"
        elif name in app.research.sources:
            asked[name] = (app.research.sources[name], entry.timeout_seconds)
    return asked, skipped


def _read(app: App, hits: SearchHits, remark: str) -> _Notes:
    """Keep the hits that are the user's notes, and read their texts."""
    ours = app.index.knowledge.unaccepted_paths()
    kept = SearchHits(tuple(hit for hit in hits.root if hit.path not in ours))
    texts = {hit.path: _text(app, hit.path) for hit in kept.root[:_READ]}
    return _Notes(kept, texts, remark)


def _text(app: App, path: str) -> str:
    """Return what a reader sees of a note, with its paragraphs separated."""
    written = "\n\n".join(chunk.text for chunk in app.stores.notes.chunks(path))
    return "\n\n".join(map(plain, written.split("\n\n")))


def _note_hit(hit: SearchHit, texts: Mapping[str, str], query: str) -> NoteHit:
    name = hit.name or hit.path.rpartition("/")[2].removesuffix(".md")
    text = excerpt(texts.get(hit.path, ""), query) or hit.snippet
    return NoteHit(path=hit.path, name=name, heading=hit.heading, text=text)


def _web_hit(offer: Offer, query: str) -> WebHit:
    hit = offer.hit
    return WebHit(
        title=hit.title,
        url=hit.url,
        text=excerpt(hit.snippet, query),
        published=hit.published,
        authors=hit.authors,
        source_type=hit.source_type.value,
        sources=tuple(dict.fromkeys((hit.source, *offer.also_from))),
        figures=hit.figures,
    )


def _searched(answer: Answer) -> SearchedSource:
    return SearchedSource(
        name=answer.source,
        status=answer.status,
        results=len(answer.hits),
        why=answer.why,
        seconds=round(answer.seconds, 2),
    )
