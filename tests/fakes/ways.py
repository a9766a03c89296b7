"""The ways to a document, each a table; what was tried, in order."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from daemon.model.errors import FetchError
from daemon.model.evidence import Answer, Hit, SourceStatus, SourceType
from daemon.ports import Fetched
from tests.fakes.fetcher import answered

SENTENCE = "The tide turns twice a day, because the earth turns below the sea. "
PAGE = f"<html><title>Tides</title><article><p>{SENTENCE * 5}</p></article></html>".encode()


@dataclass
class Sites:
    """Answers by address: a body, a status, an error, or None for never. Others are not found."""

    pages: Mapping[str, bytes | int | FetchError | None]
    tried: list[str] = field(default_factory=list)
    label: str = "site"
    moved: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    async def get(
        self,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Fetched:
        self.tried.append(f"{self.label} {url}")
        found = self.pages.get(url, 404)
        if found is None:
            await asyncio.Event().wait()
            raise AssertionError
        if isinstance(found, FetchError):
            raise found
        body, status = (b"", found) if isinstance(found, int) else (found, 200)
        page = answered(self.moved.get(url, url), body, status=status, content_type="text/html")
        return replace(page, headers={**page.headers, **self.headers})

    async def post(
        self,
        url: str,
        *,
        body: Mapping[str, object],
        headers: Mapping[str, str] | None = None,
    ) -> Fetched:
        raise FetchError("nothing is posted to a page")


@dataclass
class LookUp:
    """A source that knows hits by question; what it does not know is `why`, or empty."""

    name: str
    tried: list[str]
    known: Mapping[str, Hit] = field(default_factory=dict)
    why: str = ""
    is_local: ClassVar[bool] = False

    async def search(self, query: str, *, limit: int) -> Answer:
        self.tried.append(f"{self.name} {query}")
        if query in self.known:
            return Answer(self.name, query, SourceStatus.OK, (self.known[query],))
        status = SourceStatus.UNAVAILABLE if self.why else SourceStatus.EMPTY
        return Answer(self.name, query, status, why=self.why)


def hit(url: str, **values: str) -> Hit:
    return Hit("arxiv", SourceType.PAPER, url, "Tides", **values)  # type: ignore[arg-type]
