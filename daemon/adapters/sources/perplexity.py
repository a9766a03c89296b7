"""The web, through Perplexity's search API: ranked pages, not written answers."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import text_of, web_of
from daemon.adapters.sources.reply import data, records
from daemon.model.evidence import Hit

MAX_RESULTS = 20
_MIN_PROSE_TOKENS = 16  # tokens of an answer that nobody will read


class PerplexitySource(ApiSource):
    """Sends the question to `{base_url}/search`.

    With `models` in its entry it asks the first of them, for the pages that its answer is made of:
    the answer itself is left where it is.
    """

    kind: ClassVar[str] = "perplexity"
    needs_key = True

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        path, body = self._request(question, limit)
        headers = {"Authorization": f"Bearer {self.parts.key}"}
        return [
            self.page(
                url,
                record.get("title"),
                text_of(record.get("snippet")),
                record.get("date") or record.get("last_updated"),
            )
            for record in _pages(data(await self.post(path, body, headers)))
            if (url := web_of(record.get("url")))
        ]

    def _request(self, question: str, limit: int) -> tuple[str, dict[str, object]]:
        """Return the address and the body of a request."""
        if not self.parts.entry.models:
            return "/search", {"query": question, "max_results": min(limit, MAX_RESULTS)}
        asked = [{"role": "user", "content": question}]
        body = {
            "model": self.parts.entry.models[0],
            "messages": asked,
            "max_tokens": _MIN_PROSE_TOKENS,
        }
        return "/chat/completions", body


def _pages(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the pages of an answer: results or citations; older answers have addresses only.

    Raises TroubleError if there are none.
    """
    for key in ("results", "search_results"):
        if key in body:
            return records(body, key)
    cited = body.get("citations")
    if isinstance(cited, list):
        return [{"url": each} for each in cited]
    return records(body, "results")
