"""Google Scholar, through SerpAPI."""

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import count_of, day_of, names_of, under, web_of
from daemon.adapters.sources.reply import data, parsed, plain, records
from daemon.model.evidence import Hit
from daemon.research.identifiers import doi_of

MAX_RESULTS = 20
_NOTHING = "hasn't returned any results"  # its error message for no results
_YEAR = re.compile(r"\b(?:19|20)\d{2}\b")


class SerpApiScholarSource(ApiSource):
    """Queries `{base_url}/search.json` with the engine `google_scholar`."""

    kind: ClassVar[str] = "serpapi_scholar"
    needs_key = True

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        params = {
            "engine": "google_scholar",
            "q": question,
            "num": str(min(limit, MAX_RESULTS)),
            "api_key": self.parts.key,
        }
        fetched = await self.get("/search.json", params)
        if _NOTHING in str(under(parsed(fetched), "error")):
            return ()
        hits = map(self._hit, records(data(fetched), "organic_results"))
        return [hit for hit in hits if hit.url]

    def _hit(self, record: dict[str, Any]) -> Hit:
        url = web_of(record.get("link"))
        summary = plain(under(record, "publication_info", "summary"))
        years = _YEAR.findall(summary)
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=url,
            title=plain(record.get("title")) or url,
            snippet=plain(record.get("snippet")),
            authors=_authors(record, summary),
            published=day_of(years[-1]) if years else "",
            doi=doi_of(url),
            citations=count_of(under(record, "inline_links", "cited_by", "total")),
            content_url=_copy(record.get("resources")),
        )


def _authors(record: dict[str, Any], summary: str) -> tuple[str, ...]:
    """Return all authors, from `A Marsh, B Shore… - Journal, 2020 - site`: the list has only those
    with a profile.
    """
    listed = names_of(under(record, "publication_info", "authors") or [], "name")
    before = summary.partition(" - ")[0].replace("…", "") if " - " in summary else ""
    return tuple(filter(None, (name.strip() for name in before.split(",")))) or listed


def _copy(resources: object) -> str:
    for each in resources if isinstance(resources, list) else ():
        if under(each, "file_format") == "PDF":
            return web_of(under(each, "link"))
    return ""
