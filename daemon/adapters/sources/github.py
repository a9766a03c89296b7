"""Repositories of code, through GitHub's search."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource, Found
from daemon.adapters.sources.record import count_of, day_of, under, web_of
from daemon.adapters.sources.reply import data, plain, records
from daemon.adapters.sources.word_index import terms
from daemon.model.evidence import Hit

MAX_RESULTS = 100
_TERMS = 6  # a repository's description has few words, and must contain all of the query's


class GitHubSource(ApiSource):
    """Queries `{base_url}/search/repositories`. Works without a key, ten times a minute."""

    kind: ClassVar[str] = "github"

    async def find(self, question: str, limit: int) -> Found:
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        if self.parts.key:
            headers["Authorization"] = f"Bearer {self.parts.key}"
        params = {"q": " ".join(terms(question, _TERMS)), "per_page": str(min(limit, MAX_RESULTS))}
        body = data(await self.get("/search/repositories", params, headers))
        hits = tuple(hit for hit in map(self._hit, records(body, "items")) if hit.url)
        cut = body.get("incomplete_results") is True
        return Found(hits, "ran out of time and returned partial results" if cut else "")

    def _hit(self, repository: dict[str, Any]) -> Hit:
        url = web_of(repository.get("html_url"))
        owner = plain(under(repository, "owner", "login"))
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=url,
            title=plain(repository.get("full_name")) or url,
            snippet="\n".join(_about(repository)),
            authors=(owner,) if owner else (),
            published=day_of(repository.get("pushed_at") or repository.get("updated_at")),
        )


def _about(repository: dict[str, Any]) -> Iterable[str]:
    if description := plain(repository.get("description")):
        yield description
    topics = repository.get("topics")
    if isinstance(topics, list) and topics:
        yield "Topics: " + ", ".join(filter(None, map(plain, topics)))
    if stars := count_of(repository.get("stargazers_count")):
        yield f"Stars: {stars}"
