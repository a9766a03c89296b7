"""Review digests: their ticks, and the state that they should show."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from daemon.cycle.current_note import current_note
from daemon.cycle.knowledge import Knowledge
from daemon.findings.bulk import Choice, choices, show
from daemon.findings.digest import digest_head, with_entry
from daemon.findings.held import Hold, hold_entry
from daemon.inbox.inbox import Inbox
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.notes import NoteRow
from daemon.model.own_notes import DigestRow, SeenNote, is_inside
from daemon.store.digests import DigestStore
from vault_adapters.base import VaultAdapter

_PENDING = FindingStatus.PENDING


@dataclass(frozen=True, slots=True)
class _Open:
    """A digest with a new decision, or that does not show the state of its findings."""

    row: DigestRow
    seen: SeenNote
    statuses: Mapping[str, FindingStatus]  # of the findings of its runs

    def ticks(self) -> dict[str, Choice]:
        """Return the choices that differ from the last shown state, and are undecided."""
        return {
            id: choice
            for id, choice in choices(self.seen.text).items()
            if id in self.statuses
            and choice.status is not self.row.shown.get(id, _PENDING)
            and choice.status is not self.statuses[id]
        }


class Digests:
    """Reads the ticks of digests, and updates digests with decisions made anywhere."""

    def __init__(
        self,
        adapter: VaultAdapter,
        knowledge: Knowledge,
        store: DigestStore,
        inbox: Inbox,
        *,
        folder: str,
    ) -> None:
        self._adapter = adapter
        self._knowledge = knowledge
        self._store = store
        self._inbox = inbox
        self._folder = folder

    def ticks(self, records: Iterable[FindingRecord]) -> dict[str, Choice]:
        """Return id → the tick for an undecided finding that was set or removed."""
        return {id: tick for digest in self._open(records) for id, tick in digest.ticks().items()}

    def update(self, records: Iterable[FindingRecord]) -> None:
        """Update every digest with the state of its findings.

        The ticks of a choice that could not be carried out stay until it is resolved.
        """
        for digest in self._open(records):
            self._show(digest)

    def show_holds(self, holds: Iterable[Hold], now: datetime) -> None:
        """Ask in today's digest, once, for a confirmation of each hold."""
        for hold in holds:
            if self._store.path(hold.id) is None:
                tz, link = self._inbox.tz, self._knowledge.linker()
                entry = hold_entry(hold, now, link=link, tz=tz)
                text = digest_head(hold.id, now, tz) + entry
                taken = self._knowledge.paths()
                add = partial(with_entry, run=hold.id, entry=entry)
                self._inbox.write_digest(hold.id, text, add, created_at=now, taken=taken)

    def _show(self, digest: _Open) -> None:
        unsettled = digest.ticks().keys()
        statuses = {id: each for id, each in digest.statuses.items() if id not in unsettled}
        text, seen_hash = digest.seen.text, digest.seen.hash
        if is_inside(digest.seen.path, self._folder):
            text = show(text, statuses, settled=not unsettled)
            new_hash = self._inbox.files.rewrite(digest.seen, text)
            if new_hash is None:  # it is being edited: the next scan handles it
                return
            seen_hash = new_hash
        after = choices(text)
        written = {
            id: after[id].status if id in after else status for id, status in statuses.items()
        }
        shown = digest.row.shown | {id: each for id, each in written.items() if each is not None}
        # Until everything is settled it counts as unread, so that the next scan reads it again.
        kept_hash = "" if unsettled else seen_hash
        self._store.showed(digest.row.id, digest.seen.path, kept_hash, shown)

    def _open(self, records: Iterable[FindingRecord]) -> list[_Open]:
        rows = self._store.all()
        digest_of = {run: row.id for row in rows for run in row.runs}
        of_run: defaultdict[str, dict[str, FindingStatus]] = defaultdict(dict)
        for record in records:
            for run in (record.run, record.hold):
                of_run[digest_of.get(run, "")][record.id] = record.status
        notes = self._notes()
        found = []
        for row in rows:
            note = notes.get(row.id)
            if note is None or not self._is_open(row, note, of_run[row.id]):
                continue
            seen = current_note(self._adapter, note)
            if seen is not None:
                found.append(_Open(row, seen, of_run[row.id]))
        return found

    def _is_open(
        self, row: DigestRow, note: NoteRow, statuses: Mapping[str, FindingStatus]
    ) -> bool:
        if note.hash != row.content_hash:
            return True
        is_ours = is_inside(note.path, self._folder)
        return is_ours and any(
            status is not row.shown.get(id, _PENDING) for id, status in statuses.items()
        )

    def _notes(self) -> dict[str, NoteRow]:
        """Return `lacuna_id` → the digest's note; of two with one id, the one in the inbox."""
        rows = [
            row for row in self._knowledge.own_notes() if row.frontmatter.get("type") == "digest"
        ]
        rows.sort(key=lambda row: (not is_inside(row.path, self._folder), row.path), reverse=True)
        return {str(row.frontmatter["lacuna_id"]): row for row in rows}
