"""Freely readable copies of a work with a DOI, through Unpaywall."""

from collections.abc import Iterable
from typing import Any, ClassVar, Self

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import day_of, doi_of, doi_page, doi_path, under, web_of
from daemon.adapters.sources.reply import data, plain, unavailable
from daemon.adapters.sources.source_parts import Parts
from daemon.model.errors import SourceError
from daemon.model.evidence import Hit, SourceType


class UnpaywallSource(ApiSource):
    """Looks up the DOI in a query at `{base_url}/v2/{doi}`; answers no other query.

    `content_url` of the hit is the open copy; a work without one is not a hit.
    """

    kind: ClassVar[str] = "unpaywall"

    @classmethod
    def build(cls, parts: Parts) -> Self:
        """Raises SourceError without the user's email address, which the service requires."""
        if not parts.contact:
            raise SourceError("requires an email address: set `network.contact` in the settings")
        return super().build(parts)

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        doi = doi_of(question)
        if not doi:
            raise unavailable("answers only queries that contain a DOI")
        fetched = await self.get(f"/v2/{doi_path(doi)}", {"email": self.parts.contact})
        work = data(fetched)
        if doi_of(work.get("doi")) != doi:
            raise unavailable("the answer does not have the expected form")
        copy = web_of(
            under(work, "best_oa_location", "url_for_pdf"),
            under(work, "best_oa_location", "url"),
        )
        return [self._hit(work, doi, copy)] if copy else []

    def _hit(self, work: dict[str, Any], doi: str, copy: str) -> Hit:
        is_preprint = work.get("genre") == "posted-content"
        people = work.get("z_authors")
        return Hit(
            source=self.name,
            source_type=SourceType.PREPRINT if is_preprint else self.parts.entry.source_type,
            url=doi_page(doi),
            title=plain(work.get("title")) or doi,
            authors=tuple(filter(None, map(_name, people if isinstance(people, list) else ()))),
            published=day_of(work.get("published_date") or str(work.get("year"))),
            doi=doi,
            content_url=copy,
        )


def _name(person: object) -> str:
    """In the service's current or former format."""
    parted = f"{plain(under(person, 'given'))} {plain(under(person, 'family'))}".strip()
    return plain(under(person, "raw_author_name")) or parted or plain(under(person, "name"))
