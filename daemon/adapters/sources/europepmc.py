"""Life sciences, with bioRxiv and medRxiv, through Europe PMC."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import (
    count_of,
    day_of,
    doi_of,
    doi_page,
    names_of,
    under,
    web_of,
)
from daemon.adapters.sources.reply import data, plain, records
from daemon.adapters.sources.word_index import terms
from daemon.model.evidence import Hit, SourceType

MAX_RESULTS = 100
_PREPRINT = "PPR"


class EuropePmcSource(ApiSource):
    """Queries `{base_url}/webservices/rest/search` for records with their abstracts.

    An entry whose documents are preprints searches preprints only.
    """

    kind: ClassVar[str] = "europepmc"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        words = " ".join(terms(question))
        if self.parts.entry.source_type is SourceType.PREPRINT:
            words = f'({words}) AND SRC:"{_PREPRINT}"'
        params = {
            "query": words,
            "format": "json",
            "resultType": "core",
            "pageSize": str(min(limit, MAX_RESULTS)),
        }
        body = data(await self.get("/webservices/rest/search", params))
        found = records(body, "resultList", "result")
        return [hit for hit in map(self._hit, found) if hit.url]

    def _hit(self, record: dict[str, Any]) -> Hit:
        doi = doi_of(record.get("doi"))
        place = f"{record.get('source')}/{record.get('id')}"
        page = f"https://europepmc.org/article/{place}" if record.get("id") else ""
        url = doi_page(doi) or page
        kinds = under(record, "pubTypeList", "pubType")
        is_preprint = record.get("source") == _PREPRINT
        return Hit(
            source=self.name,
            source_type=SourceType.PREPRINT if is_preprint else SourceType.PAPER,
            url=url,
            title=plain(record.get("title")).removesuffix(".") or url,
            snippet=plain(record.get("abstractText")),
            authors=_authors(record),
            published=_published(record),
            doi=doi,
            citations=count_of(record.get("citedByCount")),
            content_url=_copy(record),
            retracted=isinstance(kinds, list)
            and "retracted publication" in [str(kind).lower() for kind in kinds],
        )


def _authors(record: dict[str, Any]) -> tuple[str, ...]:
    """Return the full names if they are listed, otherwise the names in one line."""
    listed = names_of(under(record, "authorList", "author") or [], "fullName", "collectiveName")
    line = plain(record.get("authorString")).removesuffix(".")
    return listed or tuple(filter(None, line.split(", ")))


def _published(record: dict[str, Any]) -> str:
    """Return the day of publication, or the year if the days mean something else.

    "First publication" may also be the day when an old volume was digitised, or a paper came
    online.
    """
    days = (
        record.get("firstPublicationDate"),
        under(record, "journalInfo", "printPublicationDate"),
        record.get("electronicPublicationDate"),
    )
    dates = list(filter(None, map(day_of, days)))
    year = day_of(str(record.get("pubYear") or under(record, "journalInfo", "yearOfPublication")))
    fitting = [day for day in dates if day.startswith(year)]
    return next(iter(fitting), year)


def _copy(record: dict[str, Any]) -> str:
    """Return the address of a freely readable copy: a PDF before a page."""
    found = under(record, "fullTextUrlList", "fullTextUrl")
    open_ones = [
        each
        for each in (found if isinstance(found, list) else ())
        if under(each, "availabilityCode") in ("OA", "F", None)
    ]
    open_ones.sort(key=lambda each: under(each, "documentStyle") != "pdf")
    return web_of(*(under(each, "url") for each in open_ones))
