"""Carry out decisions: first in the finding's note, then in the store.

A process that is killed in between comes to the same decision when it reads the note again.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime
from functools import partial

from daemon.findings.block import as_status
from daemon.findings.review import Decision
from daemon.inbox.files import InboxFiles
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.own_notes import is_inside
from daemon.store.findings import FindingStore


class Decisions:
    """Rewrites, moves and records findings according to decisions."""

    def __init__(self, files: InboxFiles, findings: FindingStore) -> None:
        self._files = files
        self._findings = findings

    def apply(
        self,
        decision: Decision,
        *,
        now: datetime,
        taken: Collection[str] = (),
        also: Callable[[FindingRecord], None] = lambda _record: None,
    ) -> FindingRecord | None:
        """Apply a decision to the note and the store, and return the new record.

        `taken` are the paths of the whole vault. What `also` writes about a new status is stored
        with it, or not at all. None if the note has changed since it was read, or is changing:
        decide again later. Raises VaultError.
        """
        record = self._findings.get(decision.id)
        if record is None:
            return None
        record = replace(
            record,
            feedback=decision.feedback,
            missing_at=decision.missing_at,
            hold=decision.hold,
        )
        if decision.path is not None:
            seen_hash = decision.hash or record.content_hash
            record = replace(record, path=decision.path, content_hash=seen_hash)
        if decision.status is not None:
            decided_at = None if decision.status is FindingStatus.PENDING else now
            record = replace(record, status=decision.status, decided_at=decided_at)
            carried = self._carry_out(record, decision, taken)
            if carried is None:
                return None
            record = carried
        is_decided = decision.status is not None
        both = partial(also, record) if is_decided else _nothing_else
        self._findings.decide(record, at=now, never=decision.never, also=both)
        return record

    def _carry_out(
        self, record: FindingRecord, decision: Decision, taken: Collection[str]
    ) -> FindingRecord | None:
        """Rewrite and move the note if it exists and is ours to write; None if it changed."""
        seen = self._files.check(record.path) if decision.path is not None else None
        if seen is None:
            return record
        if decision.hash not in ("", seen.hash):
            return None
        text = as_status(seen.text, record.status, never=decision.never)
        seen_hash = self._files.rewrite(seen, text)
        path = None if seen_hash is None else self._move_back(record, taken)
        if seen_hash is None or path is None:
            return None
        return replace(record, path=path, content_hash=seen_hash)

    def _move_back(self, record: FindingRecord, taken: Collection[str]) -> str | None:
        """Move a dismissed note into the archive, and any other out of it; return its path."""
        archive = self._files.archive
        is_archived = is_inside(record.path, archive)
        if is_archived == (record.status is FindingStatus.DISMISSED):
            return record.path
        to = self._target_path(record) if is_archived else archive
        return self._files.move(record.path, to, taken=taken)

    def _target_path(self, record: FindingRecord) -> str:
        """Return the folder of the other findings of its run, or the inbox itself."""
        inbox, archive = self._files.folder, self._files.archive
        others = (each.path for each in self._findings.of_run(record.run) if each.id != record.id)
        there = (path for path in others if is_inside(path, inbox))
        found = (path.rpartition("/")[0] for path in there if not is_inside(path, archive))
        return next(found, inbox)


def _nothing_else() -> None:
    """Store the record alone."""
