"""DuckDuckGo's instant answers: definitions, not a web search."""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import text_of, web_of
from daemon.adapters.sources.reply import data, plain, unavailable
from daemon.model.evidence import Hit

_SECTIONS = ("Results", "RelatedTopics")


class DuckDuckGoSource(ApiSource):
    """Queries `{base_url}/` for the one answer and its related topics."""

    kind: ClassVar[str] = "duckduckgo"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        params = {
            "q": question,
            "format": "json",
            "no_html": "1",
            "skip_disambig": "1",
            "t": "lacuna",
        }
        body = data(await self.get("/", params))
        if "AbstractURL" not in body and "RelatedTopics" not in body:
            raise unavailable("the answer does not have the expected form")
        return list(self._hits(body))[:limit]

    def _hits(self, body: dict[str, Any]) -> Iterator[Hit]:
        if url := web_of(body.get("AbstractURL")):
            yield self._hit(url, plain(body.get("Heading")), text_of(body.get("AbstractText")))
        for section in _SECTIONS:
            for topic in _flat(body.get(section)):
                if url := web_of(topic.get("FirstURL")):
                    text = plain(topic.get("Text"))
                    yield self._hit(url, text.partition(" - ")[0][:200], text)

    def _hit(self, url: str, title: str, text: str) -> Hit:
        kind = self.parts.entry.source_type
        return Hit(source=self.name, source_type=kind, url=url, title=title or url, snippet=text)


def _flat(topics: object) -> Iterator[dict[str, Any]]:
    """Iterate over topics, and over the groups of topics among them."""
    for each in topics if isinstance(topics, list) else ():
        if isinstance(each, dict):
            yield each
            inner = each.get("Topics")
            yield from (
                (one for one in inner if isinstance(one, dict)) if isinstance(inner, list) else ()
            )
