"""A site's own publications: RSS, Atom and JSON Feed."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import day_of, names_of, text_of, web_of
from daemon.adapters.sources.reply import data, plain, records, unavailable
from daemon.adapters.sources.word_index import WordIndex
from daemon.model.evidence import Hit
from daemon.ports import Fetched

MAX_ENTRIES = 500
COVERED = 0.5  # share, weighted by rarity, of the query's words that an entry must contain
_SNIPPET = 1200  # characters


class FeedSource(ApiSource):
    """Reads the feed at `base_url` and keeps the entries that match the query."""

    kind: ClassVar[str] = "feed"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        accept = {"Accept": "application/atom+xml, application/rss+xml, application/feed+json"}
        hits = list(self._hits(await self._items(await self.get("", {}, accept))))[:MAX_ENTRIES]
        if not hits:
            return ()
        scores, covered = WordIndex([f"{hit.title}\n{hit.snippet}" for hit in hits]).score(question)
        best = np.argsort(-scores, kind="stable")
        return [hits[at] for at in best if covered[at] >= COVERED][:limit]

    async def _items(self, fetched: Fetched) -> Iterable[Mapping[str, Any]]:
        """Return the entries; XML is parsed in a process that can be killed."""
        if _is_json(fetched):
            return list(_json_items(fetched))
        if not fetched.body.strip():
            raise unavailable("answered nothing")
        return [each.fields for each in await self.records(fetched, "feed")]

    def _hits(self, items: Iterable[Mapping[str, Any]]) -> Iterator[Hit]:
        for item in items:
            url = web_of(item.get("url"))
            if url:
                yield Hit(
                    source=self.name,
                    source_type=self.parts.entry.source_type,
                    url=url,
                    title=plain(item.get("title")) or url,
                    snippet=text_of(item.get("text"))[:_SNIPPET],
                    authors=names_of(item.get("authors"), "name"),
                    published=day_of(item.get("published")),
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
