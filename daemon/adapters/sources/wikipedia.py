"""Encyclopaedia articles, through MediaWiki's own search."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import day_of, text_of, under, web_of
from daemon.adapters.sources.reply import data, plain, records
from daemon.model.evidence import Hit

MAX_RESULTS = 20  # of which extracts are returned in one answer


class WikipediaSource(ApiSource):
    """Queries `{base_url}/w/api.php` for articles with their opening paragraphs.

    Another language, or another wiki, is another `base_url`.
    """

    kind: ClassVar[str] = "wikipedia"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        params = {
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "generator": "search",
            "gsrsearch": question,
            "gsrlimit": str(min(limit, MAX_RESULTS)),
            "prop": "extracts|info",
            "exintro": "1",
            "explaintext": "1",
            "exlimit": "max",
            "inprop": "url",
        }
        body = data(await self.get("/w/api.php", params))
        if "query" not in body and "batchcomplete" in body:
            return ()
        pages = records(body, "query", "pages")
        pages.sort(key=lambda page: _place(page.get("index")))
        return [hit for hit in map(self._hit, pages) if hit.url]

    def _hit(self, page: dict[str, Any]) -> Hit:
        url = web_of(under(page, "canonicalurl"), under(page, "fullurl"))
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=url,
            title=plain(page.get("title")) or url,
            snippet=text_of(page.get("extract")),
            published=day_of(page.get("touched")),
        )


def _place(index: object) -> int:
    return index if isinstance(index, int) else MAX_RESULTS
