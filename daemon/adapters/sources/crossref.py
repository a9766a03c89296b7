"""Works with a DOI, as publishers register them, through Crossref."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from daemon.adapters.sources.index import IndexSource, Linked, Work, unknown
from daemon.adapters.sources.record import (
    count_of,
    day_of,
    day_of_parts,
    doi_of,
    doi_page,
    doi_path,
    first,
    under,
    web_of,
)
from daemon.adapters.sources.reply import TroubleError, data, plain, records, unavailable
from daemon.model.evidence import Hit, SourceType

MAX_RESULTS = 100
_NO_WORKS = {"component", "peer-review", "grant", "journal", "journal-issue", "database"}
_COPIES = "10.65215/"  # a prefix under which famous papers are registered again
_AT_ONCE = 20  # references that are looked up in one request
_WITHDRAWN = {"retraction", "withdrawal", "removal"}


class CrossrefSource(IndexSource):
    """Queries `{base_url}/works` with the user's contact, if set, for the polite pool.

    It returns what a work cites, as its publisher registered it, but not what cites the work.
    """

    kind: ClassVar[str] = "crossref"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        """Look up a work by its DOI if the query is one; otherwise search."""
        doi = doi_of(question)
        if doi == question.strip().lower() and doi and "," not in doi:
            return await self._works({"filter": f"doi:{doi}", "rows": "1"})
        return await self._works({"query": question, "rows": str(min(limit, MAX_RESULTS))})

    async def find_linked(self, work: Work, limit: int) -> Linked:
        if not work.doi:
            raise unknown("has no DOI")
        path = f"/works/{doi_path(work.doi)}"
        message = data(await self.get(path, self._params({}))).get("message")
        if not isinstance(message, dict):
            raise unavailable("the answer does not have the expected form")
        listed = message.get("reference")
        named = _with_doi(listed if isinstance(listed, list) else [], excluded=work.doi)[:limit]
        parts = [named[at : at + _AT_ONCE] for at in range(0, len(named), _AT_ONCE)]
        found = await asyncio.gather(*map(self._described, parts))
        missing = next((trouble for _, trouble in found if trouble), "")
        return Linked(references=tuple(hit for hits, _ in found for hit in hits), missing=missing)

    async def _described(self, references: Sequence[tuple[str, Any]]) -> tuple[list[Hit], str]:
        """Look up the records of some references; the others keep their citer's description."""
        asked = ",".join(f"doi:{doi}" for doi, _ in references if "," not in doi)
        trouble = ""
        known: dict[str, Hit] = {}
        try:
            if asked:
                works = await self._works({"filter": asked, "rows": str(_AT_ONCE)})
                known = {hit.doi: hit for hit in works}
        except TroubleError as error:
            trouble = f"references known by little more than their DOI: {error.why}"
        hits = [known.get(doi) or self._reference(entry, doi) for doi, entry in references]
        return hits, trouble

    def _reference(self, entry: dict[str, Any], doi: str) -> Hit:
        titles = (plain(entry.get(key)) for key in ("article-title", "volume-title"))
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=doi_page(doi),
            title=next(filter(None, titles), doi),
            authors=tuple(filter(None, [plain(entry.get("author"))])),
            published=day_of(entry.get("year")),
            doi=doi,
        )

    def _params(self, params: dict[str, str]) -> dict[str, str]:
        return {**params, **({"mailto": self.parts.contact} if self.parts.contact else {})}

    async def _works(self, params: dict[str, str]) -> list[Hit]:
        body = data(await self.get("/works", self._params(params)))
        works = records(body, "message", "items")
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
            url=doi_page(doi),
            title=plain(first(work.get("title"))) or doi,
            snippet=plain(work.get("abstract")),
            authors=_authors(work.get("author")),
            published=_published(work),
            doi=doi,
            citations=count_of(work.get("is-referenced-by-count")),
            content_url=_copy(work.get("link")),
            retracted=_is_withdrawn(work.get("updated-by")),
            venue=plain(first(work.get("container-title"))),
            publisher=plain(work.get("publisher")),
        )


def _with_doi(references: Iterable[object], *, excluded: str) -> list[tuple[str, dict[str, Any]]]:
    """Return each reference that has a DOI once, in the listed order."""
    found: dict[str, dict[str, Any]] = {}
    for each in references:
        doi = doi_of(under(each, "DOI"))
        if doi and doi != excluded and isinstance(each, dict) and not doi.startswith(_COPIES):
            found.setdefault(doi, each)
    return list(found.items())


def _authors(people: object) -> tuple[str, ...]:
    listed = [each for each in people if isinstance(each, dict)] if isinstance(people, list) else []
    names = (
        plain(f"{plain(each.get('given'))} {plain(each.get('family'))}") or plain(each.get("name"))
        for each in listed
    )
    return tuple(dict.fromkeys(name for name in names if name))


def _published(work: dict[str, Any]) -> str:
    """Return the publication date: the earliest of those stated."""
    for key in ("issued", "published", "published-online", "published-print", "posted"):
        if day := day_of_parts(first(under(work, key, "date-parts"))):
            return day
    return ""


def _copy(links: object) -> str:
    """Return the address at which the publisher lets programs read the text, if it is a PDF."""
    for link in links if isinstance(links, list) else ():
        if under(link, "content-type") == "application/pdf":
            return web_of(under(link, "URL"))
    return ""


def _is_withdrawn(notices: object) -> bool:
    """Return whether any notice, not only the first, retracts the work."""
    listed = notices if isinstance(notices, list) else ()
    return any(str(under(each, "type")).lower() in _WITHDRAWN for each in listed)
