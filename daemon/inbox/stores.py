"""Stores of the notes that Lacuna writes, one for each kind."""

from dataclasses import dataclass
from typing import Protocol

from daemon.model.own_notes import PendingWrite
from daemon.store.agendas import AgendaStore
from daemon.store.digests import DigestStore
from daemon.store.findings import FindingStore
from daemon.store.own_notes import OwnNoteStore


class PendingWriteStore(Protocol):
    """The interface of the stores of all kinds of own notes."""

    def pending(self) -> list[PendingWrite]: ...
    def repath(self, id: str, path: str) -> None: ...
    def written(self, id: str, content_hash: str) -> None: ...
    def paths(self) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class OwnNotes:
    """The stores of the notes in the inbox, by kind."""

    findings: FindingStore
    agendas: AgendaStore
    digests: DigestStore
    others: OwnNoteStore

    def each(self) -> tuple[PendingWriteStore, ...]:
        """Return the store of each kind."""
        return (self.agendas, self.findings, self.digests, self.others)
