"""The user's own documents: searched by words and embeddings in their local index."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Self

from daemon.adapters.sources.source_parts import Parts
from daemon.library.library import Library, LibraryProgress
from daemon.library.library_search import Found
from daemon.model.errors import SourceError, StoreError
from daemon.model.evidence import Answer, Hit, SourceStatus, SourceType
from daemon.ports import Source
from daemon.store.evidence_json import hit_from_json

SNIPPET = 1200  # characters
_Search = Callable[[], tuple[list[Found], str]]


class LibrarySource(Source):
    """Answers from what is indexed so far: reads and embeds nothing for a query."""

    kind: ClassVar[str] = "library"
    needs_key: ClassVar[bool] = False
    is_local = True

    def __init__(self, name: str, library: Library) -> None:
        self._name = name
        self._library = library

    @classmethod
    def build(cls, parts: Parts) -> Self:
        """Raises SourceError if no library is configured."""
        if parts.library is None:
            raise SourceError("no library folder is configured")
        return cls(parts.name, parts.library)

    @property
    def name(self) -> str:
        return self._name

    async def search(self, query: str, *, limit: int) -> Answer:
        search = partial(self._library.search, query, limit)
        return await asyncio.to_thread(self._search, query, search)

    async def search_passages(self, queries: Sequence[str], *, limit: int) -> Answer:
        search = partial(self._library.search_passages, queries, limit)
        return await asyncio.to_thread(self._search, queries[0], search)

    def _search(self, query: str, search: _Search) -> Answer:
        began = time.monotonic()
        try:
            status, hits, why = self._answer(search)
        except StoreError as error:
            status, hits, why = SourceStatus.UNAVAILABLE, (), str(error)
        return Answer(self.name, query, status, hits, why, time.monotonic() - began, requests=0)

    def _answer(self, search: _Search) -> tuple[SourceStatus, tuple[Hit, ...], str]:
        progress = self._library.progress()
        counts = progress.counts
        if not counts.files:
            return _no_results(self._library, progress)
        if counts.unread == counts.files:
            return SourceStatus.UNAVAILABLE, (), self._unread(counts.unread)
        found, trouble = search()
        hits = tuple(map(_hit, found))
        if not progress.is_read:
            read = counts.files - counts.due
            why = f"{read} of {counts.files} documents indexed so far"
            return SourceStatus.DEGRADED, hits, why
        if trouble := trouble or progress.trouble:
            return SourceStatus.DEGRADED, hits, f"searched by words only: {trouble}"
        if self._library.embeds and not progress.is_whole:
            some = f"{counts.embedded} of {counts.documents} documents embedded so far"
            return SourceStatus.DEGRADED, hits, f"searched by words; {some}"
        return (SourceStatus.OK if hits else SourceStatus.EMPTY), hits, self._unread(counts.unread)

    def _unread(self, count: int) -> str:
        """Return how many documents could not be read, and name the first."""
        first = self._library.store.troubles(1)
        if not first:
            return ""
        path, why = first[0]
        more = f", and {count - 1} more" if count > 1 else ""
        return f"could not read {Path(path).name}: {why}{more}"


def own_hit(found: Found, source: str = LibrarySource.kind) -> Hit:
    """Return a document's metadata: a claim, which gives it no identity and no weight."""
    document, about = found.document, found.document.about
    file = Path(document.path).as_uri()
    arxiv = str(about.get("arxiv_id", ""))
    url = str(about.get("url", "")) or (f"https://arxiv.org/abs/{arxiv}" if arxiv else file)
    return Hit(
        source=source,
        source_type=SourceType.LIBRARY,
        url=url,
        title=document.title,
        snippet=found.passage[:SNIPPET],
        authors=tuple(map(str, about.get("authors", ()))),
        published=str(about.get("published", "")),
        content_url="" if url == file else file,
        venue=str(about.get("venue", "")) or ("arXiv" if arxiv else ""),
        publisher=str(about.get("publisher", "")),
        passages=found.places,
    )


def known_hit(own: Hit, record: str) -> Hit:
    """Return a hit from an index's record, with the user's file as its text."""
    if not record:
        return own
    known = hit_from_json(json.loads(record))
    return replace(
        known,
        source=own.source,
        snippet=own.snippet,
        content_url=own.file,
        passages=own.passages,
        venue=known.venue or own.venue,
        publisher=known.publisher or own.publisher,
        authors=known.authors or own.authors,
    )


def _hit(found: Found) -> Hit:
    return known_hit(own_hit(found), found.document.record)


def _no_results(
    library: Library, progress: LibraryProgress
) -> tuple[SourceStatus, tuple[Hit, ...], str]:
    if progress.missing:
        return SourceStatus.UNAVAILABLE, (), f"there is no folder {progress.missing[0]}"
    return SourceStatus.EMPTY, (), f"no documents in {', '.join(map(str, library.roots))}"
