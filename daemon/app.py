"""The composition root: settings in, a wired App out. The only importer of adapters."""

import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tzlocal import get_localzone

from daemon.adapters.conditions import SystemConditions
from daemon.adapters.embedder import ChildEmbedder
from daemon.adapters.extract import EXTRACTOR_VERSION, ChildExtractor
from daemon.adapters.hooks import CommandHooks
from daemon.adapters.look import look_apart
from daemon.adapters.reranker import ChildReranker
from daemon.adapters.secret_file import NAME as KEYS_FILE
from daemon.adapters.secrets import open_secrets
from daemon.adapters.sources import Registry, check_names, key_names, load_registry
from daemon.config import (
    Settings,
    config_path,
    load_settings,
    own_folder,
    state_folder,
)
from daemon.cycle.announce import Announcements
from daemon.cycle.delivery import Delivery
from daemon.cycle.knowledge import Knowledge
from daemon.cycle.machines import Machines
from daemon.cycle.proposals import Manner, Proposals
from daemon.cycle.queue import Kept
from daemon.cycle.recovery import Lost, Recovery
from daemon.cycle.retention import Limits, Retention
from daemon.cycle.retries import Retries
from daemon.cycle.reviews import Reviews
from daemon.cycle.schedules import Schedules
from daemon.cycle.spending import Spending
from daemon.cycle.tidy import Tidy
from daemon.cycle.wishes import Wishes
from daemon.findings.inbox import Inbox, open_inbox
from daemon.index.search import Search
from daemon.index.sync import Syncer
from daemon.index.vectors import VectorIndex
from daemon.library.library import Library
from daemon.model.agenda import Approval, Depth
from daemon.model.errors import SecretError, SettingsError, SourceError
from daemon.model.late import LateList, LateTable
from daemon.model.sources import CREDIBILITY_FILE, Profile
from daemon.model.spending import Span, caps_of
from daemon.model_files import DEFAULT_RERANKER, find_model, find_reranker, reranker_path
from daemon.notifying import announcements_of, delivery_of, hooks_of, telemetry_of
from daemon.ports import Conditions, Secrets, Source
from daemon.scheduling import schedules_of
from daemon.store.agendas import AgendaStore
from daemon.store.db import Database
from daemon.store.digests import DigestStore
from daemon.store.findings import FindingStore
from daemon.store.ledger import Ledger, Sending
from daemon.store.library import LibraryStore
from daemon.store.lock import WriterLock, held_by
from daemon.store.notes import NoteStore
from daemon.store.own_machine import MachineFile
from daemon.store.own_notes import OwnNoteStore
from daemon.store.private import close_to_others, is_open
from daemon.store.requests import RequestStore
from daemon.store.retractions import RetractionFile
from daemon.store.runs import RunStore
from daemon.store.schema import LIBRARY
from daemon.store.spent import Spent
from daemon.store.triggers import TriggerStore
from daemon.store.troubles import TroubleStore
from daemon.store.uses import UseStore
from scheduler.engine import local_zone
from vault_adapters import open_vault
from vault_adapters.base import VaultAdapter

if TYPE_CHECKING:  # which waits until something is asked
    from daemon.cycle.retractions import Retractions
    from daemon.cycle.runs import Runs
    from daemon.outside import Asked

NOTICE_KEYS = ("ntfy", "webhook")  # what notices are sent and signed with


@dataclass(frozen=True, slots=True)
class Stores:
    """Everything that is kept, by noun."""

    notes: NoteStore
    agendas: AgendaStore
    findings: FindingStore
    digests: DigestStore
    runs: RunStore
    requests: RequestStore
    triggers: TriggerStore


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

    def lock(self, holder: str) -> WriterLock:
        """Return the lock of the one writer, not yet taken."""
        return WriterLock(self.state / "daemon.lock", holder=holder)

    def writer(self) -> str | None:
        """Say who is at work on this vault (`lacuna run (pid 4711)`), or None."""
        return held_by(self.state / "daemon.lock")

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
        self.knowledge.look = look_apart

    def interrupt(self) -> None:
        """End the models' processes at once, also from a signal handler: nobody waits for them."""
        self.embedder.interrupt()
        if self.reranker is not None:
            self.reranker.interrupt()

    def close(self) -> None:
        """Let hooks and notices end, then the child processes, and close the database."""
        self.hooks.close()
        self.delivery.close()
        self.telemetry_off()
        self.embedder.close()
        if self.reranker is not None:
            self.reranker.close()
        self.extractor.close()
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
    adapter = open_vault(
        settings.vault,
        templates=settings.templates,
        daily_notes=settings.daily_notes,
        exclude=settings.exclude,
    )
    folder = own_folder(state or settings.state or state_folder(settings.vault), settings.vault)
    db = _database(folder)
    stores = _stores(db, folder)
    tz = get_localzone()
    secrets = open_secrets(settings.secrets_in, sources_path(config).parent)
    ledger = _ledger(settings, db)
    hooks, failed = hooks_of(settings, folder, TroubleStore(db), now)
    delivery = delivery_of(settings, db, ledger, secrets)
    embedder = _embedder(settings)
    embedder.on_download = partial(_note_download, ledger)
    reranker = _reranker(settings)
    if reranker is not None:
        reranker.on_download = partial(_note_download, ledger)
    extractor = ChildExtractor()
    registry = load_registry(sources_path(config))
    vectors = VectorIndex(folder / "vectors.faiss", stores.notes, embedder.model)
    own_notes = OwnNoteStore(db)
    inbox = open_inbox(
        adapter.root,
        settings.inbox,
        stores.findings,
        stores.agendas,
        stores.digests,
        own_notes,
        tz=tz,
        layout=settings.inbox_layout,
    )
    knowledge = _knowledge(settings, adapter, stores, vectors, embedder)
    wishes = _wishes(settings, knowledge, stores, adapter)
    spending = Spending(ledger, LateList(lambda: asked().caps))
    profiled = LateTable(lambda: asked().profiles)
    proposals = _proposals(knowledge, stores, wishes, inbox, adapter, tz=tz, profiled=profiled)
    retractions = RetractionFile(settings.retraction_watch)
    announce = announcements_of(settings, hooks, delivery, TroubleStore(db))
    library = _library(settings, folder, extractor, embedder)

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
        reviews=_reviews(settings, adapter, stores, knowledge, inbox),
        spending=spending,
        spent=Spent(db),
        retention=_retention(settings, folder, stores, db),
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
        tidy=Tidy(
            knowledge,
            stores.agendas,
            stores.digests,
            stores.findings,
            inbox,
            folder=settings.inbox,
            tz=tz,
        ),
        conditions=SystemConditions(),
        recovery=_recovery(settings, db, stores, knowledge, adapter, sources=sources, tz=tz),
        hooks=hooks,
        announce=announce,
        delivery=delivery,
        telemetry_off=telemetry_of(settings),
        library=library,
        machines=_machines(settings, folder, knowledge, inbox, stores, own_notes, tz=tz),
    )
    _connect(app)
    return app


def _connect(app: App) -> None:
    """Tell the parts of each other where neither can be made first."""
    app.proposals.machines = app.machines
    app.inbox.suffix = app.machines.suffix
    app.schedules.standby = app.machines.standby
    app.schedules.exhausted = app.spending.exhausted
    app.schedules.indexing = partial(_indexing, app.library)
    app.proposals.announce = app.reviews.announce = app.announce


@dataclass(frozen=True, slots=True)
class Keys:
    """Where keys are kept, and the names of those that are asked for. Needs no vault.

    `place` is where new ones go: `keyring` or `file`.
    """

    secrets: Secrets
    names: tuple[str, ...]
    place: str

    def trouble(self, name: str) -> str:
        """Say why a key could not even be looked for, or nothing."""
        try:
            self.secrets.get(name)
        except SecretError as error:
            return str(error)
        return ""


def open_keys(config: Path | None = None, *, ask: Callable[[], str] | None = None) -> Keys:
    """Find out which keys there could be; `ask` asks for the passphrase of the file of keys.

    Raises SettingsError, and SourceError for a broken sources.yaml.
    """
    place = load_settings(config, must_exist=False, needs_vault=False).secrets_in
    names = sorted({*key_names(load_registry(sources_path(config))), *NOTICE_KEYS})
    return Keys(open_secrets(place, sources_path(config).parent, ask=ask), tuple(names), place)


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


def sources_path(config: Path | None) -> Path:
    """Where the user's own sources.yaml is: beside the settings file."""
    return (config or config_path()).with_name("sources.yaml")


def keys_file(config: Path | None) -> Path:
    """Where the encrypted file of keys is, if one was asked for: beside the settings file."""
    return (config or config_path()).with_name(KEYS_FILE)


def credibility_path(config: Path | None) -> Path:
    """Where the user's own credibility.toml is: beside the settings file."""
    return (config or config_path()).with_name(CREDIBILITY_FILE)


def _stores(db: Database, folder: Path) -> Stores:
    return Stores(
        notes=NoteStore(db),
        agendas=AgendaStore(db),
        findings=FindingStore(db),
        digests=DigestStore(db),
        runs=RunStore(db, folder / "runs"),
        requests=RequestStore(db),
        triggers=TriggerStore(db),
    )


def _knowledge(
    settings: Settings,
    adapter: VaultAdapter,
    stores: Stores,
    vectors: VectorIndex,
    embedder: ChildEmbedder,
) -> Knowledge:
    syncer = Syncer(
        adapter,
        stores.notes,
        vectors,
        embedder,
        inbox=settings.inbox,
        standings=stores.findings.standings,
    )
    return Knowledge(
        stores.notes,
        syncer,
        Search(stores.notes, vectors, embedder),
        stores.triggers,
        model=embedder.model,
        meaning_similarity=settings.meaning_similarity,
        stale_days=settings.stale_days,
        link_names=adapter.link_names,
    )


def _wishes(
    settings: Settings, knowledge: Knowledge, stores: Stores, adapter: VaultAdapter
) -> Wishes:
    tag, most = settings.research_tag, settings.research_waiting
    return Wishes(knowledge, stores.triggers, adapter, tag=tag, most=most)


def _machines(
    settings: Settings,
    folder: Path,
    knowledge: Knowledge,
    inbox: Inbox,
    stores: Stores,
    own_notes: OwnNoteStore,
    *,
    tz: tzinfo,
) -> Machines:
    return Machines(
        knowledge,
        inbox,
        MachineFile(folder),
        own_notes,
        stores.triggers,
        name=platform.node() or "unnamed",
        tz=tz,
        is_on=settings.several_machines,
    )


def _proposals(
    knowledge: Knowledge,
    stores: Stores,
    wishes: Wishes,
    inbox: Inbox,
    adapter: VaultAdapter,
    *,
    tz: tzinfo,
    profiled: Mapping[str, Profile],
) -> Proposals:
    return Proposals(
        knowledge,
        stores.agendas,
        stores.findings,
        wishes,
        inbox,
        adapter,
        tz=tz,
        profiles=profiled,
    )


def _recovery(
    settings: Settings,
    db: Database,
    stores: Stores,
    knowledge: Knowledge,
    adapter: VaultAdapter,
    *,
    sources: Sequence[str],
    tz: tzinfo,
) -> Recovery:
    return Recovery(
        db,
        Lost(stores.agendas, stores.findings, stores.digests, stores.runs, stores.triggers),
        knowledge,
        adapter,
        inbox=settings.inbox,
        sources=sources,
        tz=tz,
        tag=settings.research_tag,
    )


def _reviews(
    settings: Settings, adapter: VaultAdapter, stores: Stores, knowledge: Knowledge, inbox: Inbox
) -> Reviews:
    return Reviews(
        adapter,
        knowledge,
        stores.findings,
        inbox,
        folder=settings.inbox,
        grace=timedelta(hours=settings.delete_grace_hours),
    )


def _embedder(settings: Settings) -> ChildEmbedder:
    return ChildEmbedder(
        settings.model,
        settings.model_path,
        idle_seconds=settings.embed_idle_seconds,
        threads=settings.embed_threads,
    )


def _reranker(settings: Settings) -> ChildReranker | None:
    """Make the cross-encoder of the settings; None when it is off."""
    if settings.reranker == "off":
        return None
    path = reranker_path(settings.reranker)
    is_online = settings.model_path is None and not os.environ.get("HF_HUB_OFFLINE")
    return ChildReranker(
        DEFAULT_RERANKER,
        path,
        idle_seconds=settings.embed_idle_seconds,
        threads=settings.embed_threads,
        allow_download=is_online,
    )


def _database(folder: Path) -> Database:
    """Open the state in a folder that others cannot use, though an older Lacuna made it so."""
    if is_open(folder):
        close_to_others(folder)
    return Database(folder / "lacuna.db")


def _library(
    settings: Settings, folder: Path, extractor: ChildExtractor, embedder: ChildEmbedder
) -> Library | None:
    """Open the index of the user's documents, if the settings name any."""
    roots = [root for root in (settings.library, *settings.library_extra) if root is not None]
    if not roots:
        return None
    store = LibraryStore(Database(folder / "library.db", LIBRARY))
    return Library(roots, store, extractor, embedder, version=str(EXTRACTOR_VERSION))


def _ledger(settings: Settings, db: Database) -> Ledger:
    """Make the one ledger, with the budgets of all that is spent together."""
    told = settings
    caps = [
        *caps_of(
            Span.RUN,
            requests=told.budget_run_requests,
            mb=told.budget_run_mb,
            money=told.budget_run_money,
        ),
        *caps_of(
            Span.DAY,
            requests=told.budget_day_requests,
            mb=told.budget_day_mb,
            money=told.budget_day_money,
            findings=told.budget_day_findings,
        ),
        *caps_of(
            Span.MONTH,
            requests=told.budget_month_requests,
            mb=told.budget_month_mb,
            money=told.budget_month_money,
            findings=told.budget_month_findings,
        ),
    ]
    return Ledger(db, clock=now, zone=local_zone, caps=caps)


def _indexing(library: Library | None) -> str:
    """Say that the library is yet to be read, or nothing when all of it has been."""
    is_read = library is None or library.standing().is_read
    return "" if is_read else "the library is being indexed; `lacuna library` says how far it is"


def _note_download(ledger: Ledger, model: str) -> None:
    """Keep that a model's files are about to be fetched; the hub's own client does that."""
    host = urlsplit(os.environ.get("HF_ENDPOINT", "https://huggingface.co")).hostname or ""
    ledger.record(Sending("model", "model", host, f"the files of the model {model}"))


def _retention(settings: Settings, folder: Path, stores: Stores, db: Database) -> Retention:
    limits = Limits(
        runs_days=settings.keep_runs_days,
        runs_mb=settings.keep_runs_mb,
        cache_mb=settings.keep_cache_mb,
        ledger_days=settings.keep_ledger_days,
        log_mb=settings.keep_log_mb,
    )
    return Retention(folder, stores.runs, stores.requests, Spent(db), limits)
