"""Medicine and the life sciences, through PubMed's E-utilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import day_of, doi_of
from daemon.adapters.sources.reply import looks_like_html, plain, unavailable
from daemon.adapters.sources.words import terms
from daemon.model.evidence import Hit
from daemon.ports import Fetched

if TYPE_CHECKING:
    from lxml import etree

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
        numbers = [plain(each.text) for each in _root(searched, "eSearchResult").iter("Id")]
        if not numbers:
            return ()
        fetched = await self._ask("efetch.fcgi", {"id": ",".join(numbers), "retmode": "xml"})
        hits = {hit.url: hit for hit in map(self._hit, _articles(fetched))}
        return [hits[url] for url in map(_page, numbers) if url in hits]

    async def _ask(self, tool: str, params: Mapping[str, str]) -> Fetched:
        own = {"db": "pubmed", "tool": TOOL}
        if self.parts.contact:
            own["email"] = self.parts.contact
        if self.parts.key:
            own["api_key"] = self.parts.key
        return await self.get(f"/entrez/eutils/{tool}", {**own, **params})

    def _hit(self, article: etree._Element) -> Hit:
        ids = {each.get("IdType"): plain(each.text) for each in article.iterfind(_IDS)}
        doi = doi_of(ids.get("doi") or article.findtext(".//ELocationID[@EIdType='doi']"))
        kinds = {plain(each.text) for each in article.iter("PublicationType")}
        title = _text(article.find(".//ArticleTitle")) or _text(article.find(".//BookTitle"))
        url = _page(plain(article.findtext(".//PMID")))
        pmc = ids.get("pmc", "")
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=url,
            title=title.removesuffix(".") or url,
            snippet="\n".join(
                filter(None, map(_text, article.iterfind(".//Abstract/AbstractText")))
            ),
            authors=tuple(filter(None, map(_author, _people(article)))),
            published=_published(article),
            doi=doi,
            content_url=f"https://pmc.ncbi.nlm.nih.gov/articles/{pmc}/" if pmc else "",
            retracted="Retracted Publication" in kinds,
        )


_IDS = ".//PubmedData/ArticleIdList/ArticleId"


def _root(fetched: Fetched, expected: str) -> etree._Element:
    """Parse XML with nothing loaded from elsewhere. Raises TroubleError."""
    from lxml import etree  # noqa: PLC0415 4 MB that wait for the first answer

    if looks_like_html(fetched):
        raise unavailable("answered with a web page where data should be")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(fetched.body, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise unavailable("the answer is not whole (not valid XML)") from None
    if root.tag != expected:
        raise unavailable("the answer is not in the form it should have")
    if error := root.findtext("ERROR"):
        raise unavailable(f"reports an error: {plain(error)[:200]}")
    return root


def _articles(fetched: Fetched) -> list[etree._Element]:
    root = _root(fetched, "PubmedArticleSet")
    return [each for each in root if each.tag in ("PubmedArticle", "PubmedBookArticle")]


def _page(number: str) -> str:
    return f"https://pubmed.ncbi.nlm.nih.gov/{number}/" if number.isdigit() else ""


def _people(article: etree._Element) -> list[etree._Element]:
    """Those who wrote it; a book lists its editors in the same way."""
    lists = [each for each in article.iter("AuthorList") if each.get("Type") != "editors"]
    return list(lists[0].iterfind("Author")) if lists else []


def _author(person: etree._Element) -> str:
    first, last = plain(person.findtext("ForeName")), plain(person.findtext("LastName"))
    return f"{first} {last}".strip() or plain(person.findtext("CollectiveName"))


def _published(article: etree._Element) -> str:
    """The date of the electronic article, else that of the journal's issue."""
    for place in (".//ArticleDate", ".//JournalIssue/PubDate", ".//Book/PubDate"):
        found = article.find(place)
        if found is not None and (day := _day(found)):
            return day
    return ""


def _day(date: etree._Element) -> str:
    year = plain(date.findtext("Year")) or plain(date.findtext("MedlineDate"))[:4]
    month = plain(date.findtext("Month"))
    name = month[:3].lower()
    number = f"{_MONTHS.index(name) + 1:02d}" if name in _MONTHS else ""
    number = number or (month.zfill(2) if month.isdigit() else "")
    day = plain(date.findtext("Day"))
    written = [year, *([number] if number else []), *([day.zfill(2)] if number and day else [])]
    return day_of("-".join(written))


def _text(node: etree._Element | None) -> str:
    return "" if node is None else " ".join("".join(node.itertext()).split())
