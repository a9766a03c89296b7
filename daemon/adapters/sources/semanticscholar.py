"""Scholarly works of every field, through Semantic Scholar's graph."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import count_of, day_of, doi_of, names_of, under, web_of
from daemon.adapters.sources.reply import data, plain, records, unavailable
from daemon.model.evidence import Hit, SourceType

FIELDS = (
    "title,url,abstract,authors,year,publicationDate,citationCount,externalIds,openAccessPdf,"
    "publicationTypes,venue"
)
MAX_RESULTS = 100


class SemanticScholarSource(ApiSource):
    """Asks `{base_url}/graph/v1/paper/search`. Works without a key, from a pool shared by all."""

    kind: ClassVar[str] = "semanticscholar"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        params = {
            "query": question.replace("-", " "),  # a hyphen there finds nothing
            "fields": FIELDS,
            "limit": str(min(limit, MAX_RESULTS)),
        }
        headers = {"x-api-key": self.parts.key} if self.parts.key else {}
        body = data(await self.get("/graph/v1/paper/search", params, headers))
        if body.get("total") == 0 and "data" not in body:
            return ()
        if message := body.get("message"):
            raise unavailable(f"reports an error: {plain(message)[:200]}")
        hits = (self._hit(paper) for paper in records(body, "data"))
        return [hit for hit in hits if hit.url]

    def _hit(self, paper: dict[str, Any]) -> Hit:
        doi = doi_of(under(paper, "externalIds", "DOI"))
        arxiv = under(paper, "externalIds", "ArXiv")
        number = paper.get("paperId")
        page = f"https://www.semanticscholar.org/paper/{number}" if number else ""
        url = web_of(f"https://doi.org/{doi}" if doi else "", paper.get("url"), page)
        return Hit(
            source=self.name,
            source_type=self._type(paper, doi),
            url=url,
            title=plain(paper.get("title")) or url,
            snippet=plain(paper.get("abstract")),
            authors=names_of(paper.get("authors"), "name"),
            published=day_of(paper.get("publicationDate") or str(paper.get("year"))),
            doi=doi,
            arxiv_id=arxiv if isinstance(arxiv, str) else "",
            citations=count_of(paper.get("citationCount")),
            content_url=web_of(under(paper, "openAccessPdf", "url")),
        )

    def _type(self, paper: dict[str, Any], doi: str) -> SourceType:
        venue = plain(paper.get("venue")).lower()
        is_preprint = venue in ("arxiv.org", "biorxiv", "medrxiv") or doi.startswith("10.48550/")
        return SourceType.PREPRINT if is_preprint else self.parts.entry.source_type
