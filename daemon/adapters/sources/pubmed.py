"""Medicine and the life sciences, through PubMed's E-utilities."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import day_of, doi_of
from daemon.adapters.sources.reply import plain
from daemon.adapters.sources.word_index import terms
from daemon.model.evidence import Hit
from daemon.ports import Fetched, Record

TOOL = "lacuna"
MAX_RESULTS = 100
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905


class PubMedSource(ApiSource):
    """Asks `esearch` for numbers, then `efetch` for records, as XML: JSON has no abstracts."""

    kind: ClassVar[str] = "pubmed"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        searched = await self._ask(
            "esearch.fcgi",
            {
                "term": " ".join(terms(question)),
                "retmax": str(min(limit, MAX_RESULTS)),
                "sort": "relevance",
            },
        )
        found = await self.records(searched, "pubmed numbers")
        numbers = [number for each in found if (number := each.text("number")).isdigit()]
        if not numbers:
            return ()
        fetched = await self._ask("efetch.fcgi", {"id": ",".join(numbers), "retmode": "xml"})
        articles = await self.records(fetched, "pubmed articles")
        hits = {hit.url: hit for hit in map(self._hit, articles)}
        return [hits[url] for url in map(_page, numbers) if url in hits]

    async def _ask(self, tool: str, params: Mapping[str, str]) -> Fetched:
        own = {"db": "pubmed", "tool": TOOL}
        if self.parts.contact:
            own["email"] = self.parts.contact
        if self.parts.key:
            own["api_key"] = self.parts.key
        return await self.get(f"/entrez/eutils/{tool}", {**own, **params})

    def _hit(self, article: Record) -> Hit:
        url, pmc = _page(article.text("number")), plain(article.text("pmc"))
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=url,
            title=article.text("title").removesuffix(".") or url,
            snippet="\n".join(filter(None, article.texts("abstract"))),
            authors=tuple(filter(None, map(plain, article.texts("authors")))),
            published=next(filter(None, map(_day, article.texts("dates"))), ""),
            doi=doi_of(article.text("doi")),
            content_url=f"https://pmc.ncbi.nlm.nih.gov/articles/{pmc}/" if pmc else "",
            retracted="Retracted Publication" in article.texts("kinds"),
        )


def _page(number: str) -> str:
    return f"https://pubmed.ncbi.nlm.nih.gov/{number}/" if number.isdigit() else ""


def _day(written: str) -> str:
    """Return the ISO date of "2020 Feb 3", as precise as known."""
    year, month, day = (*written.split(" "), "", "", "")[:3]
    name = month[:3].lower()
    number = f"{_MONTHS.index(name) + 1:02d}" if name in _MONTHS else ""
    number = number or (month.zfill(2) if month.isdigit() else "")
    parts = [year, *([number] if number else []), *([day.zfill(2)] if number and day else [])]
    return day_of("-".join(parts))
