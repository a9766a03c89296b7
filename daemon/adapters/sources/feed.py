"""What a site publishes of itself: RSS, Atom and JSON Feed."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from time import struct_time
from typing import Any, ClassVar

import numpy as np

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import day_of, names_of, text_of, under, web_of
from daemon.adapters.sources.reply import data, looks_like_html, plain, records, unavailable
from daemon.adapters.sources.words import WordIndex
from daemon.model.evidence import Hit
from daemon.ports import Fetched

MAX_ENTRIES = 500
COVERED = 0.5  # share of the question's words, by rarity, that an entry must hold
_SNIPPET = 1200  # characters


class FeedSource(ApiSource):
    """Reads the feed at `base_url` and keeps the entries that are about the question."""

    kind: ClassVar[str] = "feed"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        accept = {"Accept": "application/atom+xml, application/rss+xml, application/feed+json"}
        hits = list(self._hits(await self.get("", {}, accept)))[:MAX_ENTRIES]
        if not hits:
            return ()
        scores, covered = WordIndex([f"{hit.title}\n{hit.snippet}" for hit in hits]).score(question)
        best = np.argsort(-scores, kind="stable")
        return [hits[at] for at in best if covered[at] >= COVERED][:limit]

    def _hits(self, fetched: Fetched) -> Iterator[Hit]:
        read = _json_items if _is_json(fetched) else _xml_items
        for item in read(fetched):
            url = web_of(item["url"])
            if url:
                yield Hit(
                    source=self.name,
                    source_type=self.parts.entry.source_type,
                    url=url,
                    title=plain(item["title"]) or url,
                    snippet=text_of(item["text"])[:_SNIPPET],
                    authors=names_of(item["authors"], "name"),
                    published=day_of(item["published"]),
                )


def _is_json(fetched: Fetched) -> bool:
    return fetched.body[:200].lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))


def _json_items(fetched: Fetched) -> Iterator[dict[str, Any]]:
    body = data(fetched)
    if "jsonfeed.org/version" not in str(body.get("version")):
        raise unavailable("is not a feed")
    for item in records(body, "items"):
        yield {
            "url": web_of(item.get("url"), item.get("external_url"), item.get("id")),
            "title": item.get("title"),
            "text": item.get("summary") or item.get("content_text") or item.get("content_html"),
            "authors": item.get("authors") or [item.get("author")],
            "published": item.get("date_published") or item.get("date_modified"),
        }


def _xml_items(fetched: Fetched) -> Iterator[dict[str, Any]]:
    import feedparser  # noqa: PLC0415  50 ms that most starts have no use for

    if not fetched.body.strip():
        raise unavailable("answered nothing")
    if looks_like_html(fetched):
        raise unavailable("answered with a web page where a feed should be")
    # A stream, never the bytes themselves: feedparser opens bytes that could be a file's name.
    parsed = feedparser.parse(
        BytesIO(fetched.body), sanitize_html=False, resolve_relative_uris=False
    )
    if not parsed.version:
        raise unavailable("is not a feed")
    # A wrong encoding or content type in the headers says nothing about the feed itself.
    harmless = feedparser.CharacterEncodingOverride | feedparser.NonXMLContentType
    if parsed.bozo and not isinstance(parsed.bozo_exception, harmless):
        raise unavailable("the answer is not whole (not valid XML)")
    for entry in parsed.entries:
        yield {
            "url": web_of(entry.get("link"), entry.get("id")),
            "title": entry.get("title"),
            "text": entry.get("summary") or under(_one(entry.get("content")), "value"),
            "authors": entry.get("authors") or [entry.get("author")],
            "published": _written(entry.get("published_parsed") or entry.get("updated_parsed")),
        }


def _one(contents: object) -> object:
    return contents[0] if isinstance(contents, list) and contents else None


def _written(time: object) -> str:
    if not isinstance(time, struct_time):
        return ""
    return f"{time.tm_year:04d}-{time.tm_mon:02d}-{time.tm_mday:02d}"
