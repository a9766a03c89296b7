"""One vault's parts, wired together."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.adapters.analysis_child import AnalysisChild
from daemon.adapters.embedder import ChildEmbedder
from daemon.adapters.extract import ChildExtractor
from daemon.adapters.reranker import ChildReranker
from daemon.adapters.sources import Registry, check_names, is_researched
from daemon.config import Settings
from daemon.cycle.agendas import Agendas
from daemon.cycle.announce import Announcements
from daemon.cycle.delivery import Delivery
from daemon.cycle.knowledge import Knowledge
from daemon.cycle.machines import Machines
from daemon.cycle.proposals import Proposals, ResearchOptions
from daemon.cycle.recovery import Recovery
from daemon.cycle.resting_topics import Topics
from daemon.cycle.retention import Retention
from daemon.cycle.retries import Retries
from daemon.cycle.reviews import Reviews
from daemon.cycle.schedules import Schedules
from daemon.cycle.spending import Spending
from daemon.cycle.tagged import TaggedNotes
from daemon.cycle.tidy import Tidy
from daemon.inbox.inbox import Inbox
from daemon.index.vectors import VectorIndex
from daemon.library.library import Library
from daemon.model.agenda import Approval, Depth
from daemon.model.clock import now
from daemon.model.errors import SourceError
from daemon.model.late import LateList
from daemon.model_files import DEFAULT_RERANKER, find_model, find_reranker, reranker_path
from daemon.notifying import Notifying
from daemon.parts import Stores
from daemon.ports import Conditions, Secrets, Source
from daemon.store.db import Database
from daemon.store.events import EventLog
from daemon.store.lock import WriterLock, held_by, lock_path
from daemon.store.reporter import Reporter
from daemon.store.spent import Spent
from vault_adapters.base import VaultAdapter
from vault_adapters.own_writes import OwnWrites

if TYPE_CHECKING:  # created on first use
    from daemon.cycle.choosing import Choosing
    from daemon.cycle.retractions import Retractions
    from daemon.cycle.runs import Runs
    from daemon.network import NetworkParts


@dataclass(frozen=True, slots=True)
class App:
    """The parts of one vault. `network` builds the network components at its first call."""

    settings: Settings
    state: Path
    tz: tzinfo
    adapter: VaultAdapter
    db: Database
    stores: Stores
    events: EventLog
    embedder: ChildEmbedder
    reranker: ChildReranker | None
    extractor: ChildExtractor
    analysis_child: AnalysisChild
    vectors: VectorIndex
    secrets: Secrets
    registry: Registry
    network: Callable[[], "NetworkParts"]
    inbox: Inbox
    own_writes: OwnWrites
    knowledge: Knowledge
    proposals: Proposals
    agendas: Agendas
    tagged_notes: TaggedNotes
    topics: Topics
    reviews: Reviews
    recovery: Recovery
    notifying: Notifying
    announce: Announcements
    delivery: Delivery
    schedules: Schedules
    retries: Retries
    tidy: Tidy
    conditions: Conditions
    spending: Spending
    spent: Spent
    retention: Retention
    library: Library | None
    machines: Machines

    @property
    def report(self) -> Reporter:
        """What work is reported to: it becomes events."""
        return Reporter(self.events)

    @property
    def sources(self) -> Mapping[str, Source]:
        """Return the sources by name. Raises SettingsError."""
        return self.network().sources

    @property
    def excluded_sources(self) -> tuple[tuple[str, str], ...]:
        """Return the unavailable sources, and why. Raises SettingsError."""
        return self.network().excluded

    @property
    def runs(self) -> "Runs":
        """Raises SettingsError."""
        return self.network().runs

    @property
    def choosing(self) -> "Choosing":
        """Raises SettingsError."""
        return self.network().choosing

    @property
    def retractions(self) -> "Retractions":
        """Raises SettingsError."""
        return self.network().retractions

    @property
    def scheduled(self) -> ResearchOptions:
        """The options of the weekly run."""
        return self._options(timedelta(hours=self.settings.agenda.veto_hours))

    @property
    def tagged(self) -> ResearchOptions:
        """The options for a note with `research:`."""
        return self._options(timedelta(seconds=self.settings.agenda.tagged_veto_seconds))

    def at_once(
        self, *, depth: Depth | None = None, sources: tuple[str, ...] = ()
    ) -> ResearchOptions:
        """The options when the user asks on the command line and waits.

        Raises SourceError for a source that is unknown or cannot work.
        """
        check_names(sources, self.registry)
        for name, why in self.excluded_sources:
            if name in sources:
                raise SourceError(f"{name}: {why}")
        chosen = tuple(name for name in self.sources if name in (sources or self._researched()))
        return ResearchOptions(
            Approval.NONE,
            timedelta(0),
            depth or self.settings.research.depth,
            chosen,
            bool(sources),
            has_note=False,
        )

    def lock(self, holder: str, *, patience: float = 0.0) -> WriterLock:
        """Return the lock of the one writer, not yet taken."""
        return WriterLock(lock_path(self.state), holder=holder, patience=patience)

    def writer(self) -> str | None:
        """Return who has locked this vault (`lacuna run (pid 4711)`), or None."""
        return held_by(lock_path(self.state))

    @contextmanager
    def writing(self, holder: str) -> Iterator[None]:
        """Be the one writer for a while, after completing the pending writes of a killed one."""
        with self.lock(holder):
            is_behind = self.recovery.is_due and self.recovery.has_traces
            if is_behind or self.inbox.has_pending():  # first find what was written, and moved
                self.knowledge.sync(now=now(), embed=False)
            self.resume(now())
            yield

    def resume(self, now: datetime) -> list[str]:
        """Complete the pending writes of a killed process; return the paths written now.

        Before that, a new database is restored from the runs' folders and the vault.
        """
        self.recovery.restore(now)
        self.inbox.files.remove_temporary()
        return self.inbox.resume(self.reviews.present(), taken=LateList(self.knowledge.paths))

    def model_place(self) -> str | None:
        """Return where the embedding model was found: `settings`, `cache`, `package`, or None.

        Raises ModelError if it is not a model, or not the expected one.
        """
        found = find_model(self.settings.embedding.model, self.settings.embedding.model_path)
        return found.how if found is not None else None

    def reranker_place(self) -> str | None:
        """Return where the cross-encoder was found, like `model_place`; "off" if it is off.

        Raises ModelError as `model_place` does.
        """
        if self.reranker is None:
            return "off"
        found = find_reranker(DEFAULT_RERANKER, reranker_path(self.settings.research.reranker))
        return found.how if found is not None else None

    def interrupt(self) -> None:
        """Kill the child processes at once, also from a signal handler, without waiting."""
        for child in (self.analysis_child, self.extractor, self.embedder, self.reranker):
            if child is not None:
                child.interrupt()

    def close(self) -> None:
        """Finish hooks and notices, then stop the child processes, and close the database."""
        self.events.close()
        self.notifying.close()
        for child in (self.embedder, self.reranker, self.extractor):
            if child is not None:
                child.close()
        if self.library is not None:
            self.library.store.close()
        self.db.close()

    def _options(self, window: timedelta) -> ResearchOptions:
        sources = LateList(self._researched)
        return ResearchOptions(
            self.settings.agenda.approval, window, self.settings.research.depth, sources
        )

    def _researched(self) -> tuple[str, ...]:
        """Name the sources that research asks; others take part in searches only."""
        return tuple(name for name in self.sources if is_researched(self.registry[name]))
