"""Look up the user's own documents in indexes: by DOI, arXiv id or title, once for each."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from daemon.adapters.sources.library import known_hit
from daemon.library.library import Library
from daemon.model.evidence import Hit, SourceStatus, SourceType
from daemon.ports import Extracted, RetrievedDocument, Source
from daemon.research.own_copy import is_copy_of
from daemon.store.evidence_json import hit_to_json

PATIENCE = 20.0  # seconds for all queries about one document
_RECORDS = 5  # records considered of each answer
_MIN_WORDS = 4  # words of a title that is worth a query
_WEB_PAGES = ("text/html", "application/xhtml+xml")


def _now() -> datetime:
    return datetime.now(UTC)


class LookUp:
    """Gets documents, and identifies the user's own ones.

    Sends a document's DOI, arXiv id or title, and only for documents that a run reads.
    """

    def __init__(
        self,
        get: Callable[[Hit], Awaitable[RetrievedDocument]],
        library: Library,
        indexes: Sequence[Source],
        *,
        clock: Callable[[], datetime] = _now,
        patience: float = PATIENCE,
    ) -> None:
        self._get = get
        self._library = library
        self._indexes = indexes
        self._clock = clock
        self._patience = patience

    async def __call__(self, hit: Hit) -> RetrievedDocument:
        """Get a document. Raises the errors of retrieval; a failed look-up changes nothing."""
        retrieved = await self._get(hit)
        if retrieved.via != "library" or hit.source_type is not SourceType.LIBRARY:
            return retrieved
        path = Path(url2pathname(urlsplit(hit.file).path))
        now = self._clock()
        record, document = self._library.record_of(path, now)
        if record is None and document is not None:
            try:
                async with asyncio.timeout(self._patience):
                    record = await self._find_record(retrieved)
            except TimeoutError:
                record = None
            if record is not None:
                self._library.store.record(document, record, now)
        return replace(retrieved, hit=known_hit(retrieved.hit, record)) if record else retrieved

    async def _find_record(self, retrieved: RetrievedDocument) -> str | None:
        """Return the matching record, "" if no index has one, None if no index could be queried."""
        is_web_page = retrieved.content_type in _WEB_PAGES
        has_answered = False
        for question in _queries(retrieved.hit, retrieved.extracted):
            for index in self._indexes:
                answer = await index.search(question, limit=_RECORDS)
                has_answered |= answer.status is not SourceStatus.UNAVAILABLE
                for record in answer.hits:
                    if is_copy_of(
                        retrieved.hit, retrieved.extracted.text, record, is_web_page=is_web_page
                    ):
                        return json.dumps(hit_to_json(replace(record, snippet="")))
        return "" if has_answered or not self._indexes else None


def _queries(hit: Hit, extracted: Extracted) -> list[str]:
    """Return the queries, most reliable first."""
    arxiv = f"10.48550/arxiv.{extracted.arxiv_id}" if extracted.arxiv_id else ""
    title = hit.title if len(hit.title.split()) >= _MIN_WORDS else ""
    return [each for each in (extracted.doi, arxiv, title) if each]
