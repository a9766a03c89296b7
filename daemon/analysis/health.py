"""A vault's health: orphans, clusters, unresolved links, outdated notes."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from daemon.model.agenda import Gap


@dataclass(frozen=True, slots=True)
class Unresolved:
    """An unresolved target, in its most frequent spelling, and the notes that use it."""

    target: str
    sources: tuple[str, ...]  # in path order
    count: int  # how many times in total


class ClusterKind(StrEnum):
    """Whether the notes of a cluster are linked, or only similar."""

    DENSE = "dense"
    SPARSE = "sparse"


@dataclass(frozen=True, slots=True)
class Cluster:
    """Notes that belong together. `density` is the share of their possible links that exist."""

    label: str
    notes: tuple[str, ...]  # the most central first
    density: float
    kind: ClusterKind
    links: int  # linked pairs inside
    near: int  # similar pairs inside
    near_linked: int  # similar pairs inside that are linked
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A topic that is not proposed because no query for it passes the check."""

    topic: str
    note: str | None
    query: str
    why: str


@dataclass(frozen=True, slots=True)
class Health:
    """The result of one analysis. Paths are in path order, gaps by score.

    `notes` are those that count (no templates, daily notes, attachments, excluded files, nor
    findings that are not accepted); `links` are pairs of a note or canvas and a note that it links
    to.
    """

    notes: int
    links: int
    isolated: tuple[str, ...]
    unreferenced: tuple[str, ...]
    unresolved: tuple[Unresolved, ...]
    clusters: tuple[Cluster, ...]
    stale: tuple[str, ...]
    gaps: tuple[Gap, ...]
    refused: tuple[Refused, ...] = ()  # topics that would be gaps if there were a query for them
    conflicts: tuple[str, ...] = ()  # copies that a sync program made: for the user to merge
    troubles: tuple[tuple[str, str], ...] = ()  # notes that could only be read in part, and why

    def as_dict(self) -> dict[str, Any]:
        """The stable form of `health --json`."""
        return {
            "notes": self.notes,
            "links": self.links,
            "isolated": list(self.isolated),
            "unreferenced": list(self.unreferenced),
            "unresolved": [
                {"target": found.target, "from": list(found.sources)} for found in self.unresolved
            ],
            "clusters": [
                {
                    "label": cluster.label,
                    "notes": list(cluster.notes),
                    "density": cluster.density,
                    "kind": cluster.kind.value,
                }
                for cluster in self.clusters
            ],
            "stale": list(self.stale),
            "conflicts": list(self.conflicts),
            "troubles": [{"path": path, "why": why} for path, why in self.troubles],
            "gaps": [
                {
                    "kind": gap.kind.value,
                    "topic": gap.topic,
                    "note": gap.notes[0] if gap.notes else None,
                    "why": gap.why,
                    "score": gap.score,
                    "parts": gap.parts,
                    "query": gap.query,
                    "details": gap.details,
                }
                for gap in self.gaps
            ],
            "refused": [
                {"topic": each.topic, "note": each.note, "query": each.query, "why": each.why}
                for each in self.refused
            ],
        }
