"""Scholarly works of every field, through Semantic Scholar's graph."""

import re
from collections.abc import Iterable
from typing import Any, ClassVar
from urllib.parse import quote

from daemon.adapters.sources.index import IndexSource, Linked, Work, side_by_side, unknown
from daemon.adapters.sources.record import (
    count_of,
    day_of,
    doi_of,
    doi_page,
    doi_path,
    names_of,
    under,
    web_of,
)
from daemon.adapters.sources.reply import data, plain, records, unavailable
from daemon.model.evidence import Hit, SourceType

FIELDS = (
    "title,url,abstract,authors,year,publicationDate,citationCount,externalIds,openAccessPdf,"
    "publicationTypes,venue"
)
MAX_RESULTS = 100
MAX_LINKED = 1000
_PAPER = re.compile(r"https?://(?:www\.)?semanticscholar\.org/paper/(?:[^/?#]+/)?([0-9a-f]{40})")


class SemanticScholarSource(IndexSource):
    """Queries `{base_url}/graph/v1/paper/search`. Works without a key, from a shared pool.

    A paper's `/references` and `/citations` come in its own order, the newest citing one first.
    """

    kind: ClassVar[str] = "semanticscholar"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        params = {
            "query": question.replace("-", " "),  # a hyphen there finds nothing
            "fields": FIELDS,
            "limit": str(min(limit, MAX_RESULTS)),
        }
        body = data(await self.get("/graph/v1/paper/search", params, self._headers()))
        if body.get("total") == 0 and "data" not in body:
            return ()
        if message := body.get("message"):
            raise unavailable(f"reports an error: {plain(message)[:200]}")
        hits = (self._hit(paper) for paper in records(body, "data"))
        return [hit for hit in hits if hit.url]

    async def find_linked(self, work: Work, limit: int) -> Linked:
        paper = _name_of(work)
        if not paper:
            raise unknown("has no identifier that Semantic Scholar supports")
        return await side_by_side(
            self._linked(paper, "references", "citedPaper", limit),
            self._linked(paper, "citations", "citingPaper", limit),
        )

    async def _linked(self, paper: str, list_: str, key: str, limit: int) -> list[Hit]:
        """Return one of a paper's lists; publishers may withhold theirs."""
        params = {"fields": FIELDS, "limit": str(min(limit, MAX_LINKED))}
        path = f"/graph/v1/paper/{paper}/{list_}"
        body = data(await self.get(path, params, self._headers()))
        if "data" in body and body["data"] is None:
            return []
        linked = (entry.get(key) for entry in records(body, "data"))
        hits = (self._hit(each) for each in linked if isinstance(each, dict))
        return [hit for hit in hits if hit.url]

    def _headers(self) -> dict[str, str]:
        return {"x-api-key": self.parts.key} if self.parts.key else {}

    def _hit(self, paper: dict[str, Any]) -> Hit:
        doi = doi_of(under(paper, "externalIds", "DOI"))
        arxiv = under(paper, "externalIds", "ArXiv")
        number = paper.get("paperId")
        page = f"https://www.semanticscholar.org/paper/{number}" if number else ""
        url = web_of(doi_page(doi), paper.get("url"), page)
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


def _name_of(work: Work) -> str:
    """Return the path element of a paper."""
    if work.doi:
        return f"DOI:{doi_path(work.doi)}"
    if work.arxiv:
        return f"ARXIV:{quote(work.arxiv, safe='/')}"
    found = _PAPER.match(work.url)
    return found[1] if found else ""
