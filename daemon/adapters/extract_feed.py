"""The entries of an RSS or Atom feed. Runs in the process that reads hostile documents."""

from io import BytesIO
from time import struct_time
from typing import Any

import feedparser

from daemon.model.errors import ExtractError

MAX_ENTRIES = 500
_MAX_TEXT_LENGTH, _MAX_NAME_LENGTH = 20_000, 2_000  # characters; an entry is an excerpt
_MAX_AUTHORS = 100


def extract_feed(body: bytes) -> list[dict[str, str | list[str]]]:
    """Return `url`, `title`, `text`, `authors` and `published` of each entry, as plain values.

    Raises ExtractError for anything that is not a complete feed.
    """
    # A stream, never the bytes themselves: feedparser treats bytes that look like a file name as
    # one.
    parsed = feedparser.parse(BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
    if not parsed.version:
        raise ExtractError("is not a feed")
    # A wrong encoding or content type in the headers says nothing about the feed itself.
    harmless = feedparser.CharacterEncodingOverride | feedparser.NonXMLContentType
    if parsed.bozo and not isinstance(parsed.bozo_exception, harmless):
        raise ExtractError("the answer is incomplete (not valid XML)")
    return [_entry(entry) for entry in parsed.entries[:MAX_ENTRIES]]


def _entry(entry: Any) -> dict[str, str | list[str]]:
    contents = entry.get("content")
    content = contents[0] if isinstance(contents, list) and contents else {}
    authors = entry.get("authors") or [entry.get("author")]
    return {
        "url": _web_address(entry.get("link")) or _web_address(entry.get("id")),
        "title": _text(entry.get("title"), _MAX_NAME_LENGTH),
        "text": _text(entry.get("summary") or content.get("value"), _MAX_TEXT_LENGTH),
        "authors": [_name(author) for author in authors[:_MAX_AUTHORS]],
        "published": _day(entry.get("published_parsed") or entry.get("updated_parsed")),
    }


def _web_address(address: object) -> str:
    found = _text(address, _MAX_NAME_LENGTH).strip()
    return found if found.startswith(("http://", "https://")) else ""


def _name(author: object) -> str:
    return _text(author.get("name") if isinstance(author, dict) else author, _MAX_NAME_LENGTH)


def _text(value: object, longest: int) -> str:
    return value[:longest] if isinstance(value, str) else ""


def _day(time: object) -> str:
    if not isinstance(time, struct_time):
        return ""
    return f"{time.tm_year:04d}-{time.tm_mon:02d}-{time.tm_mday:02d}"
