"""What publishers register: works with a DOI, through Crossref."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import count_of, day_of_parts, doi_of, first, under, web_of
from daemon.adapters.sources.reply import data, plain, records
from daemon.model.evidence import Hit, SourceType

MAX_RESULTS = 100
_NO_WORKS = {"component", "peer-review", "grant", "journal", "journal-issue", "database"}
_COPIES = "10.65215/"  # a prefix under which famous papers are registered once more
_WITHDRAWN = {"retraction", "withdrawal", "removal"}


class CrossrefSource(ApiSource):
    """Asks `{base_url}/works`, politely: with the contact when the user gave one."""

    kind: ClassVar[str] = "crossref"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        params = {"query": question, "rows": str(min(limit, MAX_RESULTS))}
        if self.parts.contact:
            params["mailto"] = self.parts.contact
        works = records(data(await self.get("/works", params)), "message", "items")
        return [
            self._hit(work, doi)
            for work in works
            if (doi := doi_of(work.get("DOI")))
            and work.get("type") not in _NO_WORKS
            and not doi.startswith(_COPIES)
        ]

    def _hit(self, work: dict[str, Any], doi: str) -> Hit:
        is_preprint = work.get("type") == "posted-content"
        return Hit(
            source=self.name,
            source_type=SourceType.PREPRINT if is_preprint else self.parts.entry.source_type,
            url=f"https://doi.org/{doi}",
            title=plain(first(work.get("title"))) or doi,
            snippet=plain(work.get("abstract")),
            authors=_authors(work.get("author")),
            published=_published(work),
            doi=doi,
            citations=count_of(work.get("is-referenced-by-count")),
            content_url=_copy(work.get("link")),
            retracted=_is_withdrawn(work.get("updated-by")),
        )


def _authors(people: object) -> tuple[str, ...]:
    listed = [each for each in people if isinstance(each, dict)] if isinstance(people, list) else []
    names = (
        plain(f"{plain(each.get('given'))} {plain(each.get('family'))}") or plain(each.get("name"))
        for each in listed
    )
    return tuple(dict.fromkeys(name for name in names if name))


def _published(work: dict[str, Any]) -> str:
    """When it came out: the earliest of what is said to be its publication."""
    for key in ("issued", "published", "published-online", "published-print", "posted"):
        if day := day_of_parts(first(under(work, key, "date-parts"))):
            return day
    return ""


def _copy(links: object) -> str:
    """Where the publisher lets programs read the text, when that is a PDF."""
    for link in links if isinstance(links, list) else ():
        if under(link, "content-type") == "application/pdf":
            return web_of(under(link, "URL"))
    return ""


def _is_withdrawn(notices: object) -> bool:
    """Whether any notice, not only the first, takes the work back."""
    listed = notices if isinstance(notices, list) else ()
    return any(str(under(each, "type")).lower() in _WITHDRAWN for each in listed)
