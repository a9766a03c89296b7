"""From a hit to its text: the file, the page or the PDF, or else the source's own summary."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from daemon.adapters.sources.reply import in_words
from daemon.adapters.sources.shelf import media_type, read_capped
from daemon.adapters.walls import what_stands_before
from daemon.model.errors import ExtractError, FetchError, RefusedError
from daemon.model.evidence import Hit
from daemon.ports import Extracted, Extractor, Fetcher, Got

MIN_ABSTRACT = 200  # characters


def _now() -> datetime:
    return datetime.now(UTC)


async def get_document(
    hit: Hit,
    *,
    fetcher: Fetcher,
    extractor: Extractor,
    library_root: Path | None,
    clock: Callable[[], datetime] = _now,
) -> Got:
    """Get what a hit points to, and its text.

    When the document itself cannot be had, a long enough summary stands in for it, and the note
    says so. Raises FetchError or ExtractError when there is not even that, and RefusedError for
    an address that must not be fetched: what points there is not believed in the rest either.
    """
    if hit.url.startswith("file:"):
        return await asyncio.to_thread(_from_library, hit, extractor, library_root, clock())
    try:
        return await _from_web(hit, fetcher, extractor)
    except RefusedError:
        raise
    except (FetchError, ExtractError) as error:
        summary = " ".join(hit.snippet.split())
        if len(summary) < MIN_ABSTRACT:
            raise
        return _from_summary(hit, f"abstract only: {error}", clock())


async def _from_web(hit: Hit, fetcher: Fetcher, extractor: Extractor) -> Got:
    fetched = await fetcher.get(hit.content_url or hit.url)
    if fetched.status != 200:
        raise FetchError(f"the site {in_words(fetched)}")
    read = await asyncio.to_thread(
        extractor.extract,
        fetched.body,
        content_type=fetched.headers.get("content-type", ""),
        url=fetched.final_url,
    )
    if wall := what_stands_before(fetched, read):
        raise FetchError(f"{wall} came instead of the document")
    return Got(
        hit=hit,
        final_url=fetched.final_url,
        body=fetched.body,
        content_type=fetched.content_type,
        fetched_at=fetched.fetched_at,
        extracted=read,
    )


def _from_library(hit: Hit, extractor: Extractor, library_root: Path | None, now: datetime) -> Got:
    """Read a file of the library. Raises RefusedError for one that is not inside it."""
    path = _inside(hit.url, library_root)
    try:
        body = read_capped(path)
    except OSError as error:
        raise FetchError(f"{path.name}: {error.strerror or 'cannot be read'}") from None
    media = media_type(path)
    return Got(
        hit=hit,
        final_url=hit.url,
        body=body,
        content_type=media,
        fetched_at=now,
        extracted=extractor.extract(body, content_type=media, url=hit.url),
    )


def _inside(url: str, library_root: Path | None) -> Path:
    if library_root is None:
        raise RefusedError("refused: a file, and no library folder is set")
    parts = urlsplit(url)
    path = Path(url2pathname(parts.path))
    root = library_root.resolve()
    if parts.netloc not in ("", "localhost") or not path.resolve().is_relative_to(root):
        raise RefusedError(f"refused: {path.name} is not in the library folder")
    return path


def _from_summary(hit: Hit, note: str, now: datetime) -> Got:
    text = hit.snippet.strip()
    summary = Extracted(
        text=text,
        extracted_by="abstract",
        title=hit.title,
        authors=hit.authors,
        published=hit.published,
    )
    return Got(
        hit=hit,
        final_url=hit.url,
        body=text.encode(),
        content_type="text/plain",
        fetched_at=now,
        extracted=summary,
        note=note,
    )
