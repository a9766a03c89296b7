"""The shared base of all sources behind an HTTP API: from a query to an answer, with every
failure.
"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import ClassVar, Self

from daemon.adapters.sources.rate_limiter import RateLimiter
from daemon.adapters.sources.record import day_of
from daemon.adapters.sources.redact import Redactor
from daemon.adapters.sources.reply import (
    TroubleError,
    ask,
    looks_like_html,
    plain,
    send,
    unavailable,
    unreached,
)
from daemon.adapters.sources.source_parts import Parts
from daemon.model.errors import ExtractError, OfflineError, RefusedError, SourceError, SpentError
from daemon.model.evidence import Answer, Hit, SourceStatus
from daemon.ports import Fetched, Record, Source


@dataclass(frozen=True, slots=True)
class Found:
    """An API's answer. `missing` says what is missing from it, or is empty."""

    hits: tuple[Hit, ...]
    missing: str = ""


@dataclass(slots=True)
class RequestCount:
    """How many requests one query has sent so far."""

    requests: int = 0


_SENT: ContextVar[RequestCount] = ContextVar("sent")
_UNSENT = (RefusedError, OfflineError, SpentError)


class ApiSource(Source, ABC):
    """Queries an API at `base_url`. A subclass has a `kind` and implements `find`.

    Removes the source's own key from every answer.
    """

    kind: ClassVar[str]
    needs_key: ClassVar[bool] = False
    longest: ClassVar[int] = 300  # characters of a query
    most_words: ClassVar[int] = 40

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._line = RateLimiter(
            parts.name,
            parts.entry.rate,
            parts.uses,
            check=self._check,
            clock=parts.clock,
            sleep=parts.sleep,
        )
        self._redactor = Redactor(parts.key, *parts.keys.values())

    @classmethod
    def build(cls, parts: Parts) -> Self:
        """Raises SourceError if the address or the key is missing."""
        if not parts.entry.base_url:
            raise SourceError("base_url is missing in sources.yaml")
        if cls.needs_key and not parts.key:
            raise SourceError(f"no key: lacuna secrets set {parts.entry.api_key}")
        return cls(parts)

    @property
    def name(self) -> str:
        return self.parts.name

    @abstractmethod
    async def find(self, question: str, limit: int) -> Found | Iterable[Hit]:
        """Return at most `limit` results. Raises TroubleError."""
        ...

    async def search(self, query: str, *, limit: int) -> Answer:
        began = time.monotonic()
        sent = self.counting()
        try:
            question = shorten(query, self.longest, self.most_words)
            if not any(character.isalnum() for character in question):
                raise unavailable("the query has no words")
            found = await self.find(question, max(1, limit))
            result = found if isinstance(found, Found) else Found(tuple(found))
            hits, why, status = result.hits[:limit], result.missing, _status(result)
        except TroubleError as trouble:
            hits, why, status = (), trouble.why, trouble.status
        hits, why = self.without_key(hits, why)
        seconds = time.monotonic() - began
        return Answer(self.name, query, status, hits, why, seconds, sent.requests)

    def page(self, url: str, title: object, snippet: str, published: object) -> Hit:
        """Return a result that is a page; its address stands for a missing title."""
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=url,
            title=plain(title) or url,
            snippet=snippet,
            published=day_of(published),
        )

    def counting(self) -> RequestCount:
        """Count the requests of a new query from here on."""
        sent = RequestCount()
        _SENT.set(sent)
        return sent

    def without_key(self, hits: Iterable[Hit], why: str) -> tuple[tuple[Hit, ...], str]:
        """Remove this source's own key from its answer."""
        return tuple(map(self._redactor.hit, hits)), self._redactor.text(why)

    async def get(
        self,
        path: str,
        params: Mapping[str, str],
        headers: Mapping[str, str] | None = None,
        *,
        base_url: str = "",
    ) -> Fetched:
        """Send GET to `base_url` + `path` when the rate limit allows. Raises TroubleError.

        `base_url` defaults to the entry's own.
        """
        url = (base_url or self.parts.entry.base_url) + path
        return await self._send(lambda: ask(self.parts.fetcher, url, params, headers or {}))

    async def post(
        self,
        path: str,
        body: Mapping[str, object],
        headers: Mapping[str, str],
        *,
        base_url: str = "",
    ) -> Fetched:
        """Send `body` as JSON to `base_url` + `path`, when it is time. Raises TroubleError.

        `base_url` is the entry's own when it is not given.
        """
        url = (base_url or self.parts.entry.base_url) + path
        return await self._send(lambda: send(self.parts.fetcher, url, body, headers))

    async def records(self, fetched: Fetched, form: str) -> Sequence[Record]:
        """Return the records of an XML answer, parsed in the process for hostile documents.

        Raises TroubleError.
        """
        if looks_like_html(fetched):
            raise unavailable("answered with a web page instead of data")
        try:
            return await asyncio.to_thread(self.parts.extractor.records, fetched.body, form)
        except ExtractError as error:
            raise unavailable(str(error)) from None

    def _check(self) -> None:
        """Raises TroubleError if a budget is used up, before anything waits."""
        try:
            if self.parts.meter is not None:
                self.parts.meter.check()
        except SpentError as error:
            raise unreached(error) from error

    async def _send(self, request: Callable[[], Awaitable[Fetched]]) -> Fetched:
        """Send it when the rate limit allows, and count what was actually sent."""
        sent = _SENT.get()

        async def counted() -> Fetched:
            try:
                fetched = await request()
            except TroubleError as trouble:
                # Its context is the gate's error: the gate raises these before anything is sent.
                sent.requests += not isinstance(trouble.__context__, _UNSENT)
                raise
            sent.requests += 1
            return fetched

        return self._redactor.fetched(await self._line.send(counted))


def shorten(query: str, characters: int, most_words: int) -> str:
    """Truncate a query between words to an API's limit; invalid text is removed."""
    text = query.encode("utf-8", "ignore").decode()
    words = "".join(each if each.isprintable() else " " for each in text).split()[:most_words]
    while len(words) > 1 and len(" ".join(words)) > characters:
        words.pop()
    return " ".join(words)[:characters]


def _status(found: Found) -> SourceStatus:
    if found.missing:
        return SourceStatus.DEGRADED
    return SourceStatus.OK if found.hits else SourceStatus.EMPTY
