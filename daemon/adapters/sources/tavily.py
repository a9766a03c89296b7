"""The web, through Tavily's search API."""

from collections.abc import Iterable
from typing import ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import text_of, web_of
from daemon.adapters.sources.reply import data, records
from daemon.model.evidence import Hit, SourceType

MAX_RESULTS = 20


class TavilySource(ApiSource):
    """Sends the query to `{base_url}/search`; never requests its own summary."""

    kind: ClassVar[str] = "tavily"
    needs_key = True
    longest = 400

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        is_news = self.parts.entry.source_type is SourceType.NEWS
        body = {
            "query": question,
            "max_results": min(limit, MAX_RESULTS),
            "search_depth": "basic",
            "topic": "news" if is_news else "general",
            "include_answer": False,
        }
        headers = {"Authorization": f"Bearer {self.parts.key}"}
        found = records(data(await self.post("/search", body, headers)), "results")
        return [
            self.page(
                url,
                record.get("title"),
                text_of(record.get("content")),
                record.get("published_date"),
            )
            for record in found
            if (url := web_of(record.get("url")))
        ]
