"""A newsroom's own archive, where it offers one as an API."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import day_of, text_of, web_of
from daemon.adapters.sources.reply import data, plain, records
from daemon.model.evidence import Hit

MAX_RESULTS = 100
_TAGS = (("Topics", "topic_tags"), ("Regions", "geography_tags"), ("Countries", "country_tags"))


class NewsroomSource(ApiSource):
    """Queries `{base_url}/articles?search&limit`; a key, if set, is sent as a bearer token."""

    kind: ClassVar[str] = "newsroom"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        params = {"search": question, "limit": str(min(limit, MAX_RESULTS))}
        headers = {"Accept": "application/json"}
        if self.parts.key:
            headers["Authorization"] = f"Bearer {self.parts.key}"
        body = data(await self.get("/articles", params, headers))
        return [hit for hit in map(self._hit, records(body, "articles")) if hit.url]

    def _hit(self, article: dict[str, Any]) -> Hit:
        url = web_of(article.get("url"))
        paper = plain(article.get("source"))
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=url,
            title=plain(article.get("headline")) or url,
            snippet="\n".join(_about(article)),
            authors=(paper,) if paper else (),
            published=day_of(article.get("date")),
        )


def _about(article: dict[str, Any]) -> Iterable[str]:
    if summary := text_of(article.get("summary")):
        yield summary
    for title, key in _TAGS:
        tags = article.get(key)
        if isinstance(tags, list) and tags:
            yield f"{title}: " + ", ".join(filter(None, map(plain, tags)))
