"""Our own notes in a vault: those that nobody has accepted, and everything else in the inbox.
Pure.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from daemon.model.finding import REVIEWED_KINDS, FindingState, FindingStatus
from daemon.store.notes import NoteStore


class Present(Collection[str]):
    """The indexed paths, looked up one by one."""

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes

    def __contains__(self, path: object) -> bool:
        return self._notes.get(str(path)) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._notes.all_paths())

    def __len__(self) -> int:
        return len(self._notes.all_paths())


@dataclass(frozen=True, slots=True)
class Ownership:
    """Distinguishes our notes from the user's.

    `statuses` are those of all known findings, by `lacuna_id`; `present` are the paths of the
    whole vault; `inbox` is "" if there is none.
    """

    inbox: str
    statuses: Mapping[str, FindingState]
    present: Collection[str]

    def is_own(self, path: str, frontmatter: Mapping[str, Any]) -> bool:
        """Return whether this note is excluded from analysis.

        The user's recorded decision counts; a note's own `status` is used only without one.
        """
        if not frontmatter.get("lacuna_id"):
            return self._is_inside(path) and not self._is_accepted_at(path)
        standing = self.statuses.get(str(frontmatter["lacuna_id"]))
        if standing is None:
            return self._is_marked_own(path, frontmatter)
        if standing.status is FindingStatus.PENDING:
            return not self._has_left(path, standing)
        return standing.status is not FindingStatus.ACCEPTED

    def _has_left(self, path: str, standing: FindingState) -> bool:
        """Return whether a finding was moved out, which accepts it; a copy leaves the finding
        behind.
        """
        inside = self._is_inside(standing.path) and not self._is_inside(path)
        return inside and standing.path not in self.present

    def _is_accepted_at(self, path: str) -> bool:
        """Return whether a note without properties is a finding that was accepted with them."""
        return any(
            one.path == path and one.status is FindingStatus.ACCEPTED
            for one in self.statuses.values()
        )

    def _is_marked_own(self, path: str, frontmatter: Mapping[str, Any]) -> bool:
        """Return a note's own status; in one that was moved out, pending no longer counts."""
        status = str(frontmatter.get("status", "")).strip().casefold()
        has_left = bool(self.inbox) and not self._is_inside(path)
        if has_left and frontmatter.get("type") in REVIEWED_KINDS:
            return status == "dismissed"
        return status != "accepted"

    def _is_inside(self, path: str) -> bool:
        return bool(self.inbox) and path.startswith(f"{self.inbox}/")
