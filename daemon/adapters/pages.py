"""Retrieve one page or copy by the first method that works: a reader, the site itself, the Internet
Archive.
"""

import asyncio
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from daemon.adapters.allowed_addresses import checked_url, origin_at
from daemon.adapters.robots import Robots
from daemon.adapters.sources.reply import error_line
from daemon.adapters.walls import wall_in
from daemon.model.errors import (
    DisallowedError,
    ExtractError,
    FetchError,
    RefusedError,
    SpentError,
    TooLargeError,
)
from daemon.model.evidence import NO_NETWORK, Answer, Hit, SourceStatus
from daemon.ports import Extractor, Fetched, Fetcher, RetrievedDocument, Source

_SECRET = re.compile(
    r"[?&;][^=&;]{0,60}(?:token|key|secret|passw|auth|session|signature|sig|credential)[^=&;]{0,60}=",
    re.IGNORECASE,
)
_CAPTURED = re.compile(r"/web/(\d{4})(\d{2})(\d{2})\d{6}")
_IMAGE = re.compile(r"!\[[^\]\[]{0,1000}\]\([^()\s]{0,4000}(?:\s\"[^\"]{0,1000}\")?\)")
_LINK = re.compile(r"\[([^\]\[]{1,1000})\]\([^()\s]{0,4000}(?:\s\"[^\"]{0,1000}\")?\)")


class SharedPages(Protocol):
    """Documents that the workers of a hub read."""

    async def get(self, hit: Hit, url: str) -> RetrievedDocument | None:
        """Return the document at an address, or None. Raises RefusedError."""
        ...


@dataclass(frozen=True, slots=True)
class Archive:
    """Sources of copies, and the fetcher."""

    source: Source
    fetcher: Fetcher


@dataclass(frozen=True, slots=True)
class Retrievers:
    """What retrieves a document: `fetcher` fetches from sites, as `robots` allows.

    `reader` reads a page remotely, `archive` has copies of pages, `copies` know open copies of
    works with a DOI, `shared` has what the workers of a hub read; each may be missing.
    """

    fetcher: Fetcher
    extractor: Extractor
    robots: Robots | None = None
    reader: Source | None = None
    archive: Archive | None = None
    copies: tuple[Source, ...] = ()
    shared: SharedPages | None = None


async def get_page(hit: Hit, url: str, retrievers: Retrievers) -> RetrievedDocument:
    """Read the page at `url` by the reader, or fetch it, or take its copy in the Internet Archive.

    Raises RefusedError, DisallowedError: then no other method is tried. Raises FetchError or
    ExtractError if every method fails.
    """
    is_private = _SECRET.search(url) is not None
    note = ""
    if (
        retrievers.reader is not None
        and not is_private
        and await _may_pass_on(url, retrievers.robots)
    ):
        try:
            return await _read_elsewhere(hit, url, retrievers.reader, retrievers.extractor)
        except (FetchError, ExtractError) as error:
            note = str(error)
    try:
        retrieved = await fetch_copy(hit, url, retrievers, via="direct")
    except (RefusedError, DisallowedError, TooLargeError, SpentError):
        raise
    except FetchError as error:
        if retrievers.archive is None or is_private:
            raise
        return await _from_archive(hit, url, retrievers.archive, retrievers.extractor, error)
    return replace(retrieved, note=note)


async def fetch_copy(hit: Hit, url: str, retrievers: Retrievers, *, via: str) -> RetrievedDocument:
    """Fetch `url` from its site and read it, unless a hub did. Raises FetchError, ExtractError."""
    if retrievers.shared is not None and _SECRET.search(url) is None:
        found = await retrievers.shared.get(hit, url)
        if found is not None:
            return replace(found, via=f"{via}, by the hub")
    if retrievers.robots is not None:
        await retrievers.robots.wait_turn(url)
    return await _read(hit, await retrievers.fetcher.get(url), retrievers.extractor, via)


async def _may_pass_on(url: str, robots: Robots | None) -> bool:
    """Return whether a reader may be sent to a page: it may not fetch what we may not.

    Raises RefusedError, DisallowedError.
    """
    checked_url(url)
    if robots is None:
        return True
    try:
        await robots.admit(url)
    except (RefusedError, DisallowedError):
        raise
    except FetchError:
        return False
    return True


async def _read_elsewhere(
    hit: Hit, url: str, reader: Source, extractor: Extractor
) -> RetrievedDocument:
    answer = await reader.search(url, limit=1)
    if answer.status is not SourceStatus.OK:
        raise FetchError(f"{reader.name}: {answer.why or 'found no text in the page'}")
    page = answer.hits[0]
    body = page.snippet.encode("utf-8", "replace")
    read = await asyncio.to_thread(extractor.extract, body, content_type="text/markdown", url=url)
    extracted = replace(
        read,
        text=_without_links(read.text),
        title=page.title or read.title,
        published=page.published or read.published,
    )
    if wall := wall_in(url, extracted, is_page=True):
        raise FetchError(f"{reader.name}: returned {wall} instead of the document")
    return RetrievedDocument(
        hit=hit,
        final_url=page.url,
        body=body,
        content_type="text/markdown",
        fetched_at=datetime.now(UTC),
        extracted=extracted,
        via=reader.name,
    )


async def _from_archive(
    hit: Hit, url: str, archive: Archive, extractor: Extractor, error: FetchError
) -> RetrievedDocument:
    """Take the archive's copy of a page that could not be retrieved because of `error`."""
    answer = await archive.source.search(url, limit=1)
    if answer.status is not SourceStatus.OK:
        raise _with_both_reasons(error, answer)
    copy = answer.hits[0]
    try:
        fetched = _captured(copy.content_url, await archive.fetcher.get(copy.content_url))
        retrieved = await _read(hit, fetched, extractor, "wayback")
    except (FetchError, ExtractError) as another:
        raise FetchError(f"{error}; its copy in the Internet Archive: {another}") from None
    day = _day(fetched.final_url) or copy.published
    note = f"a copy of {day} in the Internet Archive, because {error}"
    return replace(retrieved, via=f"wayback {day}", note=note)


def _captured(place: str, fetched: Fetched) -> Fetched:
    """Raises FetchError if the answer is not a capture: a message of the archive, or another
    site.
    """
    if origin_at(fetched.final_url) != origin_at(place):
        raise FetchError("it leads to another site")
    if fetched.status == 200 and "memento-datetime" not in fetched.headers:
        raise FetchError("the archive is not allowed to show it")
    return fetched


def _with_both_reasons(error: FetchError, answer: Answer) -> FetchError:
    """Add the archive's error, unless it only says that there is no network."""
    if answer.status is SourceStatus.EMPTY:
        return FetchError(f"{error}; the Internet Archive has no copy")
    if answer.why == NO_NETWORK:
        return error
    return FetchError(f"{error}; the Internet Archive: {answer.why}")


async def _read(hit: Hit, fetched: Fetched, extractor: Extractor, via: str) -> RetrievedDocument:
    if fetched.status != 200:
        raise FetchError(f"the site {error_line(fetched)}")
    read = await asyncio.to_thread(
        extractor.extract,
        fetched.body,
        content_type=fetched.headers.get("content-type", ""),
        url=fetched.final_url,
    )
    is_page = read.extracted_by == "trafilatura"
    if wall := wall_in(fetched.final_url, read, is_page=is_page):
        raise FetchError(f"{wall} came instead of the document")
    return RetrievedDocument(
        hit=hit,
        final_url=fetched.final_url,
        body=fetched.body,
        content_type=fetched.content_type,
        fetched_at=fetched.fetched_at,
        extracted=read,
        via=via,
    )


def _day(url: str) -> str:
    """Return the day of the capture in an archived page's address, or ""."""
    found = _CAPTURED.search(url)
    return "-".join(found.groups()) if found else ""


def _without_links(text: str) -> str:
    """Reduce Markdown links to their visible text, and remove images."""
    return _LINK.sub(r"\1", _IMAGE.sub("", text)).strip()
