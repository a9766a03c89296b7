"""Preprints, through arXiv's Atom API."""

import re
from dataclasses import dataclass
from typing import ClassVar

from daemon.adapters.sources.api import ApiSource, Found
from daemon.adapters.sources.arxiv_feed import Feed, FeedError, Paper, read_feed
from daemon.adapters.sources.reply import TroubleError, unavailable
from daemon.adapters.sources.words import terms
from daemon.model.evidence import Hit

MAX_RESULTS = 100
MIN_FOUND = 3  # fewer papers with all the words, and papers with some of them are asked for too


class ArxivSource(ApiSource):
    """Asks `{base_url}/api/query`: for all the words, then for any of them if few papers have all.

    One request at a time, three seconds apart, as arXiv's terms want it.
    """

    kind: ClassVar[str] = "arxiv"

    async def find(self, question: str, limit: int) -> Found:
        found = _Found()
        try:
            await self._collect(terms(question), limit, found)
        except TroubleError as trouble:
            # What the first question brought is kept when only the second one failed.
            if not found.papers:
                raise
            found.why = trouble.why
        papers = list(found.papers.values())[:limit]
        return Found(tuple(map(self._hit, papers)), found.why if papers else "")

    async def _collect(self, words: list[str], limit: int, found: "_Found") -> None:
        if not words:
            raise unavailable("the question has no words to search for")
        questions = [" AND ", " OR "] if len(words) > 1 else [""]
        for joint in questions:
            await self._ask(joint.join(f"all:{word}" for word in words), limit, found)
            if len(found.papers) >= min(limit, MIN_FOUND):
                return

    async def _ask(self, question: str, limit: int, found: "_Found") -> None:
        params = {
            "search_query": question,
            "start": "0",
            "max_results": str(min(limit, MAX_RESULTS)),
            "sortBy": "relevance",
            "sortOrder": "descending",
        }
        fetched = await self.get("/api/query", params)
        try:
            feed = read_feed(fetched.body)
        except FeedError as error:
            raise unavailable(str(error)) from None
        if feed.total and not feed.papers:
            raise unavailable(f"says it has {feed.total} papers and sends none")
        found.add(feed, question)

    def _hit(self, paper: Paper) -> Hit:
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=f"https://arxiv.org/abs/{paper.id}{paper.version}",
            title=paper.title,
            snippet=paper.summary,
            authors=paper.authors,
            published=paper.published,
            doi=paper.doi,
            arxiv_id=paper.id,
            content_url=paper.pdf or f"https://arxiv.org/pdf/{paper.id}{paper.version}",
        )


@dataclass(slots=True)
class _Found:
    papers: dict[str, Paper]
    why: str

    def __init__(self) -> None:
        self.papers = {}
        self.why = ""

    def add(self, feed: Feed, question: str) -> None:
        for paper in feed.papers:
            self.papers.setdefault(paper.id, paper)
        if feed.searched and _sense(feed.searched) != _sense(question):
            self.why = f"searched for something else than asked: {feed.searched[:120]}"


def _sense(question: str) -> str:
    """What a query asks, whatever its brackets, quotes and spaces."""
    return re.sub(r"[\s()\"+]+", " ", question).strip().casefold()
