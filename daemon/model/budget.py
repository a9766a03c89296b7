"""How much a run may ask and read, by its depth."""

from collections.abc import Mapping
from dataclasses import dataclass

from daemon.model.agenda import Depth


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a run does, for each task unless something else is said."""

    hits: int  # asked of each source
    documents: int  # fetched of what the sources returned
    hops: int  # from what was searched for, along citations
    works: int  # whose citations are asked for
    links: int  # taken from each list of references or of citing works
    followed: int  # documents fetched of what citations led to


BUDGETS: Mapping[Depth, Budget] = {
    Depth.QUICK: Budget(hits=10, documents=3, hops=1, works=2, links=20, followed=2),
    Depth.STANDARD: Budget(hits=20, documents=6, hops=2, works=5, links=40, followed=3),
    Depth.DEEP: Budget(hits=30, documents=10, hops=3, works=12, links=60, followed=6),
}
