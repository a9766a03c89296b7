"""Preprints, through arXiv's Atom API."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from daemon.adapters.sources.api import ApiSource, Found
from daemon.adapters.sources.reply import TroubleError, unavailable
from daemon.adapters.sources.word_index import terms
from daemon.model.evidence import Hit
from daemon.ports import Record

MAX_RESULTS = 100
MIN_FOUND = 3  # with fewer papers for all the words, papers with some of them are searched for, too


class ArxivSource(ApiSource):
    """Queries `{base_url}/api/query`: for all the words, then for any of them if few papers match.

    One request at a time, three seconds apart, as arXiv's terms require.
    """

    kind: ClassVar[str] = "arxiv"

    async def find(self, question: str, limit: int) -> Found:
        found = _Found()
        try:
            await self._collect(terms(question), limit, found)
        except TroubleError as trouble:
            # The first query's results are kept if only the second query failed.
            if not found.papers:
                raise
            found.why = trouble.why
        papers = list(found.papers.values())[:limit]
        return Found(tuple(map(self._hit, papers)), found.why if papers else "")

    async def _collect(self, words: list[str], limit: int, found: "_Found") -> None:
        if not words:
            raise unavailable("the query has no words to search for")
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
        about, *papers = await self.records(fetched, "arxiv") or [Record({})]
        total = about.text("total")
        if total.strip("0") and not papers:
            raise unavailable(f"reported {total[:20]} results but returned none")
        found.add(papers, about.text("searched"), question)

    def _hit(self, paper: Record) -> Hit:
        known = f"{paper.text('id')}{paper.text('version')}"
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=f"https://arxiv.org/abs/{known}",
            title=paper.text("title"),
            snippet=paper.text("summary"),
            authors=paper.texts("authors"),
            published=paper.text("published"),
            doi=paper.text("doi"),
            arxiv_id=paper.text("id"),
            content_url=paper.text("pdf") or f"https://arxiv.org/pdf/{known}",
        )


@dataclass(slots=True)
class _Found:
    papers: dict[str, Record]
    why: str

    def __init__(self) -> None:
        self.papers = {}
        self.why = ""

    def add(self, papers: Sequence[Record], searched: str, question: str) -> None:
        """Keep papers that are new; `searched` is the query as arXiv understood it."""
        for paper in papers:
            self.papers.setdefault(paper.text("id"), paper)
        if searched and _sense(searched) != _sense(question):
            self.why = f"searched for something other than the query: {searched[:120]}"


def _sense(question: str) -> str:
    """Normalise a query: without brackets, quotes and spaces."""
    return re.sub(r"[\s()\"+]+", " ", question).strip().casefold()
