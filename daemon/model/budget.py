"""How much a run may query and read, by its depth."""

from collections.abc import Mapping
from dataclasses import dataclass

from daemon.model.agenda import Depth


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a run, per task unless stated otherwise."""

    hits: int  # requested from each source
    documents: int  # fetched of what the sources returned
    hops: int  # from the search results, along citations
    works: int  # whose citations are requested
    links: int  # taken from each list of references or citations
    followed: int  # documents fetched along citations


BUDGETS: Mapping[Depth, Budget] = {
    Depth.QUICK: Budget(hits=10, documents=3, hops=1, works=2, links=20, followed=2),
    Depth.STANDARD: Budget(hits=20, documents=6, hops=2, works=5, links=40, followed=3),
    Depth.DEEP: Budget(hits=30, documents=10, hops=3, works=12, links=60, followed=6),
}
