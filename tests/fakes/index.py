"""A source that is a citation index, too: it answers from tables."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from daemon.model.citations import Citations
from daemon.model.evidence import Hit, SourceStatus, SourceType
from tests.fakes.source import FakeSource


def a_work(name: str, source: str = "one", **values: Any) -> Hit:
    """A paper known by its DOI; its address ends in its name."""
    known: dict[str, Any] = {
        "title": f"A paper on {name} and bread",
        "doi": f"10.1000/{name}",
        "citations": 12,
        **values,
    }
    return Hit(source, SourceType.PAPER, f"https://example.org/{name}", **known)


class FakeIndex(FakeSource):
    """`references` and `citing` are by the name in a work's DOI; remembers whom it was asked about.

    `silent` hangs when it is asked for citations; `trouble` is raised instead of an answer.
    """

    def __init__(
        self,
        name: str = "one",
        hits: Sequence[Hit] = (),
        *,
        references: Mapping[str, Sequence[Hit]] | None = None,
        citing: Mapping[str, Sequence[Hit]] | None = None,
        silent: bool = False,
        trouble: Exception | None = None,
        **more: Any,
    ) -> None:
        super().__init__(name, hits, **more)
        self.references = references or {}
        self.citing = citing or {}
        self.looked_up: list[str] = []
        self._silent = silent
        self._trouble = trouble

    async def citations(self, hit: Hit, *, limit: int) -> Citations:
        work = hit.doi.rpartition("/")[2]
        self.looked_up.append(work)
        if self._silent:
            await asyncio.Event().wait()
        if self._trouble is not None:
            raise self._trouble
        references = tuple(self.references.get(work, ()))
        citing = tuple(self.citing.get(work, ()))
        status = SourceStatus.OK if references or citing else SourceStatus.EMPTY
        return Citations(self.name, hit.doi, status, references, citing)
