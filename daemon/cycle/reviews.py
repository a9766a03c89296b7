"""The user's decisions, taken from the vault into the store and back into the note."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from daemon.cycle.announce import Announcements
from daemon.cycle.current_note import current_note
from daemon.cycle.digests import Digests
from daemon.cycle.knowledge import Knowledge
from daemon.cycle.moved_inbox import MovedInbox
from daemon.findings.decisions import Decisions
from daemon.findings.held import hold_bulk, holds
from daemon.findings.review import (
    Decision,
    OtherSigns,
    by_command,
    decide,
    file_name,
    sightings,
    unclear,
)
from daemon.inbox.files import InboxFiles
from daemon.model.errors import LacunaError, NotFoundError
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.own_notes import SeenNote, is_inside
from daemon.store.findings import FindingStore
from vault_adapters.base import NoteError, VaultAdapter
from vault_adapters.edit import read_property
from vault_adapters.note import Role

_log = logging.getLogger(__name__)


class Reviews:
    """Reads the user's changes to our notes, and carries out the decisions."""

    def __init__(
        self,
        adapter: VaultAdapter,
        knowledge: Knowledge,
        findings: FindingStore,
        files: InboxFiles,
        digests: Digests,
        moved: MovedInbox,
        *,
        grace: timedelta,
        announce: Announcements | None = None,
    ) -> None:
        self._adapter = adapter
        self._knowledge = knowledge
        self._findings = findings
        self._decisions = Decisions(files, findings)
        self._folder = files.folder
        self._grace = grace
        self._digests = digests
        self._moved = moved
        self.announce = announce or Announcements()
        self.needs_sync = False  # whether the last scan found notes of ours that the index does not

    def take(self, now: datetime) -> list[FindingRecord]:
        """Apply every decision that the notes show now; return the changed findings."""
        records, seen, besides = self._seen(is_just_synced=True)
        decisions = decide(
            records, seen, now=now, grace=self._grace, inbox=self._folder, other_signs=besides
        )
        taken = self._knowledge.paths()
        held = hold_bulk(decisions, now)
        changed = [self._apply(decision, now, taken) for decision in held]
        self.needs_sync = self._moved.save_place(besides.moved_to) or held != decisions
        records = self._findings.reviewable()
        self._digests.show_holds(holds(records), now)
        self._digests.update(records)
        return [record for record in changed if record is not None]

    def moved_inbox(self) -> str:
        """Return the folder to which the inbox was moved against the settings, or ""."""
        return self._moved.place(self._findings.reviewable())

    def next_at(self, now: datetime) -> datetime | None:
        """Return when the next grace period of a missing note ends, if there is one."""
        gone = [each.missing_at for each in self._findings.all(FindingStatus.PENDING)]
        ends = [missing_at + self._grace for missing_at in gone if missing_at is not None]
        return min((end for end in ends if end > now), default=None)

    def missing(self) -> dict[str, datetime]:
        """Return id → when a finding whose note was deleted counts as dismissed."""
        waiting = {id_ for hold in holds(self._findings.reviewable()) for id_ in hold.waiting}
        return {
            each.id: each.missing_at + self._grace
            for each in self._findings.all(FindingStatus.PENDING)
            if each.missing_at is not None and each.id not in waiting
        }

    def unclear(self) -> dict[str, str]:
        """Return id → why nothing was decided, for notes whose boxes and status contradict each
        other.
        """
        records, seen, besides = self._seen()
        waiting = {id_: hold.why for hold in holds(records) for id_ in hold.waiting}
        return waiting | unclear(records, seen, inbox=self._folder, other_signs=besides)

    def command(
        self, ref: str, status: FindingStatus, now: datetime, *, never: bool = False
    ) -> FindingRecord:
        """Decide one finding by its id, path or file name. Raises LacunaError."""
        record = self.find(ref)
        if self._text_at(record.path) is None:
            raise LacunaError(f"{record.path}: its note is gone; it was {record.status}")
        decision = by_command(record, status, never=never)
        taken, also = self._knowledge.paths(), self._announcing(now)
        decided = self._decisions.apply(decision, now=now, taken=taken, also=also)
        if decided is None:
            raise LacunaError(f"{record.path} is being changed; try again in a moment")
        return decided

    def _announcing(self, now: datetime) -> Callable[[FindingRecord], None]:
        """Return what announces a decision in the transaction that stores it."""
        return lambda record: self.announce.decided(record, now)

    def _text_at(self, path: str) -> bytes | None:
        try:
            return self._adapter.load(path)
        except NoteError:
            return None

    def find(self, ref: str) -> FindingRecord:
        """Return one finding by its id, path or file name. Raises LacunaError."""
        record = self._findings.get(ref)
        if record is None:
            raise NotFoundError(f"{ref}: no such finding; `lacuna findings list` shows them")
        return record

    def present(self) -> dict[str, str]:
        """Return `lacuna_id` → path of our notes in the vault."""
        return self._knowledge.own_paths()

    def _apply(self, decision: Decision, now: datetime, taken: list[str]) -> FindingRecord | None:
        also = self._announcing(now)
        record = self._decisions.apply(decision, now=now, taken=taken, also=also)
        if record is not None and decision.status is not None:
            _log.info("%s: %s, because %s", record.path, record.status, decision.why)
        elif decision.path is None and decision.why:  # deleting it is a way to dismiss it
            _log.info("%s: nothing decided yet: %s", decision.id, decision.why)
        elif decision.why:
            _log.warning("%s: nothing decided: %s", decision.path, decision.why)
        return record if decision.status is not None else None

    def _seen(
        self, *, is_just_synced: bool = False
    ) -> tuple[list[FindingRecord], dict[str, SeenNote], OtherSigns]:
        """Return the findings that can be reviewed now, the note of each by id, and the rest."""
        notes = self._notes(is_just_synced=is_just_synced)
        reviewable = self._findings.reviewable()
        records = [each for each in reviewable if not self._is_unread(each, notes)]
        notes += self._stripped(records, notes)
        seen = sightings(records, notes, inbox=self._folder)
        copies = self._copies(records, [note for note in notes if note[1] is not seen.get(note[0])])
        moved_to = self._moved.find(records, {id_: note.path for id_, note in seen.items()})
        return records, seen, OtherSigns(self._digests.ticks(records), copies, moved_to)

    def _copies(
        self, records: Iterable[FindingRecord], others: Iterable[tuple[str, SeenNote]]
    ) -> dict[str, list[SeenNote]]:
        """Return id → other notes with the same id: copies of a sync, and `others` in the inbox."""
        ids = {record.id for record in records}
        stems = tuple(file_name(record.path).removesuffix(".md") for record in records)
        found: defaultdict[str, list[SeenNote]] = defaultdict(list)
        for id_, note in others:
            if id_ in ids and is_inside(note.path, self._folder):
                found[id_].append(note)
        for path in sorted(self._knowledge.notes.paths(Role.CONFLICT)):
            row = self._knowledge.notes.get(path) if file_name(path).startswith(stems) else None
            copy = current_note(self._adapter, row) if row is not None else None
            if copy is not None:
                found[str(read_property(copy.text, "lacuna_id"))].append(copy)
        return found

    def _notes(self, *, is_just_synced: bool) -> list[tuple[str, SeenNote]]:
        """Read the current text of our notes."""
        rows = self._knowledge.own_notes()
        notes = (
            (row, current_note(self._adapter, row, is_just_synced=is_just_synced)) for row in rows
        )
        return [(str(row.frontmatter["lacuna_id"]), note) for row, note in notes if note]

    def _stripped(
        self, records: Iterable[FindingRecord], notes: Iterable[tuple[str, SeenNote]]
    ) -> list[tuple[str, SeenNote]]:
        """Read the notes that may be findings without their properties."""
        there = {id_ for id_, _ in notes}
        names = {file_name(record.path) for record in records if record.id not in there}
        rows = self._knowledge.notes.all() if names else []
        seen = [
            current_note(self._adapter, row)
            for row in rows
            if file_name(row.path) in names and row.hash and not row.frontmatter.get("lacuna_id")
        ]
        return [("", note) for note in seen if note is not None]

    def _is_unread(self, record: FindingRecord, notes: Iterable[tuple[str, SeenNote]]) -> bool:
        """Return whether a note is not gone but could not be read: the next scan decides."""
        if any(id_ == record.id for id_, _ in notes):
            return False
        row = self._knowledge.notes.get(record.path)
        if row is None:  # perhaps it was written since the last sync
            return self._text_at(record.path) is not None
        is_ours = row.frontmatter.get("lacuna_id") == record.id
        return is_ours or not row.hash
