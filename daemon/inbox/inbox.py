"""The inbox: the only place in the vault that is written to, and the only code that writes there.

Every note is promised in the store before it is written, and marked as written after, so that a
process killed in between neither loses it nor writes it twice. A decision is in the note before it
is in the store: whoever reads the note again comes to the same decision.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from daemon.inbox.stores import OwnNotes, PendingWriteStore
from daemon.model.agenda import Agenda
from daemon.model.errors import VaultError
from daemon.model.finding import Finding, FindingRecord, InboxLayout, record_of
from daemon.model.own_notes import ARCHIVE, DigestRow, PendingWrite, SeenNote, is_inside
from daemon.store.digests import digest_id
from vault_adapters.edit import read_property
from vault_adapters.inert import safe_name
from vault_adapters.writer import (
    ChangedError,
    ExistsError,
    InboxWriter,
    WriteError,
    content_hash,
    name_key,
)

_OF_RUN = re.compile(r"\d{4}-\d{2}-\d{2} .+")  # a run's folder, which begins with its day
_NO_WORD = re.compile(r"^[^\w]+")


def open_inbox(
    root: Path,
    inbox: str,
    own: OwnNotes,
    *,
    tz: tzinfo = UTC,
    layout: InboxLayout = InboxLayout.FLAT,
    suffix: Callable[[], str] = lambda: "",
) -> "Inbox":
    """Make the inbox of the vault at `root`; nothing is written yet."""
    writer = InboxWriter(root, inbox)
    return Inbox(writer, own, folder=inbox, tz=tz, layout=layout, suffix=suffix)


def make_inbox_folder(root: Path, inbox: str) -> None:
    """Make the inbox's folder before anything of the vault is opened. Raises VaultError."""
    with _as_vault_error():
        InboxWriter(root, inbox).make_folder()


class Inbox:
    """Writes findings, agendas and digests, and carries decisions back into their notes.

    `folder` is the vault-relative one that `writer` writes to. Where a method takes `taken`, it
    is the paths of the whole vault: no new note shares its name with one of them. What the disk
    refuses is raised as VaultError; the promise stands, and `resume` keeps it later. `suffix` sets
    the names of agendas and digests apart from those of other machines.
    """

    def __init__(
        self,
        writer: InboxWriter,
        own: OwnNotes,
        *,
        folder: str,
        tz: tzinfo = UTC,
        layout: InboxLayout = InboxLayout.FLAT,
        suffix: Callable[[], str] = lambda: "",
    ) -> None:
        self._writer = writer
        self._own = own
        self.folder = folder
        self.archive = f"{folder}/{ARCHIVE}"
        self.tz = tz
        self._layout = layout
        self._listeners: list[Callable[[str, str], None]] = []
        self._suffix = suffix

    def add_finding(
        self, finding: Finding, text: str, *, taken: Collection[str] = (), within: str = ""
    ) -> FindingRecord:
        """Write a finding's note; one that was written before is returned as it is.

        `within` names the folder of its run, for the layout in which each has one.
        """
        known = self._own.findings.get(finding.id)
        if known is not None:
            self._keep_old(self._own.findings, finding.id, taken)
            return self._own.findings.get(finding.id) or known
        day = self._local(finding.created_at)
        # A title that begins like a path is no path, and a file's name need not look like one.
        title = _NO_WORD.sub("", finding.title) or "Untitled"
        has_folder = within and self._layout is InboxLayout.RUNS
        folder = f"{self.folder}/{safe_name(within)}" if has_folder else ""
        path = self._new_path(f"{day:%Y-%m-%d} {title}", taken, folder=folder)
        record = record_of(finding, path)
        self._own.findings.add_pending(record, text)
        self._keep(self._own.findings, PendingWrite(record.id, record.path, text), taken)
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

        What `also` writes into the store is kept together with the promise, or not at all.
        """
        known = self._own.agendas.get(agenda.id)
        if known is not None and known.path:
            self._keep_old(self._own.agendas, agenda.id, taken)
            return self._own.agendas.get(agenda.id) or known
        stem = f"Agenda {self._local(agenda.created_at):%Y-%m-%d %H%M}{self._suffix()}"
        path = self._new_path(stem, taken)
        agenda = replace(agenda, path=path)
        self._own.agendas.add_pending(agenda, text, also)
        self._keep(self._own.agendas, PendingWrite(agenda.id, path, text), taken)
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
        """Have a run in the digest of its day, and return that digest's path.

        `add` adds the run's entry to the digest that the day has in the inbox; without one, `text`
        is written as a new one. What the user changed in it stays, and is read at the next review.
        """
        known = self._own.digests.path(run)
        if known is not None:
            self._keep_old(self._own.digests, digest_id(run), taken)
            return self._own.digests.path(run) or known
        day = f"{self._local(created_at):%Y-%m-%d}"
        today = self._own.digests.of_day(day)
        if today is not None and (path := self._add_entry(today, run, add)):
            return path
        path = self._new_path(f"Digest {day}{self._suffix()}", taken)
        pending = PendingWrite(digest_id(run), path, text)
        self._own.digests.add_pending(pending, day=day, run=run)
        return self._keep(self._own.digests, pending, taken)

    def _add_entry(self, digest: DigestRow, run: str, add: Callable[[str], str]) -> str:
        """Add a run's entry to a digest, and return its path; "" when it is not ours to write now.

        One that the user took out of the inbox, or put into the archive, is closed.
        """
        seen = None if is_inside(digest.path, self.archive) else self.look(digest.path)
        if seen is None or read_property(seen.text, "lacuna_id") != digest.id:
            return ""
        try:
            written = self._rewrite(seen, add(seen.text))
        except ChangedError:
            return ""
        is_read = seen.hash == digest.content_hash  # else the user's ticks are yet to be taken
        self._own.digests.added(digest.id, run, seen.path, written if is_read else "")
        return seen.path

    def move(
        self,
        path: str,
        folder: str,
        *,
        taken: Collection[str] = (),
        before: Callable[[str], None] = lambda _: None,
    ) -> str | None:
        """Move a note of ours to another folder of the inbox, and return its path there.

        `before` is called with that path just before the move. None when the note is not there, or
        is just being changed.
        """
        stem = path.rpartition("/")[2].removesuffix(".md")
        others = {name_key(other) for other in taken if other != path}
        try:
            with _as_vault_error():
                to = self._writer.unique_path(folder, stem, others)
                before(to)
                self._writer.move(path, to)
        except (ChangedError, ExistsError):
            return None
        self._wrote(path, "")
        return to

    def write_own(
        self, id: str, name: str, text: str, *, taken: Collection[str] = (), folder: str = ""
    ) -> str:
        """Write a note of ours that is of no other kind, called `name`, and return its path.

        It goes into the inbox, or into `folder` below that. One that was promised before is kept;
        one that was written, and is gone, is written anew.
        """
        known = self._own.others.path(id)
        if known is not None and any(pending.id == id for pending in self._own.others.pending()):
            self._keep_old(self._own.others, id, taken)
            return self._own.others.path(id) or known
        within = f"{self.folder}/{folder}" if folder else ""
        path = self._new_path(name, taken, pending=known or "", folder=within)
        pending = PendingWrite(id, path, text)
        self._own.others.add_pending(pending)
        return self._keep(self._own.others, pending, taken)

    def edit_own(self, path: str, edit: Callable[[str], str]) -> bool:
        """Bring a note of ours up to date; False when it is just being changed, or is gone."""
        seen = self.look(path)
        if seen is None:
            return False
        try:
            self._rewrite(seen, edit(seen.text))
        except ChangedError:
            return False
        return True

    def owes(self) -> bool:
        """Whether something was promised and is not known to be written."""
        return any(store.pending() for store in self._own.each())

    def resume(
        self, present: Mapping[str, str] | None = None, *, taken: Collection[str] = ()
    ) -> list[str]:
        """Finish what a killed process had promised, and return the paths written now.

        `present` is `lacuna_id` → path of the own notes that are in the vault: a note that was
        written, then moved by the user before it could be marked, is not written again.
        """
        finished = []
        for store in self._own.each():
            for pending in store.pending():
                moved_to = (present or {}).get(pending.id)
                if moved_to is None:
                    finished.append(self._keep(store, pending, taken))
                else:
                    store.repath(pending.id, moved_to)
                    store.written(pending.id, content_hash(pending.text.encode()))
        return finished

    def make_folder(self) -> None:
        """Make sure that the folder is there, for those who must be told of it before a write."""
        with _as_vault_error():
            self._writer.make_folder()

    def recognise(self) -> None:
        """Take the vault as it lies there now for ours: it has just been looked through."""
        self._writer.recognise()

    def remove_empty_folders(self) -> None:
        """Remove the folders of runs that have nothing left in them."""
        with _as_vault_error():
            self._writer.remove_empty(_OF_RUN)

    def tidy(self) -> int:
        """Remove what a killed process left half written; return how many files that were."""
        with _as_vault_error():
            return self._writer.clean()

    def update_agenda(self, agenda: Agenda, edit: Callable[[str], str]) -> bool:
        """Keep an agenda, and bring its note up to date with `edit` if it is still there.

        Return False when the note is just being changed: the agenda is kept all the same, and the
        note can be brought up to date later.
        """
        seen = self.look(agenda.path) if agenda.path else None
        try:
            seen_hash = self._rewrite(seen, edit(seen.text)) if seen else None
        except ChangedError:
            self._own.agendas.save(agenda)
            return False
        self._own.agendas.save(agenda, seen_hash)
        return True

    def rewrite(self, seen: SeenNote, edited: str) -> str | None:
        """Write `edited` over a note of ours as it was seen, and return the sha256 of it.

        None when the note has changed since, or is changing: look at it again later.
        """
        try:
            return self._rewrite(seen, edited)
        except ChangedError:
            return None

    def read(self, path: str) -> str | None:
        """Return the text of a note in the inbox, or None when it is not there."""
        seen = self.look(path)
        return None if seen is None else seen.text

    def look(self, path: str) -> SeenNote | None:
        """Return a note in the inbox as it is now, or None when it is not there."""
        if not is_inside(path, self.folder):
            return None
        with _as_vault_error():
            found = self._writer.look(path)
        return None if found is None else SeenNote(path, *found)

    def _rewrite(self, seen: SeenNote, edited: str) -> str:
        """Write `edited` over what was seen if that is still there, and return the new hash."""
        if edited == seen.text:
            return seen.hash
        mark = _mark(seen)
        with _as_vault_error():
            return self._write(seen.path, mark + edited, expected=seen.hash)

    def _keep_old(self, store: PendingWriteStore, id: str, taken: Collection[str]) -> None:
        """Keep a promise of earlier, if it could not be kept then."""
        for pending in store.pending():
            if pending.id == id:
                self._keep(store, pending, taken)

    def _keep(self, store: PendingWriteStore, pending: PendingWrite, taken: Collection[str]) -> str:
        """Make one promise true, and return where its note is."""
        path = pending.path
        if not is_inside(path, self.folder):  # the setting was changed in between
            path = self._elsewhere(store, pending, taken)
        with _as_vault_error():
            try:
                seen_hash = self._write(path, pending.text, expected=None)
            except ExistsError:
                there = self._writer.look(path)
                if there is not None and read_property(there[0], "lacuna_id") == pending.id:
                    seen_hash = there[1]  # written before the kill, perhaps edited since
                else:
                    # Someone else's note took the name meanwhile; theirs stays.
                    path = self._elsewhere(store, pending, taken)
                    seen_hash = self._write(path, pending.text, expected=None)
        store.written(pending.id, seen_hash)
        return path

    def subscribe(self, listener: Callable[[str, str], None]) -> None:
        """Call `listener` with each path written from now on, and the sha256 of what is there.

        The hash is "" for nothing. What Lacuna writes itself is no change of the vault.
        """
        self._listeners.append(listener)

    def _wrote(self, path: str, content_hash: str) -> None:
        for listener in self._listeners:
            listener(path, content_hash)

    def _write(self, path: str, text: str, *, expected: str | None) -> str:
        written = self._writer.write(path, text, expected=expected)
        self._wrote(path, written)
        return written

    def _elsewhere(
        self, store: PendingWriteStore, pending: PendingWrite, taken: Collection[str]
    ) -> str:
        stem = pending.path.rpartition("/")[2].removesuffix(".md")
        folder = pending.path.rpartition("/")[0]
        kept = folder if is_inside(folder, self.folder) else ""
        path = self._new_path(stem, taken, pending=pending.path, folder=kept)
        store.repath(pending.id, path)
        return path

    def _new_path(
        self, stem: str, taken: Collection[str], pending: str = "", folder: str = ""
    ) -> str:
        """Choose a file name that no other note in the vault has, nor any promised one."""
        own = (path for store in self._own.each() for path in store.paths() if path != pending)
        names = {name_key(path) for path in (*taken, *own)}
        with _as_vault_error():
            return self._writer.unique_path(folder or self.folder, safe_name(stem), names)

    def _local(self, at: datetime) -> datetime:
        return at.astimezone(self.tz)


@contextmanager
def _as_vault_error() -> Iterator[None]:
    """Raise what cannot be written as VaultError; let through what can be tried again."""
    try:
        yield
    except (ChangedError, ExistsError):
        raise
    except WriteError as error:
        raise VaultError(str(error)) from error


def _mark(seen: SeenNote) -> str:
    """Return the byte-order mark that reading took off, or "". Raises ChangedError.

    A note whose bytes are not UTF-8 cannot be written back as it was, so it is left alone.
    """
    for mark in ("", "\ufeff"):
        if content_hash((mark + seen.text).encode()) == seen.hash:
            return mark
    raise ChangedError(f"{seen.path} is not UTF-8 text: it is left as it is")
