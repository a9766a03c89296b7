"""Copies of deleted or closed pages, in the Internet Archive's Wayback Machine."""

import re
from collections.abc import Iterable
from typing import ClassVar
from urllib.parse import urlsplit

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import address_in, day_of, first, under
from daemon.adapters.sources.reply import Blame, data, parsed, unavailable
from daemon.model.evidence import Hit

PLAYS_AT = "https://web.archive.org"  # while the availability API is at archive.org
_TIMESTAMP = re.compile(r"\d{14}")


class WaybackSource(ApiSource):
    """Queries `{base_url}/wayback/available` for a copy of the page whose address is in the query.

    If the newest is a copy of an error, or there seems to be none, searches the whole index for a
    good one. `content_url` of the hit is the copy as captured, without the archive's own additions;
    `published` is the day of the capture. A page without a good copy is not a hit.
    """

    kind: ClassVar[str] = "wayback"
    longest: ClassVar[int] = 4096

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        address = address_in(question).partition("#")[0]
        if not address:
            raise unavailable("answers only queries that contain an address", Blame.QUESTION)
        stamp = await self._newest(address) or await self._newest_good(address)
        if not stamp:
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

    async def _newest(self, address: str) -> str:
        """Return the time of the newest capture, or "" if there is none or it is an error page."""
        body = data(await self.get("/wayback/available", {"url": address}))
        if not isinstance(body.get("archived_snapshots"), dict):
            raise unavailable("the answer does not have the expected form")
        closest = under(body, "archived_snapshots", "closest")
        is_good = under(closest, "available") is True and str(under(closest, "status")) == "200"
        return _stamp(under(closest, "timestamp")) if is_good else ""

    async def _newest_good(self, address: str) -> str:
        """Return the time of the newest capture of a page that was not an error, or ""."""
        params = {
            "url": address,
            "output": "json",
            "fl": "timestamp",
            "filter": "statuscode:200",
            "limit": "-1",
        }
        rows = parsed(await self.get("/cdx/search/cdx", params, base_url=self._plays_at))
        if isinstance(rows, dict) and not rows.get("error"):
            return ""  # an object without rows
        if not isinstance(rows, list):
            raise unavailable("the answer does not have the expected form")
        # The first row contains the column names.
        return _stamp(first(rows[-1])) if len(rows) > 1 and isinstance(rows[-1], list) else ""

    @property
    def _plays_at(self) -> str:
        base = self.parts.entry.base_url
        return PLAYS_AT if urlsplit(base).hostname == "archive.org" else base


def _stamp(value: object) -> str:
    """Return fourteen digits, or ""."""
    return value if isinstance(value, str) and _TIMESTAMP.fullmatch(value) else ""
