"""What is ours in a vault: notes of ours that nobody accepted, and all else in the inbox. Pure."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from daemon.model.finding import FindingStatus, Standing
from daemon.store.notes import NoteStore


class Present(Collection[str]):
    """The paths that the index knows, asked for one by one."""

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
    """Tells our notes from the user's.

    `standings` are those of all findings that are known, by `lacuna_id`; `present` are the paths
    of the whole vault; `inbox` is "" where there is none.
    """

    inbox: str
    standings: Mapping[str, Standing]
    present: Collection[str]

    def is_own(self, path: str, frontmatter: Mapping[str, Any]) -> bool:
        """Whether this takes no part in what is known of the vault.

        What the user decided is kept; a note's own `status` is asked only where nothing is.
        """
        if not frontmatter.get("lacuna_id"):
            return self._is_inside(path) and not self._is_accepted_at(path)
        standing = self.standings.get(str(frontmatter["lacuna_id"]))
        if standing is None:
            return self._says_own(path, frontmatter)
        if standing.status is FindingStatus.PENDING:
            return not self._has_left(path, standing)
        return standing.status is not FindingStatus.ACCEPTED

    def _has_left(self, path: str, standing: Standing) -> bool:
        """Whether a finding was moved out, which accepts it; a copy leaves the finding behind."""
        inside = self._is_inside(standing.path) and not self._is_inside(path)
        return inside and standing.path not in self.present

    def _is_accepted_at(self, path: str) -> bool:
        """Whether a note without properties is a finding that was accepted with them."""
        return any(
            one.path == path and one.status is FindingStatus.ACCEPTED
            for one in self.standings.values()
        )

    def _says_own(self, path: str, frontmatter: Mapping[str, Any]) -> bool:
        """What a note says of itself; of one that was moved out, pending says nothing any more."""
        status = str(frontmatter.get("status", "")).strip().casefold()
        has_left = bool(self.inbox) and not self._is_inside(path)
        if has_left and frontmatter.get("type") == "finding":
            return status == "dismissed"
        return status != "accepted"

    def _is_inside(self, path: str) -> bool:
        return bool(self.inbox) and path.startswith(f"{self.inbox}/")
