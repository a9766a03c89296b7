"""Open-access papers from repositories worldwide, through CORE."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import (
    count_of,
    day_of,
    doi_of,
    doi_page,
    first,
    names_of,
    web_of,
)
from daemon.adapters.sources.reply import data, plain, records
from daemon.adapters.sources.word_index import terms
from daemon.model.evidence import Hit

MAX_RESULTS = 100


class CoreSource(ApiSource):
    """Queries `{base_url}/v3/search/works/`."""

    kind: ClassVar[str] = "core"
    needs_key = True

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        params = {"q": " ".join(terms(question)), "limit": str(min(limit, MAX_RESULTS))}
        headers = {"Authorization": f"Bearer {self.parts.key}"}
        found = data(await self.get("/v3/search/works/", params, headers))
        return [hit for hit in map(self._hit, records(found, "results")) if hit.url]

    def _hit(self, work: dict[str, Any]) -> Hit:
        doi = doi_of(work.get("doi"))
        copies = work.get("sourceFulltextUrls")
        copy = web_of(work.get("downloadUrl"), first(copies))
        page = f"https://core.ac.uk/works/{work.get('id')}" if work.get("id") else ""
        arxiv = work.get("arxivId")
        # Who deposited the copy also typed its DOI, so that the DOI's page is another document.
        url = (page or copy or doi_page(doi)) if doi else copy or page
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=url,
            title=plain(work.get("title")) or url,
            snippet=plain(work.get("abstract")),
            authors=names_of(work.get("authors") or [], "name"),
            published=day_of(work.get("publishedDate") or str(work.get("yearPublished"))),
            doi=doi,
            arxiv_id=arxiv if isinstance(arxiv, str) else "",
            citations=count_of(work.get("citationCount")),
            content_url=copy,
        )
