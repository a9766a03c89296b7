"""The web, through Jina's search."""

from collections.abc import Iterable
from typing import ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import text_of, web_of
from daemon.adapters.sources.reply import data, plain, records, unavailable
from daemon.model.evidence import Hit

_SNIPPET = 1000  # characters of a page's text


class JinaSource(ApiSource):
    """Queries `{base_url}/?q=` for results as data, without the pages' whole text."""

    kind: ClassVar[str] = "jina"
    needs_key = True

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        headers = {
            "Accept": "application/json",
            "Authorization": f"Bearer {self.parts.key}",
            "X-Respond-With": "no-content",
        }
        body = data(await self.get("/", {"q": question}, headers))
        if body.get("code", 200) != 200:
            raise unavailable(f"reports an error: {plain(body.get('message'))[:200]}")
        return [
            self.page(
                url,
                record.get("title"),
                text_of(record.get("description") or record.get("content"))[:_SNIPPET],
                record.get("publishedTime") or record.get("date"),
            )
            for record in records(body, "data")[:limit]
            if (url := web_of(record.get("url")))
        ]
