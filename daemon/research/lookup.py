"""Query each citation index about each work once, and store the answers."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from daemon.model.citations import Citations
from daemon.model.evidence import Hit, SourceStatus
from daemon.ports import CitationIndex, Source
from daemon.research.follow import Work
from daemon.research.followed import query_for
from daemon.research.patience import Patience, error_line
from daemon.research.screen import screen_result
from daemon.store.evidence import RunFolder

_SNIPPET = 1500  # characters of the abstract of a work that a citation led to
_log = logging.getLogger(__name__)


class CitationLookups:
    """One run's queries to citation indexes; an unavailable one is not queried again."""

    def __init__(
        self, sources: Mapping[str, Source], patience: Patience, folder: RunFolder, limit: int
    ) -> None:
        self._sources = sources
        self._patience = patience
        self._folder = folder
        self._limit = limit
        self._asked: dict[tuple[str, str], asyncio.Future[None]] = {}
        self._down: dict[str, str] = {}  # why, by name

    async def get(self, work: Work, name: str) -> None:
        """Store an index's answer about a work's citations in the folder. Raises StoreError."""
        key = (work.key, name)
        if key not in self._asked:
            self._asked[key] = asyncio.ensure_future(self._ask(work, name))
        await self._asked[key]

    def cancel(self) -> None:
        """Stop waiting for indexes; waiting callers are cancelled."""
        for each in self._asked.values():
            each.cancel()

    async def _ask(self, work: Work, name: str) -> None:
        citations = await self._request(work, name)
        if citations.status is SourceStatus.UNAVAILABLE:
            self._down.setdefault(name, citations.why)
        record = replace(
            citations,
            source=name,
            work=work.key,
            references=_screened(citations.references[: self._limit]),
            citing=_screened(citations.citing[: self._limit]),
        )
        await asyncio.to_thread(self._folder.citations.add, record)

    async def _request(self, work: Work, name: str) -> Citations:
        """Send the query; any error is that index's answer."""
        none = Citations(name, work.key, SourceStatus.UNAVAILABLE, requests=0)
        index: object = self._sources.get(name)
        if name in self._down:
            return replace(none, why=self._down[name])
        if self._patience.is_over(name):
            return replace(none, why=self._patience.too_late(name))
        if not isinstance(index, CitationIndex):
            return replace(none, why="not set up")
        try:
            request = index.citations(query_for(work), limit=self._limit)
            return await self._patience.wait(name, request)
        except TimeoutError:
            return replace(none, why=self._patience.too_late(name), requests=1)
        except Exception as error:  # noqa: BLE001  # one index must not end the run
            _log.warning("citations from %s failed", name, exc_info=error)
            return replace(none, why=error_line(error), requests=1)


def _screened(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    screened = map(screen_result, hits)
    return tuple(replace(hit, snippet=hit.snippet[:_SNIPPET]) for hit in screened)
