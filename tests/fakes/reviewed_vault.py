"""A vault with one finding in its inbox, as the daemon keeps it."""

from datetime import datetime, timedelta

from daemon.cycle.agendas import Agendas
from daemon.cycle.digests import Digests
from daemon.cycle.knowledge import Knowledge
from daemon.cycle.moved_inbox import MovedInbox
from daemon.cycle.proposals import Proposals
from daemon.cycle.research_requests import ResearchRequests
from daemon.cycle.reviews import Reviews
from daemon.cycle.tagged import TaggedNotes
from daemon.findings.render import finding_text
from daemon.inbox.files import InboxFiles
from daemon.inbox.inbox import Inbox
from daemon.inbox.stores import OwnNotes
from daemon.model.finding import FindingRecord
from daemon.store.agendas import AgendaStore
from daemon.store.digests import DigestStore
from daemon.store.findings import FindingStore
from daemon.store.own_notes import OwnNoteStore
from daemon.store.triggers import TriggerStore
from tests.fakes.indexed_vault import IndexedVault
from tests.fakes.values import NOW, a_finding
from vault_adapters import open_vault
from vault_adapters.edit import body_start
from vault_adapters.note import Role
from vault_adapters.own_writes import OwnWrites
from vault_adapters.wikilink import Linker

FINDING = a_finding()


class ReviewedVault(IndexedVault):
    """An `IndexedVault` with its inbox at `Inbox`."""

    def open(self) -> None:
        super().open()
        self.findings = FindingStore(self.db)
        files = InboxFiles(self.root, "Inbox", OwnWrites())
        self.inbox_writer = inbox = Inbox(
            files,
            OwnNotes(
                self.findings, AgendaStore(self.db), DigestStore(self.db), OwnNoteStore(self.db)
            ),
        )
        self.knowledge = Knowledge(
            self.notes,
            self.syncer,
            self.search,
            TriggerStore(self.db),
            self.findings,
            self.analysis(),
        )
        adapter = open_vault(self.root)
        self.agendas = AgendaStore(self.db)
        self.proposals = Proposals(
            self.knowledge,
            self.agendas,
            self.findings,
            inbox,
            adapter,
        )
        self.open_agendas = Agendas(self.knowledge, self.agendas, inbox, adapter)
        requests = ResearchRequests(self.knowledge, TriggerStore(self.db), adapter, tag="research")
        self.tagged_notes = TaggedNotes(requests, self.proposals, self.open_agendas, self.agendas)
        self.reviews = Reviews(
            adapter,
            self.knowledge,
            self.findings,
            files,
            Digests(adapter, self.knowledge, DigestStore(self.db), inbox, folder="Inbox"),
            MovedInbox(self.root, self.knowledge, OwnNoteStore(self.db), folder="Inbox"),
            grace=timedelta(hours=24),
        )
        if self.findings.get(FINDING.id) is None:
            inbox.add_finding(FINDING, finding_text(FINDING, link=Linker([])))
            self.knowledge.sync(now=NOW)
            files.recognise()

    @property
    def record(self) -> FindingRecord:
        found = self.findings.get(FINDING.id)
        assert found is not None
        return found

    @property
    def path(self) -> str:
        return self.record.path

    def text(self) -> str:
        return (self.root / self.path).read_text(encoding="utf-8")

    def body(self) -> str:
        """The finding's note without its properties."""
        return self.text()[body_start(self.text()) :]

    def review(self, now: datetime = NOW) -> list[FindingRecord]:
        """Look at the vault as the daemon does."""
        self.knowledge.sync(now=now)
        return self.reviews.take(now)

    def role(self, path: str) -> Role:
        """What the index takes a note for."""
        row = self.notes.get(path)
        assert row is not None
        return row.role
