"""Scholarly works of every field, through OpenAlex."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import (
    arxiv_of,
    count_of,
    day_of,
    doi_of,
    names_of,
    under,
    web_of,
)
from daemon.adapters.sources.reply import data, plain, records
from daemon.model.evidence import Hit, SourceType

FIELDS = (
    "id,doi,display_name,publication_date,publication_year,type,cited_by_count,authorships,"
    "primary_location,best_oa_location,abstract_inverted_index,is_retracted"
)
MAX_RESULTS = 100
_ABSTRACT_WORDS = 2000
_COPIES = "10.65215/"  # a prefix under which famous papers are registered once more


class OpenAlexSource(ApiSource):
    """Asks `{base_url}/works`. Works without a key, for few questions a day."""

    kind: ClassVar[str] = "openalex"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        params = {"search": question, "per_page": str(min(limit, MAX_RESULTS)), "select": FIELDS}
        if self.parts.key:
            params["api_key"] = self.parts.key
        if self.parts.contact:
            params["mailto"] = self.parts.contact
        works = records(data(await self.get("/works", params)), "results")
        hits = (self._hit(work) for work in works)
        return [hit for hit in hits if hit.url and not hit.doi.startswith(_COPIES)]

    def _hit(self, work: dict[str, Any]) -> Hit:
        doi = doi_of(work.get("doi"))
        landing = under(work, "primary_location", "landing_page_url")
        url = web_of(f"https://doi.org/{doi}" if doi else "", landing, work.get("id"))
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
        )


def abstract_of(inverted: object) -> str:
    """Put an abstract together again from `{word: [positions]}`."""
    placed = [
        (place, word)
        for word, places in (inverted.items() if isinstance(inverted, dict) else ())
        for place in (places if isinstance(places, list) else ())
        if isinstance(place, int)
    ]
    return plain(" ".join(word for _, word in sorted(placed)[:_ABSTRACT_WORDS]))


def _author(authorship: object) -> object:
    return under(authorship, "author", "display_name") or under(authorship, "raw_author_name")


def _type(work: dict[str, Any], default: SourceType) -> SourceType:
    is_preprint = work.get("type") == "preprint"
    return SourceType.PREPRINT if is_preprint else default
