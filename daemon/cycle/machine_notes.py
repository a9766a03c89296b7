"""The notes that machines write about themselves: all that they know about each other."""

from datetime import datetime, tzinfo

from daemon.cycle.knowledge import Knowledge
from daemon.findings.machine_note import (
    FOLDER,
    machine_text,
    read_claim,
    read_machine,
    rewrite_machine,
)
from daemon.inbox.inbox import Inbox
from daemon.model.machine import Claim, Machine
from daemon.store.own_notes import OwnNoteStore


class MachineNotes:
    """Reads the notes of all machines by the index, and writes the one of this machine."""

    def __init__(
        self, knowledge: Knowledge, inbox: Inbox, store: OwnNoteStore, *, tz: tzinfo
    ) -> None:
        self._knowledge = knowledge
        self._inbox = inbox
        self._store = store
        self._tz = tz

    def machines(self) -> list[Machine]:
        """Return the machine of each note; a machine has several where a sync made copies."""
        rows = self._knowledge.notes.with_property("beat")
        return [each for row in rows if (each := read_machine(row.frontmatter)) is not None]

    def claims(self) -> list[Claim]:
        """Return what the agendas of all machines claim."""
        rows = self._knowledge.notes.with_property("term")
        claims = (read_claim(row.frontmatter, self._tz) for row in rows)
        return [each for each in claims if each is not None]

    def write(self, machine: Machine, now: datetime) -> bool:
        """Write this machine's note; False when it is just being changed. Raises VaultError."""
        path, files = self._path(machine.id), self._inbox.files
        if path is not None and files.read(path) is not None:
            return files.edit(
                path, lambda was: rewrite_machine(was, machine, seen_at=now, tz=self._tz)
            )
        text = machine_text(machine, seen_at=now, tz=self._tz)
        name = f"{machine.name} {machine.id.removeprefix('m-')[:4]}"
        taken = self._knowledge.paths()
        return bool(self._inbox.write_own(machine.id, name, text, taken=taken, folder=FOLDER))

    def _path(self, id: str) -> str | None:
        """Return the path of a machine's note, even if it was moved or the database is new."""
        rows = self._knowledge.notes.with_property("beat")
        there = (row.path for row in rows if row.frontmatter.get("lacuna_id") == id)
        return next(there, None) or self._store.path(id)
