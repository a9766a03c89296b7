"""A source that answers from a table; late or wrongly if requested."""

import asyncio
from collections.abc import Mapping, Sequence

from daemon.model.evidence import Answer, Hit, SourceStatus
from daemon.ports import Source


class FakeSource(Source):
    """Remembers the queries it was asked in `asked`; `hangs` until `release` is set."""

    def __init__(
        self,
        name: str = "fake",
        hits: Sequence[Hit] = (),
        *,
        by_query: Mapping[str, Sequence[Hit]] | None = None,
        status: SourceStatus | None = None,
        why: str = "",
        error: Exception | None = None,
        hangs: bool = False,
    ) -> None:
        self._name = name
        self._hits = tuple(hits)
        self._by_query = by_query
        self._status = status
        self._why = why
        self._error = error
        self._hangs = hangs
        self.asked: list[str] = []

    @property
    def name(self) -> str:
        return self._name

    async def search(self, query: str, *, limit: int) -> Answer:
        self.asked.append(query)
        if self._hangs:
            await asyncio.Event().wait()
        if self._error is not None:
            raise self._error
        hits = self._hits if self._by_query is None else self._by_query.get(query, ())
        status = self._status or (SourceStatus.OK if hits else SourceStatus.EMPTY)
        return Answer(self._name, query, status, tuple(hits)[:limit], self._why)
