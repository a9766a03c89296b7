"""The web, through Brave's search API."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.reply import data, plain, unavailable
from daemon.model.evidence import Hit, SourceType
from daemon.ports import Fetched

MAX_COUNT = 20
_ISO = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_AGO = re.compile(r"^(\d+) (minute|hour|day|week|month|year)s? ago$")
_DAYS = {"minute": 0.0, "hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4, "year": 365.25}
_WRITTEN = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%B %Y")


class BraveSource(ApiSource):
    """Queries `{base_url}/res/v1/{web|news}/search`, once per question.

    Searches the news if the entry's documents are news.
    """

    kind: ClassVar[str] = "brave"
    needs_key = True
    longest = 400
    most_words = 50

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        part = "news" if self.parts.entry.source_type is SourceType.NEWS else "web"
        fetched = await self.get(
            f"/res/v1/{part}/search",
            {
                "q": question,
                "count": str(min(limit, MAX_COUNT)),
                "text_decorations": "false",
                "extra_snippets": "true",
            },
            {"Accept": "application/json", "X-Subscription-Token": self.parts.key},
        )
        return self._hits(fetched)

    def _hits(self, fetched: Fetched) -> Iterator[Hit]:
        for record, source_type in _records(_body(fetched)):
            url, title = record.get("url"), plain(record.get("title"))
            if isinstance(url, str) and url.startswith(("http://", "https://")):
                yield Hit(
                    source=self.name,
                    source_type=source_type,
                    url=url,
                    title=title or url,
                    snippet=_snippet(record),
                    authors=_authors(record),
                    published=_published(record, fetched.fetched_at),
                )


def _body(fetched: Fetched) -> Mapping[str, Any]:
    """Parse the answer. Raises TroubleError for anything but a search's answer."""
    body = data(fetched)
    if body.get("type") == "ErrorResponse":
        raise unavailable("reports an error")
    if "type" not in body and "query" not in body and "web" not in body:
        raise unavailable("the answer does not have the expected form")
    return body


def _records(body: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], SourceType]]:
    """Iterate over the web results, then the news."""
    groups = [
        (body.get("web"), SourceType.WEB),
        (body.get("news"), SourceType.NEWS),
        (body, SourceType.NEWS if body.get("type") == "news" else SourceType.WEB),
    ]
    for group, source_type in groups:
        results = group.get("results") if isinstance(group, dict) else None
        for record in results if isinstance(results, list) else ():
            if isinstance(record, dict):
                yield record, source_type


def _snippet(record: Mapping[str, Any]) -> str:
    extra = record.get("extra_snippets")
    texts = [record.get("description"), *(extra if isinstance(extra, list) else ())]
    return "\n".join(dict.fromkeys(filter(None, map(plain, texts))))


def _authors(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a result's authors: articles, books and videos name them, pages do not."""
    names: list[str] = []
    for part in ("article", "book", "video", "creative_work"):
        about = record.get(part)
        if not isinstance(about, dict):
            continue
        people = about.get("author") or about.get("creator") or ()
        listed = people if isinstance(people, list) else [people]
        names += [plain(one.get("name") if isinstance(one, dict) else one) for one in listed]
    return tuple(dict.fromkeys(filter(None, names)))


def _published(record: Mapping[str, Any], now: datetime) -> str:
    """Return the ISO date of `page_age`, or of `age` in words, counted back from `now`."""
    if found := _ISO.match(plain(record.get("page_age"))):
        return found[0]
    age = plain(record.get("age"))
    if ago := _AGO.match(age):
        return (now - timedelta(days=int(ago[1]) * _DAYS[ago[2]])).date().isoformat()
    for form in _WRITTEN:
        try:
            read = datetime.strptime(f"{age} +0000", f"{form} %z")
        except ValueError:
            continue
        return read.strftime("%Y-%m-%d" if "%d" in form else "%Y-%m")
    return ""
