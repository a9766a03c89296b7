"""The note that this machine writes about itself: all that others know about it."""

from datetime import datetime, tzinfo

from daemon.cycle.knowledge import Knowledge
from daemon.findings.machine_note import (
    FOLDER,
    machine_text,
    rewrite_machine,
)
from daemon.inbox.inbox import Inbox
from daemon.model.machine import Machine
from daemon.store.own_notes import OwnNoteStore


class MachineNotes:
    """Writes the note of this machine."""

    def __init__(
        self, knowledge: Knowledge, inbox: Inbox, store: OwnNoteStore, *, tz: tzinfo
    ) -> None:
        self._knowledge = knowledge
        self._inbox = inbox
        self._store = store
        self._tz = tz

    def write(self, machine: Machine, now: datetime) -> bool:
        """Write this machine's note; False when it is just being changed, or the vault is empty: a
        disk may yet be mounted there. Raises VaultError.
        """
        path, files = self._path(machine.id), self._inbox.files
        if path is not None and files.read(path) is not None:
            return files.edit(
                path, lambda was: rewrite_machine(was, machine, seen_at=now, tz=self._tz)
            )
        text = machine_text(machine, seen_at=now, tz=self._tz)
        name = f"{machine.name} {machine.id.removeprefix('m-')[:4]}"
        taken = self._knowledge.paths()
        if not taken:
            return False
        return bool(self._inbox.write_own(machine.id, name, text, taken=taken, folder=FOLDER))

    def _path(self, id: str) -> str | None:
        """Return the path of a machine's note, even if it was moved or the database is new."""
        rows = self._knowledge.notes.with_property("beat")
        there = (row.path for row in rows if row.frontmatter.get("lacuna_id") == id)
        return next(there, None) or self._store.path(id)
