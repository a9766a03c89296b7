"""The web, through Perplexity's search API: ranked pages, not written answers."""

from collections.abc import Iterable
from typing import ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import day_of, text_of, web_of
from daemon.adapters.sources.reply import data, plain, records
from daemon.model.evidence import Hit

MAX_RESULTS = 20


class PerplexitySource(ApiSource):
    """Sends the question to `{base_url}/search`."""

    kind: ClassVar[str] = "perplexity"
    needs_key = True

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        body = {"query": question, "max_results": min(limit, MAX_RESULTS)}
        headers = {"Authorization": f"Bearer {self.parts.key}"}
        found = records(data(await self.post("/search", body, headers)), "results")
        return [
            Hit(
                source=self.name,
                source_type=self.parts.entry.source_type,
                url=url,
                title=plain(record.get("title")) or url,
                snippet=text_of(record.get("snippet")),
                published=day_of(record.get("date") or record.get("last_updated")),
            )
            for record in found
            if (url := web_of(record.get("url")))
        ]
