"""A fetcher that answers from a table of URLs, and remembers what was asked."""

from collections.abc import Mapping
from datetime import UTC, datetime

from daemon.model.errors import FetchError
from daemon.ports import Fetched

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


class FakeFetcher:
    """`answers` maps URLs (without parameters) to answers or errors; others cannot be reached."""

    def __init__(self, answers: Mapping[str, Fetched | FetchError] | None = None) -> None:
        self._answers = dict(answers or {})
        self.asked: list[tuple[str, dict[str, str], dict[str, str]]] = []
        self.sent: list[tuple[str, dict[str, object], dict[str, str]]] = []

    async def get(
        self,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Fetched:
        self.asked.append((url, dict(params or {}), dict(headers or {})))
        return self._answer(url)

    async def post(
        self,
        url: str,
        *,
        body: Mapping[str, object],
        headers: Mapping[str, str] | None = None,
    ) -> Fetched:
        self.sent.append((url, dict(body), dict(headers or {})))
        return self._answer(url)

    def _answer(self, url: str) -> Fetched:
        answer = self._answers.get(url, FetchError("no network"))
        if isinstance(answer, FetchError):
            raise answer
        return answer


def answered(
    url: str, body: bytes, *, status: int = 200, content_type: str = "application/json"
) -> Fetched:
    """Build an HTTP answer."""
    return Fetched(url, url, status, {"content-type": content_type}, body, NOW)
