"""Get the text of a hit: from the file, an open copy, the page, or else the source's own
summary.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from daemon.adapters.extract import EXTRACTOR_VERSION
from daemon.adapters.pages import Retrievers, fetch_copy, get_page
from daemon.library.library import Library
from daemon.library.library_files import media_type, read_capped
from daemon.model.errors import (
    ExtractError,
    FetchError,
    LacunaError,
    OfflineError,
    RefusedError,
    SlowError,
    SpentError,
)
from daemon.model.evidence import Hit, SourceStatus
from daemon.ports import Extracted, RetrievedDocument
from daemon.research.authority import is_at_its_place
from daemon.research.identity import is_record, site_of

MIN_ABSTRACT = 200  # characters
PATIENCE = 100.0  # seconds for all attempts at one document together

_Step = Callable[[], Awaitable[RetrievedDocument]]


def _now() -> datetime:
    return datetime.now(UTC)


async def get_document(
    hit: Hit,
    *,
    retrievers: Retrievers,
    library: Library | None,
    clock: Callable[[], datetime] = _now,
    patience: float = PATIENCE,
) -> RetrievedDocument:
    """Retrieve the document of a hit and its text: an open copy, or the page.

    If the document itself cannot be retrieved, a long enough summary replaces it, and the note
    shows this. Raises FetchError or ExtractError if there is no such summary, and RefusedError for
    an address that must not be fetched: a hit with such an address is not trusted in anything else
    either.
    """
    if hit.file:
        try:
            return await asyncio.to_thread(_from_library, hit, library, clock())
        except (FetchError, ExtractError) as error:
            if hit.url == hit.file or isinstance(error, RefusedError):
                raise
            hit = replace(hit, content_url="")  # deleted since: the web may still have it
    try:
        async with asyncio.timeout(patience):
            return await _from_web(hit, retrievers)
    except RefusedError:
        raise
    except TimeoutError:
        trouble: LacunaError = SlowError(f"not retrieved within {patience:g} s")
    except (FetchError, ExtractError) as error:
        trouble = error
    if len(" ".join(hit.snippet.split())) < MIN_ABSTRACT:
        raise trouble
    return _from_summary(hit, f"abstract only: {trouble}", clock())


async def _from_web(hit: Hit, retrievers: Retrievers) -> RetrievedDocument:
    """Try one retrieval method after the other until one succeeds. Raises the error of the failed
    ones.
    """
    troubles: list[FetchError | ExtractError] = []
    async for step in _steps(hit, retrievers):
        try:
            return _with_record(await step())
        except RefusedError:
            raise
        except (FetchError, ExtractError) as error:
            troubles.append(error)
    if len(troubles) == 1 or all(isinstance(each, OfflineError | SpentError) for each in troubles):
        raise troubles[0]
    raise FetchError("; ".join(dict.fromkeys(map(str, troubles))))


def _with_record(retrieved: RetrievedDocument) -> RetrievedDocument:
    """Raises FetchError if a record's address led to a site other than the work's."""
    if is_record(retrieved.hit) and not is_at_its_place(retrieved.hit, retrieved.final_url):
        raise FetchError(f"{site_of(retrieved.final_url)} was found instead of the document")
    return retrieved


async def _steps(hit: Hit, retrievers: Retrievers) -> AsyncIterator[_Step]:
    """Yield the copy that the source knows, the open copies that others know, and the page."""
    tried = {hit.url}
    via = "open copy" if hit.doi else "direct"
    if hit.content_url and hit.content_url not in tried:
        tried.add(hit.content_url)
        yield lambda: fetch_copy(hit, hit.content_url, retrievers, via=via)
    for source in retrievers.copies if hit.doi else ():
        answer = await source.search(hit.doi, limit=1)
        copy = answer.hits[0].content_url if answer.status is SourceStatus.OK else ""
        if copy and copy not in tried:
            tried.add(copy)
            yield partial(_claimed_copy, hit, copy, retrievers)
    yield lambda: get_page(hit, hit.url, retrievers)


async def _claimed_copy(hit: Hit, copy: str, retrievers: Retrievers) -> RetrievedDocument:
    """A forbidden address discredits the index that named it, not the hit."""
    try:
        # The index names the copy, so the work may be found there.
        return await fetch_copy(replace(hit, content_url=copy), copy, retrievers, via="open copy")
    except RefusedError as error:
        raise FetchError(str(error)) from None


def _from_library(hit: Hit, library: Library | None, now: datetime) -> RetrievedDocument:
    """Read a file of the library. Raises RefusedError for a path outside it."""
    if library is None:
        raise RefusedError("refused: a file, and no library folder is configured")
    path = _inside(hit.file, library)
    try:
        body = read_capped(path)
    except OSError as error:
        raise FetchError(f"{path.name}: {error.strerror or 'cannot be read'}") from None
    return RetrievedDocument(
        hit=hit,
        final_url=hit.file,
        body=body,
        content_type=media_type(path),
        fetched_at=now,
        extracted=library.extracted(path, body),
        via="library",
    )


def _inside(url: str, library: Library) -> Path:
    parts = urlsplit(url)
    path = Path(url2pathname(parts.path))
    if parts.netloc not in ("", "localhost") or not library.contains(path):
        raise RefusedError(f"refused: {path.name} is not in the library")
    return path


def _from_summary(hit: Hit, note: str, now: datetime) -> RetrievedDocument:
    text = hit.snippet.strip()
    summary = Extracted(
        text=text,
        extracted_by="abstract",
        title=hit.title,
        authors=hit.authors,
        published=hit.published,
        version=EXTRACTOR_VERSION,
    )
    return RetrievedDocument(
        hit=hit,
        final_url=hit.url,
        body=text.encode(),
        content_type="text/plain",
        fetched_at=now,
        extracted=summary,
        note=note,
    )
