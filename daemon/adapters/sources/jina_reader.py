"""Single pages as Markdown, read by Jina Reader, which runs their scripts first."""

import re
from collections.abc import Iterable
from typing import ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import address_in, day_of, under, web_of
from daemon.adapters.sources.reply import Blame, data, plain, unavailable
from daemon.model.evidence import Hit

_FAILED = re.compile(r"returned error \d{3}|captcha|blocked", re.IGNORECASE)


class JinaReaderSource(ApiSource):
    """Reads the page whose address is in the query through `{base_url}/{address}`; `snippet` is its
    text.

    The service learns which pages are read: it is off until the user turns it on.
    """

    kind: ClassVar[str] = "jina_reader"
    needs_key = True
    longest: ClassVar[int] = 4096

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        address = address_in(question).partition("#")[0]
        if not address:
            raise unavailable("answers only queries that contain an address", Blame.QUESTION)
        headers = {"Accept": "application/json", "Authorization": f"Bearer {self.parts.key}"}
        body = data(await self.get(f"/{address}", {}, headers))
        page = body.get("data")
        if body.get("code", 200) != 200 or not isinstance(page, dict):
            raise unavailable(f"reports an error: {plain(body.get('message'))[:200]}")
        if _FAILED.search(warning := plain(under(page, "warning"))):
            raise unavailable(f"could not read the page: {warning[:200]}", Blame.QUESTION)
        content = page.get("content")
        if not isinstance(content, str) or not content.strip():
            return []
        return [
            Hit(
                source=self.name,
                source_type=self.parts.entry.source_type,
                url=web_of(page.get("url")) or address,  # the final address, after all redirects
                title=plain(page.get("title")),
                snippet=content,
                published=day_of(page.get("publishedTime")),
            )
        ]
