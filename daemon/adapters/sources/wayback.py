"""Copies of pages that are gone or closed, in the Internet Archive's Wayback Machine."""

import re
from collections.abc import Iterable
from typing import ClassVar
from urllib.parse import urlsplit

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import address_in, day_of, under
from daemon.adapters.sources.reply import Blame, data, unavailable
from daemon.model.evidence import Hit

PLAYS_AT = "https://web.archive.org"  # while the availability API is at archive.org
_TIMESTAMP = re.compile(r"\d{14}")


class WaybackSource(ApiSource):
    """Asks `{base_url}/wayback/available` for a copy of the page whose address the question names.

    `content_url` of the hit is the copy as it was captured, without the archive's own additions;
    `published` is the day of the capture. A page without a good copy is no hit.
    """

    kind: ClassVar[str] = "wayback"
    longest: ClassVar[int] = 4096

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        address = address_in(question).partition("#")[0]
        if not address:
            raise unavailable("answers only questions that name an address", Blame.QUESTION)
        body = data(await self.get("/wayback/available", {"url": address}))
        if not isinstance(body.get("archived_snapshots"), dict):
            raise unavailable("the answer is not in the form it should have")
        closest = under(body, "archived_snapshots", "closest")
        stamp = str(under(closest, "timestamp") or "")
        is_good = under(closest, "available") is True and str(under(closest, "status")) == "200"
        if not is_good or not _TIMESTAMP.fullmatch(stamp):
            return []
        return [
            Hit(
                source=self.name,
                source_type=self.parts.entry.source_type,
                url=address,
                title=address,
                published=day_of(f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"),
                content_url=f"{self._plays_at}/web/{stamp}id_/{address}",
            )
        ]

    @property
    def _plays_at(self) -> str:
        base = self.parts.entry.base_url
        return PLAYS_AT if urlsplit(base).hostname == "archive.org" else base
