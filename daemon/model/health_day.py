"""The figures of a vault on one day, kept to show how they develop."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HealthDay:
    """Counts of one analysis; `clusters` are the sizes of the clusters, the largest first."""

    notes: int
    links: int
    isolated: int
    unresolved: int
    clusters: tuple[int, ...]
