"""Scholarly works of every field, through OpenAlex."""

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.index import IndexSource, Linked, Work, side_by_side, unknown
from daemon.adapters.sources.record import (
    arxiv_of,
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
    "id,doi,display_name,publication_date,publication_year,type,cited_by_count,authorships,"
    "primary_location,best_oa_location,abstract_inverted_index,is_retracted"
)
MAX_RESULTS = 100
_ABSTRACT_WORDS = 2000
_NUMBER = re.compile(r"https?://openalex\.org/(W\d+)")
_COPIES = "10.65215/"  # a prefix under which famous papers are registered again


class OpenAlexSource(IndexSource):
    """Queries `{base_url}/works`. Works without a key, for few queries a day.

    A work is looked up once for its number; its references and citations are then ordinary
    searches, most cited first.
    """

    kind: ClassVar[str] = "openalex"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        """Look up a work by its DOI if the query is one; otherwise search."""
        doi = doi_of(question)
        if doi == question.strip().lower() and doi and not set(doi) & set(",|"):
            return await self._list({"filter": f"doi:{doi}"}, 1)
        return await self._list({"search": question}, limit)

    async def find_linked(self, work: Work, limit: int) -> Linked:
        name = _name_of(work)
        if not name:
            raise unknown("has no identifier that OpenAlex supports")
        fields = {"select": "id,referenced_works,cited_by_count"}
        record = data(await self.get(f"/works/{name}", self._params(fields)))
        number = _number_of(record.get("id"))
        if not number:
            raise unavailable("the answer does not have the expected form")
        refers = bool(record.get("referenced_works"))
        is_cited = record.get("cited_by_count") != 0
        return await side_by_side(
            self._linked(f"cited_by:{number}" if refers else "", limit),
            self._linked(f"cites:{number}" if is_cited else "", limit),
        )

    async def _linked(self, filter_: str, limit: int) -> list[Hit]:
        """Return the works that match a filter, most cited first; for "" return none."""
        if not filter_:
            return []
        return await self._list({"filter": filter_, "sort": "cited_by_count:desc"}, limit)

    async def _list(self, wanted: dict[str, str], limit: int) -> list[Hit]:
        page = {"per_page": str(min(limit, MAX_RESULTS)), "select": FIELDS}
        body = data(await self.get("/works", self._params({**wanted, **page})))
        hits = (self._hit(work) for work in records(body, "results"))
        return [hit for hit in hits if hit.url and not hit.doi.startswith(_COPIES)]

    def _params(self, params: dict[str, str]) -> dict[str, str]:
        key = {"api_key": self.parts.key} if self.parts.key else {}
        contact = {"mailto": self.parts.contact} if self.parts.contact else {}
        return {**params, **key, **contact}

    def _hit(self, work: dict[str, Any]) -> Hit:
        doi = doi_of(work.get("doi"))
        landing = under(work, "primary_location", "landing_page_url")
        url = web_of(doi_page(doi), landing, work.get("id"))
        people = work.get("authorships")
        return Hit(
            source=self.name,
            source_type=_type(work, self.parts.entry.source_type),
            url=url,
            title=plain(work.get("display_name") or work.get("title")) or url,
            snippet=abstract_of(work.get("abstract_inverted_index")),
            authors=names_of(
                [_author(each) for each in people] if isinstance(people, list) else []
            ),
            published=day_of(work.get("publication_date") or str(work.get("publication_year"))),
            doi=doi,
            arxiv_id=arxiv_of(doi),
            citations=count_of(work.get("cited_by_count")),
            content_url=web_of(
                under(work, "best_oa_location", "pdf_url"),
                under(work, "best_oa_location", "landing_page_url"),
            ),
            retracted=work.get("is_retracted") is True,
            venue=plain(under(work, "primary_location", "source", "display_name")),
            publisher=plain(under(work, "primary_location", "source", "host_organization_name")),
        )


def abstract_of(inverted: object) -> str:
    """Rebuild an abstract from `{word: [positions]}`."""
    placed = [
        (place, word)
        for word, places in (inverted.items() if isinstance(inverted, dict) else ())
        for place in (places if isinstance(places, list) else ())
        if isinstance(place, int)
    ]
    return plain(" ".join(word for _, word in sorted(placed)[:_ABSTRACT_WORDS]))


def _name_of(work: Work) -> str:
    """Return the path element of a work: its DOI, also arXiv's, or its number."""
    doi = work.doi or (f"10.48550/arxiv.{work.arxiv}" if work.arxiv else "")
    return f"doi:{doi_path(doi)}" if doi else _number_of(work.url)


def _number_of(url: object) -> str:
    found = _NUMBER.fullmatch(url) if isinstance(url, str) else None
    return found[1] if found else ""


def _author(authorship: object) -> object:
    return under(authorship, "author", "display_name") or under(authorship, "raw_author_name")


def _type(work: dict[str, Any], default: SourceType) -> SourceType:
    is_preprint = work.get("type") == "preprint"
    return SourceType.PREPRINT if is_preprint else default
