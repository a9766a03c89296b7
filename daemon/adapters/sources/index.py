"""The shared base of citation indexes: from a work to its references and citations."""

import asyncio
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import doi_of
from daemon.adapters.sources.reply import Blame, TroubleError
from daemon.model.citations import Citations
from daemon.model.evidence import Hit, SourceStatus

_ARXIV = re.compile(
    r"(?:arxiv\.org/(?:abs|pdf)/|10\.48550/arxiv\.|^(?:arxiv:)?)"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Work:
    """The identifiers of a work; each is "" if unknown."""

    doi: str
    arxiv: str
    url: str


@dataclass(frozen=True, slots=True)
class Linked:
    """An index's answer. `missing` says what is missing from it, or is empty."""

    references: tuple[Hit, ...] = ()
    citing: tuple[Hit, ...] = ()
    missing: str = ""


class IndexSource(ApiSource, ABC):
    """A source that is also a citation index. A subclass implements `find_linked`."""

    @abstractmethod
    async def find_linked(self, work: Work, limit: int) -> Linked:
        """Return at most `limit` works of each kind. Raises TroubleError."""
        ...

    async def citations(self, hit: Hit, *, limit: int) -> Citations:
        began = time.monotonic()
        sent = self.counting()
        try:
            found = await self.find_linked(_work(hit), max(1, limit))
            status = _status(found)
        except TroubleError as trouble:
            is_unknown = trouble.http == 404  # the work is not in the index
            status = SourceStatus.EMPTY if is_unknown else trouble.status
            found = Linked(missing="does not know the work" if is_unknown else trouble.why)
        references, why = self.without_key(found.references[:limit], found.missing)
        citing, _ = self.without_key(found.citing[:limit], "")
        return Citations(
            source=self.name,
            work=hit.doi or hit.arxiv_id or hit.url,
            status=status,
            references=references,
            citing=citing,
            why=why,
            seconds=time.monotonic() - began,
            requests=sent.requests,
        )


async def side_by_side(
    references: Awaitable[Sequence[Hit]], citing: Awaitable[Sequence[Hit]]
) -> Linked:
    """Return both lists, or the one that arrived. Raises TroubleError if neither did."""
    found = await asyncio.gather(_attempt(references), _attempt(citing))
    (ours, trouble), (theirs, other) = found
    if trouble is not None and other is not None:
        raise trouble
    missing = f"references missing: {trouble.why}" if trouble is not None else ""
    missing = f"citing works missing: {other.why}" if other is not None else missing
    return Linked(tuple(ours), tuple(theirs), missing)


def unknown(why: str) -> TroubleError:
    """The index has nothing on the work, which is not an error."""
    return TroubleError(SourceStatus.EMPTY, why, Blame.NOBODY)


async def _attempt(request: Awaitable[Sequence[Hit]]) -> tuple[Sequence[Hit], TroubleError | None]:
    try:
        return await request, None
    except TroubleError as trouble:
        return (), trouble


def _work(hit: Hit) -> Work:
    """Return a work's identifiers from a hit; an arXiv DOI is an arXiv id."""
    arxiv = next(
        (found[1] for text in (hit.arxiv_id, hit.doi, hit.url) if (found := _ARXIV.search(text))),
        "",
    )
    doi = doi_of(hit.doi) or (doi_of(hit.url) if "doi.org/" in hit.url else "")
    return Work("" if doi.startswith("10.48550/arxiv.") else doi, arxiv, hit.url)


def _status(found: Linked) -> SourceStatus:
    if found.missing:
        return SourceStatus.DEGRADED
    return SourceStatus.OK if found.references or found.citing else SourceStatus.EMPTY
