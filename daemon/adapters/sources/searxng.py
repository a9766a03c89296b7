"""The web and more, through the user's own SearXNG."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource, Found
from daemon.adapters.sources.record import day_of, doi_of, first, names_of, text_of, web_of
from daemon.adapters.sources.reply import data, plain, records
from daemon.model.evidence import Hit, SourceType


class SearxngSource(ApiSource):
    """Queries `{base_url}/search` for JSON, which its settings.yml must allow (otherwise it answers
    403).

    If engines behind it did not answer, the answer is degraded, never empty.
    """

    kind: ClassVar[str] = "searxng"

    async def find(self, question: str, limit: int) -> Found:
        params = {"q": question, "format": "json", "pageno": "1"}
        body = data(await self.get("/search", params))
        hits = tuple(hit for hit in map(self._hit, records(body, "results")) if hit.url)
        return Found(hits[:limit], _silent(body.get("unresponsive_engines")))

    def _hit(self, record: dict[str, Any]) -> Hit:
        url = web_of(record.get("url"))
        return Hit(
            source=self.name,
            source_type=_type(record, self.parts.entry.source_type),
            url=url,
            title=plain(record.get("title")) or url,
            snippet=text_of(record.get("content")),
            authors=names_of(record.get("authors") or [], "name"),
            published=day_of(record.get("publishedDate")),
            doi=doi_of(record.get("doi")),
            content_url=web_of(record.get("pdf_url")),
        )


def _type(record: dict[str, Any], default: SourceType) -> SourceType:
    return SourceType.NEWS if record.get("category") == "news" else default


def _silent(engines: object) -> str:
    """List the engines that did not answer, with the reason, or return ""."""
    listed: Iterable[object] = engines if isinstance(engines, list) else ()
    hits = [
        f"{plain(first(each))} ({plain(each[1])})"
        for each in listed
        if isinstance(each, list) and len(each) > 1
    ]
    return f"engines that did not answer: {', '.join(hits)}"[:250] if hits else ""
