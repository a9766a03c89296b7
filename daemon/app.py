"""The composition root: settings in, a wired App out. The only importer of adapters."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from tzlocal import get_localzone

from daemon.adapters.conditions import SystemConditions
from daemon.adapters.embedder import ChildEmbedder
from daemon.adapters.extract import EXTRACTOR_VERSION, ChildExtractor
from daemon.adapters.hooks import CommandHooks
from daemon.adapters.look import LookApart
from daemon.adapters.reranker import ChildReranker
from daemon.adapters.secrets import open_secrets
from daemon.adapters.sources import Registry, check_names, load_registry
from daemon.config import Settings, credibility_path, own_folder, sources_path, state_folder
from daemon.cycle.announce import Announcements
from daemon.cycle.delivery import Delivery
from daemon.cycle.knowledge import Knowledge
from daemon.cycle.machines import Machines
from daemon.cycle.proposals import Manner, Proposals
from daemon.cycle.queue import Kept
from daemon.cycle.recovery import Recovery
from daemon.cycle.retention import Retention
from daemon.cycle.retries import Retries
from daemon.cycle.reviews import Reviews
from daemon.cycle.schedules import Schedules
from daemon.cycle.spending import Spending
from daemon.cycle.tidy import Tidy
from daemon.findings.inbox import Inbox
from daemon.index.vectors import VectorIndex
from daemon.library.library import Library
from daemon.model.agenda import Approval, Depth
from daemon.model.errors import SettingsError, SourceError
from daemon.model.late import LateList, LateTable
from daemon.model_files import DEFAULT_RERANKER, find_model, find_reranker, reranker_path
from daemon.notifying import announcements_of, delivery_of, hooks_of, telemetry_of
from daemon.parts import (
    Stores,
    database_in,
    inbox_of,
    indexing,
    knowledge_of,
    ledger_of,
    library_of,
    machines_of,
    note_download,
    proposals_of,
    recovery_of,
    retention_of,
    reviews_of,
    stores_in,
    tidy_of,
    vault_of,
    wishes_of,
)
from daemon.ports import Conditions, Secrets, Source
from daemon.prepared_model import has_torch
from daemon.scheduling import schedules_of
from daemon.store.db import Database
from daemon.store.lock import WriterLock, held_by, lock_path
from daemon.store.own_notes import OwnNoteStore
from daemon.store.retractions import RetractionFile
from daemon.store.spent import Spent
from daemon.store.troubles import TroubleStore
from daemon.store.uses import UseStore
from vault_adapters.base import VaultAdapter

if TYPE_CHECKING:  # which waits until something is asked
    from daemon.cycle.retractions import Retractions
    from daemon.cycle.runs import Runs
    from daemon.outside import Asked


@dataclass(frozen=True, slots=True)
class App:
    """One vault's parts, plugged together; what asks the outside is so when it is first `asked`."""

    settings: Settings
    state: Path
    tz: tzinfo
    adapter: VaultAdapter
    db: Database
    stores: Stores
    embedder: ChildEmbedder
    reranker: ChildReranker | None
    extractor: ChildExtractor
    vectors: VectorIndex
    secrets: Secrets
    registry: Registry
    asked: Callable[[], "Asked"]
    inbox: Inbox
    knowledge: Knowledge
    proposals: Proposals
    reviews: Reviews
    recovery: Recovery
    hooks: CommandHooks
    announce: Announcements
    delivery: Delivery
    telemetry_off: Callable[[], None]
    schedules: Schedules
    retries: Retries
    tidy: Tidy
    conditions: Conditions
    spending: Spending
    spent: Spent
    retention: Retention
    library: Library | None
    machines: Machines
    _look_apart: LookApart = field(default_factory=LookApart)

    @property
    def sources(self) -> Mapping[str, Source]:
        """What is asked, by name. Raises SettingsError."""
        return self.asked().sources

    @property
    def sources_left_out(self) -> tuple[tuple[str, str], ...]:
        """Which sources are not, and why. Raises SettingsError."""
        return self.asked().left_out

    @property
    def runs(self) -> "Runs":
        """Raises SettingsError."""
        return self.asked().runs

    @property
    def retractions(self) -> "Retractions":
        """Raises SettingsError."""
        return self.asked().retractions

    @property
    def scheduled(self) -> Manner:
        """How the weekly run goes about it."""
        return self._manner(timedelta(hours=self.settings.veto_hours))

    @property
    def tagged(self) -> Manner:
        """How a note that says `research:` is taken up."""
        return self._manner(timedelta(seconds=self.settings.veto_seconds))

    def at_once(self, *, depth: Depth | None = None, sources: tuple[str, ...] = ()) -> Manner:
        """How it goes when the user asks on the command line and waits.

        Raises SourceError for a source that is unknown or cannot work.
        """
        check_names(sources, self.registry)
        for name, why in self.sources_left_out:
            if name in sources:
                raise SourceError(f"{name}: {why}")
        chosen = tuple(name for name in self.sources if name in (sources or self.sources))
        return Manner(
            Approval.NONE,
            timedelta(0),
            depth or self.settings.depth,
            chosen,
            bool(sources),
            has_note=False,
        )

    def lock(self, holder: str, *, patience: float = 0.0) -> WriterLock:
        """Return the lock of the one writer, not yet taken."""
        return WriterLock(lock_path(self.state), holder=holder, patience=patience)

    def writer(self) -> str | None:
        """Say who is at work on this vault (`lacuna run (pid 4711)`), or None."""
        return held_by(lock_path(self.state))

    @contextmanager
    def writing(self, holder: str) -> Iterator[None]:
        """Be the one writer for a while, and keep what a killed one had promised first."""
        with self.lock(holder):
            is_behind = self.recovery.is_due and self.recovery.has_traces
            if is_behind or self.inbox.owes():  # find first what was written, and moved
                self.knowledge.sync(now=now(), embed=False)
            self.resume(now())
            yield

    def resume(self, now: datetime) -> list[str]:
        """Finish what a killed process had begun to write; return the paths written now.

        First of all, a new database learns what the runs' folders and the vault still know.
        """
        self.recovery.learn(now)
        self.inbox.tidy()
        return self.inbox.resume(self.reviews.present(), taken=LateList(self.knowledge.paths))

    def model_place(self) -> str | None:
        """Say where the embedding model was found: `settings`, `cache`, `package`; None: nowhere.

        Raises ModelError when what was found there is no model, or not the one it should be.
        """
        found = find_model(self.settings.model, self.settings.model_path)
        return found.how if found is not None else None

    def reranker_place(self) -> str | None:
        """Say where the cross-encoder was found, as `model_place` does; "off" when it is off.

        Raises ModelError as `model_place` does.
        """
        if self.reranker is None:
            return "off"
        found = find_reranker(DEFAULT_RERANKER, reranker_path(self.settings.reranker))
        return found.how if found is not None else None

    def look_apart(self) -> None:
        """Have the vault looked at in a process of its own: for one that is here to stay."""
        self.knowledge.look = self._look_apart

    def interrupt(self) -> None:
        """End the child processes at once, also from a signal handler: nobody waits for them."""
        for child in (self._look_apart, self.extractor, self.embedder, self.reranker):
            if child is not None:
                child.interrupt()

    def close(self) -> None:
        """Let hooks and notices end, then the child processes, and close the database."""
        self.hooks.close()
        self.delivery.close()
        self.telemetry_off()
        for child in (self.embedder, self.reranker, self.extractor):
            if child is not None:
                child.close()
        if self.library is not None:
            self.library.store.db.close()
        self.db.close()

    def _manner(self, window: timedelta) -> Manner:
        sources = LateList(lambda: tuple(self.sources))
        return Manner(self.settings.approval, window, self.settings.depth, sources)


def open_app(settings: Settings, *, state: Path | None = None, config: Path | None = None) -> App:
    """Wire the parts for the vault in `settings`.

    Raises SettingsError when no vault is named, VaultError, StoreError, SourceError.
    """
    if settings.vault is None:
        raise SettingsError("no vault is set: run `lacuna init VAULT`, or give --vault")
    adapter = vault_of(settings, settings.vault)
    folder = own_folder(state or settings.state or state_folder(settings.vault), settings.vault)
    db = database_in(folder)
    stores = stores_in(db, folder)
    tz = get_localzone()
    secrets = open_secrets(settings.secrets_in, sources_path(config).parent)
    ledger = ledger_of(settings, db, now)
    hooks, failed = hooks_of(settings, folder, TroubleStore(db), now)
    delivery = delivery_of(settings, db, ledger, secrets)
    embedder = _embedder(settings)
    embedder.on_download = partial(note_download, ledger)
    reranker = _reranker(settings)
    if reranker is not None:
        reranker.on_download = partial(note_download, ledger)
    extractor = ChildExtractor()
    registry = load_registry(sources_path(config))
    vectors = VectorIndex(folder / "vectors.faiss", stores.notes, embedder.model)
    own_notes = OwnNoteStore(db)
    inbox = inbox_of(settings, adapter, stores, own_notes, tz=tz)
    knowledge = knowledge_of(settings, adapter, stores, vectors, embedder)
    wishes = wishes_of(settings, knowledge, stores, adapter)
    spending = Spending(ledger, LateList(lambda: asked().caps))
    profiled = LateTable(lambda: asked().profiles)
    proposals = proposals_of(knowledge, stores, wishes, inbox, adapter, tz=tz, profiled=profiled)
    retractions = RetractionFile(settings.retraction_watch)
    announce = announcements_of(settings, hooks, delivery, TroubleStore(db))
    library = library_of(settings, folder, extractor, embedder, version=str(EXTRACTOR_VERSION))

    @cache
    def asked() -> "Asked":
        from daemon.outside import Within, plug_in  # noqa: PLC0415 it says why

        within = Within(
            settings=settings,
            state=folder,
            credibility=credibility_path(config),
            library=library,
            tz=tz,
            registry=registry,
            secrets=secrets,
            extractor=extractor,
            embedder=embedder,
            reranker=reranker,
            ledger=ledger,
            spending=spending,
            uses=UseStore(db),
            runs=stores.runs,
            findings=stores.findings,
            retractions=retractions,
            proposals=proposals,
            inbox=inbox,
            announce=announce,
            hooks=hooks,
            hook_failed=failed,
        )
        return plug_in(within)

    if credibility_path(config).exists():
        asked()  # at once: the user is to be told of a fault in it now
    sources = LateList(lambda: tuple(asked().sources))
    app = App(
        settings=settings,
        state=folder,
        tz=tz,
        adapter=adapter,
        db=db,
        stores=stores,
        embedder=embedder,
        reranker=reranker,
        extractor=extractor,
        vectors=vectors,
        secrets=secrets,
        registry=registry,
        asked=asked,
        inbox=inbox,
        knowledge=knowledge,
        proposals=proposals,
        reviews=reviews_of(settings, adapter, stores, knowledge, inbox),
        spending=spending,
        spent=Spent(db),
        retention=retention_of(settings, folder, stores, db),
        schedules=schedules_of(
            settings,
            sources,
            is_local=lambda name: asked().sources[name].is_local,
            proposals=proposals,
            inbox=inbox,
            kept=Kept(stores.agendas, stores.findings, stores.runs, own_notes),
            triggers=stores.triggers,
            tz=tz,
        ),
        retries=Retries(stores.agendas, db),
        tidy=tidy_of(settings, knowledge, stores, inbox, tz=tz),
        conditions=SystemConditions(),
        recovery=recovery_of(settings, db, stores, knowledge, adapter, sources=sources, tz=tz),
        hooks=hooks,
        announce=announce,
        delivery=delivery,
        telemetry_off=telemetry_of(settings),
        library=library,
        machines=machines_of(settings, folder, knowledge, inbox, stores, own_notes, tz=tz),
    )
    _connect(app)
    return app


def _connect(app: App) -> None:
    """Tell the parts of each other where neither can be made first."""
    app.proposals.machines = app.machines
    app.inbox.suffix = app.machines.suffix
    app.schedules.standby = app.machines.standby
    app.schedules.exhausted = app.spending.exhausted
    app.schedules.indexing = partial(indexing, app.library)
    app.proposals.announce = app.reviews.announce = app.announce


@contextmanager
def open_models(settings: Settings) -> Iterator[tuple[ChildEmbedder, ChildReranker | None]]:
    """Give the embedding model and the cross-encoder of the settings. Needs no vault."""
    embedder, reranker = _embedder(settings), _reranker(settings)
    try:
        yield embedder, reranker
    finally:
        embedder.close()
        if reranker is not None:
            reranker.close()


def now() -> datetime:
    """The one place where the clock is read."""
    return datetime.now(UTC)


def _embedder(settings: Settings) -> ChildEmbedder:
    return ChildEmbedder(
        settings.model,
        settings.model_path,
        idle_seconds=settings.embed_idle_seconds,
        threads=settings.embed_threads,
        backend=settings.model_backend,
        state=settings.state or (settings.vault and state_folder(settings.vault)),
    )


def _reranker(settings: Settings) -> ChildReranker | None:
    """Make the cross-encoder of the settings; None when it is off."""
    if settings.reranker == "off":
        return None
    is_offline = settings.model_path is not None or os.environ.get("HF_HUB_OFFLINE")
    return ChildReranker(
        DEFAULT_RERANKER,
        reranker_path(settings.reranker),
        idle_seconds=settings.embed_idle_seconds,
        threads=settings.embed_threads,
        allow_download=not is_offline and has_torch(),  # which what is downloaded needs
    )
