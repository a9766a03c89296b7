"""The web, through Exa's search API."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import day_of, text_of, web_of
from daemon.adapters.sources.reply import data, plain, records
from daemon.model.evidence import Hit

MAX_RESULTS = 100
_SNIPPET = 1000  # characters of a page's text


class ExaSource(ApiSource):
    """Sends the query to `{base_url}/search` and requests passages that answer it."""

    kind: ClassVar[str] = "exa"
    needs_key = True

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        body = {
            "query": question,
            "numResults": min(limit, MAX_RESULTS),
            "contents": {"highlights": True},
        }
        found = data(await self.post("/search", body, {"x-api-key": self.parts.key}))
        hits = map(self._hit, records(found, "results"))
        return [hit for hit in hits if hit.url]

    def _hit(self, record: dict[str, Any]) -> Hit:
        url = web_of(record.get("url"), record.get("id"))
        author = plain(record.get("author"))
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=url,
            title=plain(record.get("title")) or url,
            snippet=_snippet(record),
            authors=(author,) if author else (),
            published=day_of(record.get("publishedDate")),
        )


def _snippet(record: dict[str, Any]) -> str:
    passages = record.get("highlights")
    if isinstance(passages, list) and passages:
        return "\n".join(filter(None, map(text_of, passages)))
    return text_of(record.get("summary")) or text_of(record.get("text"))[:_SNIPPET]
