"""How a vault is: its orphans, its areas, what it names and does not have, what has grown old."""

from dataclasses import dataclass
from typing import Any

from daemon.analysis.graph import Unresolved
from daemon.analysis.queries import Refused
from daemon.analysis.topics import Cluster
from daemon.model.agenda import Gap


@dataclass(frozen=True, slots=True)
class Health:
    """What one look at the vault found. Paths are in path order, gaps by score.

    `notes` are those that count (no templates, daily notes, attachments, excluded files, nor
    findings that nobody accepted); `links` are pairs of a note or canvas and a note it names.
    """

    notes: int
    links: int
    isolated: tuple[str, ...]
    unreferenced: tuple[str, ...]
    unresolved: tuple[Unresolved, ...]
    clusters: tuple[Cluster, ...]
    stale: tuple[str, ...]
    gaps: tuple[Gap, ...]
    refused: tuple[Refused, ...] = ()  # what would be gaps if there were a query for them
    conflicts: tuple[str, ...] = ()  # copies that a sync program left: for the user to merge
    troubles: tuple[tuple[str, str], ...] = ()  # notes that could not be read whole, and why

    def as_dict(self) -> dict[str, Any]:
        """The stable shape of `health --json`."""
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
