"""The inbox: the only folder in the vault that is written to.

The store has a pending write before a note is written, and marks it as done afterwards, so that a
killed process neither loses a note nor writes it twice. A decision is in the note before it is in
the store: reading the note again leads to the same decision.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from hashlib import sha256

from daemon.inbox.files import InboxFiles
from daemon.inbox.stores import OwnNotes, PendingWriteStore
from daemon.model.agenda import Agenda
from daemon.model.finding import Finding, FindingRecord, InboxLayout, record_of
from daemon.model.own_notes import DigestRow, PendingWrite, is_inside
from daemon.store.digests import digest_id
from vault_adapters.edit import read_property
from vault_adapters.inert import safe_name

_LEADING_SIGNS = re.compile(r"^[^\w]+")
_LONGEST_TITLE = 80  # characters of a title in a file's name


class Inbox:
    """Writes findings, agendas and digests, and notes of no other kind.

    Where a method takes `taken`, it is the paths of the whole vault: no new note shares its name
    with one of them. What the disk refuses is raised as VaultError; the write stays pending, and
    `resume` completes it later. `suffix` distinguishes the names of agendas and digests from those
    of other machines.
    """

    def __init__(
        self,
        files: InboxFiles,
        own: OwnNotes,
        *,
        tz: tzinfo = UTC,
        layout: InboxLayout = InboxLayout.FLAT,
        suffix: Callable[[], str] = lambda: "",
    ) -> None:
        self.files = files
        self.tz = tz
        self._own = own
        self._layout = layout
        self._suffix = suffix

    def add_finding(
        self, finding: Finding, text: str, *, taken: Collection[str] = (), run_folder: str = ""
    ) -> FindingRecord:
        """Write a finding's note; return an existing one unchanged.

        `run_folder` is the name of its run's folder, for the layout in which each run has one.
        """
        known = self._own.findings.get(finding.id)
        if known is not None:
            self._complete_old(self._own.findings, finding.id, taken)
            return self._own.findings.get(finding.id) or known
        has_folder = run_folder and self._layout is InboxLayout.RUNS
        folder = f"{self.files.folder}/{safe_name(run_folder)}" if has_folder else ""
        return self._add(record_of(finding, ""), text, taken=taken, folder=folder)

    def add_reviewed(
        self,
        record: FindingRecord,
        text: str,
        *,
        taken: Collection[str] = (),
        folder: str,
        is_dated: bool = True,
    ) -> FindingRecord:
        """Write a note that is reviewed like a finding into the subfolder `folder` of the inbox.

        It is named after its title, and its day if it `is_dated`. Return an existing one with its
        id unchanged.
        """
        known = self._own.findings.get(record.id)
        if known is not None:
            self._complete_old(self._own.findings, record.id, taken)
            return self._own.findings.get(record.id) or known
        folder = f"{self.files.folder}/{folder}"
        return self._add(record, text, taken=taken, folder=folder, is_dated=is_dated)

    def _add(
        self,
        record: FindingRecord,
        text: str,
        *,
        taken: Collection[str],
        folder: str,
        is_dated: bool = True,
    ) -> FindingRecord:
        """Write a new note that is to be reviewed."""
        day = f"{self._local(record.created_at):%Y-%m-%d} " if is_dated else ""
        # A title that begins like a path is no path, and a file's name need not look like one.
        title = _short(_LEADING_SIGNS.sub("", record.title)) or "Untitled"
        path = self._new_path(f"{day}{title}", taken, folder=folder)
        record = replace(record, path=path)
        self._own.findings.add_pending(record, text)
        self._complete(self._own.findings, PendingWrite(record.id, record.path, text), taken)
        return self._own.findings.get(record.id) or record

    def write_agenda(
        self,
        agenda: Agenda,
        text: str,
        *,
        taken: Collection[str] = (),
        also: Callable[[Agenda], None] = lambda _agenda: None,
    ) -> Agenda:
        """Write an agenda's note and return the agenda with its path.

        What `also` writes into the store is stored together with the pending write, or not at all.
        """
        known = self._own.agendas.get(agenda.id)
        if known is not None and known.path:
            self._complete_old(self._own.agendas, agenda.id, taken)
            return self._own.agendas.get(agenda.id) or known
        stem = f"Agenda {self._local(agenda.created_at):%Y-%m-%d %H%M}{self._suffix()}"
        path = self._new_path(stem, taken)
        agenda = replace(agenda, path=path)
        self._own.agendas.add_pending(agenda, text, also)
        self._complete(self._own.agendas, PendingWrite(agenda.id, path, text), taken)
        return self._own.agendas.get(agenda.id) or agenda

    def write_digest(
        self,
        run: str,
        text: str,
        add: Callable[[str], str],
        *,
        created_at: datetime,
        taken: Collection[str] = (),
    ) -> str:
        """Add a run to the digest of its day, and return that digest's path.

        `add` adds the run's entry to the digest that the day has in the inbox; without one, `text`
        is written as a new one. What the user changed in it stays, and is read at the next review.
        """
        known = self._own.digests.path(run)
        if known is not None:
            self._complete_old(self._own.digests, digest_id(run), taken)
            return self._own.digests.path(run) or known
        day = f"{self._local(created_at):%Y-%m-%d}"
        today = self._own.digests.of_day(day)
        if today is not None and (path := self._add_entry(today, run, add)):
            return path
        path = self._new_path(f"Digest {day}{self._suffix()}", taken)
        pending = PendingWrite(digest_id(run), path, text)
        self._own.digests.add_pending(pending, day=day, run=run)
        return self._complete(self._own.digests, pending, taken)

    def write_own(
        self, id: str, name: str, text: str, *, taken: Collection[str] = (), folder: str = ""
    ) -> str:
        """Write a note of another kind, called `name`, and return its path.

        It goes into the inbox, or into its subfolder `folder`. A pending one is completed
        unchanged; one that was written and deleted is written again.
        """
        known = self._own.others.path(id)
        if known is not None and any(pending.id == id for pending in self._own.others.pending()):
            self._complete_old(self._own.others, id, taken)
            return self._own.others.path(id) or known
        within = f"{self.files.folder}/{folder}" if folder else ""
        path = self._new_path(name, taken, pending=known or "", folder=within)
        pending = PendingWrite(id, path, text)
        self._own.others.add_pending(pending)
        return self._complete(self._own.others, pending, taken)

    def add_to_own(
        self,
        id: str,
        name: str,
        text: str,
        add: Callable[[str], str],
        *,
        taken: Collection[str] = (),
        folder: str = "",
    ) -> str:
        """Change a note of another kind with `add`, and return its path.

        Without one in the inbox, `text` is changed and written as in `write_own`. Return "" if the
        note is just being edited.
        """
        path = self._own.others.path(id)
        self._complete_old(self._own.others, id, taken)
        seen = self.files.check(path) if path is not None else None
        if seen is None or read_property(seen.text, "lacuna_id") != id:
            return self.write_own(id, name, add(text), taken=taken, folder=folder)
        return seen.path if self.files.rewrite(seen, add(seen.text)) is not None else ""

    def update_agenda(self, agenda: Agenda, edit: Callable[[str], str]) -> bool:
        """Store an agenda, and bring its note up to date with `edit` if it is still there.

        Return False when the note is just being changed: the agenda is stored all the same, and
        the note can be brought up to date later.
        """
        seen = self.files.check(agenda.path) if agenda.path else None
        written = self.files.rewrite(seen, edit(seen.text)) if seen else None
        self._own.agendas.save(agenda, written)
        return seen is None or written is not None

    def has_pending(self) -> bool:
        """Return whether a write is pending."""
        return any(store.pending() for store in self._own.each())

    def resume(
        self, present: Mapping[str, str] | None = None, *, taken: Collection[str] = ()
    ) -> list[str]:
        """Complete the writes that a killed process left pending; return the paths written now.

        `present` is `lacuna_id` → path of the own notes in the vault: a note that was written, and
        moved by the user before it could be marked, is not written again.
        """
        finished = []
        for store in self._own.each():
            for pending in store.pending():
                moved_to = (present or {}).get(pending.id)
                if moved_to is None:
                    finished.append(self._complete(store, pending, taken))
                else:
                    store.repath(pending.id, moved_to)
                    store.written(pending.id, sha256(pending.text.encode()).hexdigest())
        return finished

    def _add_entry(self, digest: DigestRow, run: str, add: Callable[[str], str]) -> str:
        """Add a run's entry to a digest, and return its path; "" when it is not ours to write now.

        One that the user took out of the inbox, or put into the archive, is closed.
        """
        seen = None if is_inside(digest.path, self.files.archive) else self.files.check(digest.path)
        if seen is None or read_property(seen.text, "lacuna_id") != digest.id:
            return ""
        written = self.files.rewrite(seen, add(seen.text))
        if written is None:
            return ""
        is_read = seen.hash == digest.content_hash  # else the user's ticks are yet to be taken
        self._own.digests.added(digest.id, run, seen.path, written if is_read else "")
        return seen.path

    def _complete_old(self, store: PendingWriteStore, id: str, taken: Collection[str]) -> None:
        """Complete an earlier write, if it is still pending."""
        for pending in store.pending():
            if pending.id == id:
                self._complete(store, pending, taken)

    def _complete(
        self, store: PendingWriteStore, pending: PendingWrite, taken: Collection[str]
    ) -> str:
        """Complete one pending write, and return where its note is."""
        path = pending.path
        if not is_inside(path, self.files.folder):  # the setting was changed in between
            path = self._written_elsewhere(store, pending, taken)
        while (written := self.files.create(path, pending.text, pending.id)) is None:
            # Another note took the name in the meantime; it stays.
            path = self._written_elsewhere(store, pending, taken)
        store.written(pending.id, written)
        return path

    def _written_elsewhere(
        self, store: PendingWriteStore, pending: PendingWrite, taken: Collection[str]
    ) -> str:
        stem = pending.path.rpartition("/")[2].removesuffix(".md")
        folder = pending.path.rpartition("/")[0]
        kept = folder if is_inside(folder, self.files.folder) else ""
        path = self._new_path(stem, taken, pending=pending.path, folder=kept)
        store.repath(pending.id, path)
        return path

    def _new_path(
        self, stem: str, taken: Collection[str], pending: str = "", folder: str = ""
    ) -> str:
        """Choose a file name that no other note in the vault has, nor any pending one."""
        own = (path for store in self._own.each() for path in store.paths() if path != pending)
        return self.files.free_path(folder or self.files.folder, stem, {*taken, *own})

    def _local(self, at: datetime) -> datetime:
        return at.astimezone(self.tz)


def _short(title: str) -> str:
    """Return a title that is cut after a word if it is long."""
    if len(title) <= _LONGEST_TITLE:
        return title
    cut = title[: _LONGEST_TITLE + 1].rpartition(" ")[0] or title[:_LONGEST_TITLE]
    return cut.rstrip(" ,;:–—-(&")
