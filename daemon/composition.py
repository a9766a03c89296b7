"""The composition root: from settings to a wired App."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from tzlocal import get_localzone

from daemon.adapters.analysis_child import AnalysisChild
from daemon.adapters.embedder import ChildEmbedder
from daemon.adapters.extract import EXTRACTOR_VERSION, ChildExtractor
from daemon.adapters.reranker import ChildReranker
from daemon.adapters.secrets import open_secrets
from daemon.adapters.sources import Registry, load_registry
from daemon.adapters.system_conditions import SystemConditions
from daemon.app import App
from daemon.config import Settings, credibility_path, own_folder, sources_path, state_folder
from daemon.cycle.agendas import Agendas
from daemon.cycle.knowledge import Knowledge
from daemon.cycle.proposals import Proposals
from daemon.cycle.recovery import Recovery
from daemon.cycle.resting_topics import Topics
from daemon.cycle.retries import Retries
from daemon.cycle.schedules import Schedules
from daemon.cycle.spending import Spending
from daemon.cycle.tagged import TaggedNotes
from daemon.cycle.vault_analysis import Analyse, AnalysisOptions
from daemon.index.vectors import VectorFile, VectorIndex, VectorReader
from daemon.library.library import Library
from daemon.model.clock import now
from daemon.model.errors import SettingsError
from daemon.model.late import LateList, LateTable
from daemon.model_files import DEFAULT_RERANKER, reranker_path
from daemon.notifying import Notifying, notifying_of
from daemon.parts import (
    Ground,
    Review,
    agendas_of,
    database_in,
    knowledge_for_reading,
    knowledge_of,
    ledger_of,
    library_of,
    models_of,
    note_download,
    proposals_of,
    recovery_of,
    review_of,
    stores_in,
    tagged_of,
    vault_of,
)
from daemon.prepared_model import has_torch
from daemon.scheduling import schedules_of
from daemon.store.announcements import AnnouncementStore
from daemon.store.db import Database, ReadOnlyDatabase
from daemon.store.events import EventLog
from daemon.store.meta import NetworkState, VectorFileState
from daemon.store.notes import NoteStore
from daemon.store.own_notes import OwnNoteStore
from daemon.store.reporter import Progress
from daemon.store.retractions import RetractionFile
from daemon.store.spent import Spent
from daemon.store.uses import UseStore

if TYPE_CHECKING:  # created on first use
    from daemon.analysis.health import Health
    from daemon.network import NetworkParts
    from daemon.parts import LateModels


def open_app(
    settings: Settings,
    *,
    state: Path | None = None,
    config: Path | None = None,
    is_resident: bool = False,
) -> App:
    """Wire the parts for the vault in `settings`.

    A process that `is_resident` has the vault analysed in a child, which frees the memory again.
    Raises SettingsError when no vault is named, VaultError, StoreError, SourceError.
    """
    ground = _ground(settings, state, config)
    announcements = AnnouncementStore(ground.db)
    events = EventLog(ground.folder, (ground.folder / "runs").joinpath, now, announcements)
    notifying = notifying_of(ground, events, announcements, now)
    index = _index(ground, is_resident=is_resident)
    review = review_of(ground, index.knowledge, notifying.announce)
    research = _research(ground, index, notifying, review)
    return _app(ground, events, index, review, research, notifying)


def _app(
    ground: Ground,
    events: EventLog,
    index: "_Index",
    review: Review,
    research: "_Research",
    notifying: Notifying,
) -> App:
    return App(
        settings=ground.settings,
        state=ground.folder,
        tz=ground.tz,
        adapter=ground.adapter,
        db=ground.db,
        stores=ground.stores,
        events=events,
        secrets=ground.secrets,
        spent=Spent(ground.db),
        conditions=SystemConditions(),
        retries=Retries(ground.stores.agendas, NetworkState(ground.db)),
        embedder=index.embedder,
        reranker=index.reranker,
        extractor=index.extractor,
        analysis_child=index.analysis_child,
        vectors=index.vectors,
        knowledge=index.knowledge,
        library=index.library,
        inbox=review.inbox,
        own_writes=ground.own_writes,
        machines=review.machines,
        reviews=review.reviews,
        tidy=review.tidy,
        retention=review.retention,
        registry=research.registry,
        network=research.network,
        proposals=research.proposals,
        agendas=research.agendas,
        tagged_notes=research.tagged_notes,
        topics=research.topics,
        schedules=research.schedules,
        spending=research.spending,
        recovery=research.recovery,
        notifying=notifying,
        announce=notifying.announce,
        delivery=notifying.delivery,
    )


@dataclass(frozen=True, slots=True)
class _Index:
    """The indexes of the vault and the library, and the models that read them."""

    embedder: ChildEmbedder
    reranker: ChildReranker | None
    extractor: ChildExtractor
    analysis_child: AnalysisChild
    vectors: VectorIndex
    knowledge: Knowledge
    library: Library | None
    models: "LateModels"  # loaded when a role is used


@dataclass(frozen=True, slots=True)
class _Research:
    """What proposes research and runs it; `network` loads the network code at its first call."""

    registry: Registry
    network: Callable[[], "NetworkParts"]
    proposals: Proposals
    agendas: Agendas
    tagged_notes: TaggedNotes
    topics: Topics
    schedules: Schedules
    spending: Spending
    recovery: Recovery


def _ground(settings: Settings, state: Path | None, config: Path | None) -> Ground:
    if settings.vault is None:
        raise SettingsError("no vault is configured: run `lacuna init VAULT`, or give --vault")
    adapter = vault_of(settings, settings.vault)
    folder = own_folder(state or settings.state or state_folder(settings.vault), settings.vault)
    db = database_in(folder)
    return Ground(
        settings,
        config,
        folder,
        adapter,
        db,
        stores_in(db, folder),
        OwnNoteStore(db),
        open_secrets(settings.secrets.store, sources_path(config).parent),
        ledger_of(settings, db, now),
        get_localzone(),
    )


def _index(ground: Ground, *, is_resident: bool) -> _Index:
    settings = ground.settings
    on_download = partial(note_download, ground.ledger)
    embedder, reranker = _embedder(settings, on_download), _reranker(settings, on_download)
    extractor, child = ChildExtractor(), AnalysisChild()
    file = VectorFile(ground.folder / "vectors.faiss", VectorFileState(ground.db))
    notes = ground.stores.notes
    vectors = VectorIndex(file, notes.embeddings, notes.touched, embedder.model)
    analyse = child if is_resident else _analyse_here
    knowledge = knowledge_of(ground, vectors, embedder, analyse)
    library = library_of(ground, extractor, embedder, version=str(EXTRACTOR_VERSION))
    models = cache(partial(models_of, ground))
    return _Index(embedder, reranker, extractor, child, vectors, knowledge, library, models)


def _analyse_here(notes: NoteStore, options: AnalysisOptions, progress: Progress) -> "Health":
    """Analyse the vault in this process."""
    from daemon.cycle.analysing import analyse_vault  # noqa: PLC0415 loads numpy

    return analyse_vault(notes, options, progress)


def _research(ground: Ground, index: _Index, notifying: Notifying, review: Review) -> _Research:
    registry = load_registry(sources_path(ground.config))
    spending = Spending(ground.ledger, LateList(lambda: network().caps))
    profiled = LateTable(lambda: network().profiles)
    about = (review, notifying.announce, profiled, index.library, index.models)
    proposals = proposals_of(ground, index.knowledge, *about)
    agendas = agendas_of(ground, index.knowledge, review)
    sources = LateList(lambda: tuple(network().sources))
    retractions = RetractionFile(
        ground.settings.research.retraction_watch
    )  # an error in it is reported at once
    made_of = (ground, index, notifying, review, spending, agendas, registry, retractions)
    network: Callable[[], NetworkParts] = cache(partial(_network, *made_of))
    if credibility_path(ground.config).exists():
        network()  # at once: an error in the user's table is reported now, not in a run
    schedules = schedules_of(
        ground,
        sources,
        is_local=lambda name: network().sources[name].is_local,
        proposals=proposals,
        review=review,
        spending=spending,
        library=index.library,
    )
    recovery = recovery_of(ground, index.knowledge, sources)
    tagged = tagged_of(ground, proposals, agendas, review.machines)
    topics = Topics(ground.stores.agendas, ground.stores.findings)
    return _Research(
        registry, network, proposals, agendas, tagged, topics, schedules, spending, recovery
    )


def _network(
    ground: Ground,
    index: _Index,
    notifying: Notifying,
    review: Review,
    spending: Spending,
    agendas: Agendas,
    registry: Registry,
    retractions: RetractionFile,
) -> "NetworkParts":
    from daemon.network import NetworkInputs, build_network  # noqa: PLC0415 it says why

    inputs = NetworkInputs(
        settings=ground.settings,
        state=ground.folder,
        credibility=credibility_path(ground.config),
        library=index.library,
        tz=ground.tz,
        registry=registry,
        secrets=ground.secrets,
        extractor=index.extractor,
        embedder=index.embedder,
        reranker=index.reranker,
        models=index.models,
        ledger=ground.ledger,
        spending=spending,
        uses=UseStore(ground.db),
        runs=ground.stores.runs,
        findings=ground.stores.findings,
        retractions=retractions,
        agendas=agendas,
        inbox=review.inbox,
        announce=notifying.announce,
        hooks=notifying.hooks,
        hook_failed=notifying.hook_failed,
    )
    return build_network(inputs)


@contextmanager
def open_models(settings: Settings) -> Iterator[tuple[ChildEmbedder, ChildReranker | None]]:
    """Return the embedding model and the cross-encoder of the settings. Needs no vault."""
    embedder, reranker = _embedder(settings), _reranker(settings)
    try:
        yield embedder, reranker
    finally:
        embedder.close()
        if reranker is not None:
            reranker.close()


def _embedder(
    settings: Settings, on_download: Callable[[str], None] = lambda _model: None
) -> ChildEmbedder:
    return ChildEmbedder(
        settings.embedding.model,
        settings.embedding.model_path,
        idle_seconds=settings.embedding.idle_seconds,
        threads=settings.embedding.threads,
        backend=settings.embedding.backend,
        state=settings.state or (settings.vault and state_folder(settings.vault)),
        on_download=on_download,
    )


def _reranker(
    settings: Settings, on_download: Callable[[str], None] = lambda _model: None
) -> ChildReranker | None:
    """Return the cross-encoder of the settings; None if it is off."""
    if settings.research.reranker == "off":
        return None
    is_offline = settings.embedding.model_path is not None or os.environ.get("HF_HUB_OFFLINE")
    return ChildReranker(
        DEFAULT_RERANKER,
        reranker_path(settings.research.reranker),
        idle_seconds=settings.embedding.idle_seconds,
        threads=settings.embedding.threads,
        allow_download=not is_offline and has_torch(),  # needed for downloads
        on_download=on_download,
    )


@contextmanager
def open_reader(app: App) -> Iterator[App]:
    """Yield an App of the same vault for answering queries. Raises StoreError.

    It reads the database through a connection of its own, which waits for no transaction and cannot
    write. The library has its own database; the embedding model is that of `app`.
    """
    db, child = ReadOnlyDatabase(app.db.path), AnalysisChild()
    try:
        yield _reader(app, db, child)
    finally:
        child.interrupt()
        db.close()


def _reader(app: App, db: Database, child: AnalysisChild) -> App:
    stores = stores_in(db, app.state)
    own, ledger = OwnNoteStore(db), ledger_of(app.settings, db, now)
    ground = Ground(
        app.settings, None, app.state, app.adapter, db, stores, own, app.secrets, ledger, app.tz
    )
    knowledge = knowledge_for_reading(
        app.settings, app.adapter, stores, VectorReader(app.vectors), app.embedder, _in_turn(child)
    )
    review = review_of(ground, knowledge, app.announce)
    profiled = LateTable(lambda: app.network().profiles)
    proposals = proposals_of(ground, knowledge, review, app.announce, profiled, app.library)
    spending = Spending(ledger, LateList(lambda: app.network().caps))
    agendas = agendas_of(ground, knowledge, review)
    schedules = schedules_of(
        ground,
        LateList(lambda: tuple(app.network().sources)),
        is_local=lambda name: app.network().sources[name].is_local,
        proposals=proposals,
        review=review,
        spending=spending,
        library=app.library,
    )
    retractions = RetractionFile(app.settings.research.retraction_watch)
    return replace(
        app,
        db=db,
        stores=stores,
        knowledge=knowledge,
        inbox=review.inbox,
        machines=review.machines,
        reviews=review.reviews,
        proposals=proposals,
        agendas=agendas,
        tagged_notes=tagged_of(ground, proposals, agendas, review.machines),
        topics=Topics(stores.agendas, stores.findings),
        schedules=schedules,
        spending=spending,
        spent=Spent(db),
        network=cache(lambda: app.network().with_retractions(retractions, stores.runs)),
    )


def _in_turn(child: AnalysisChild) -> Analyse:
    """Return what analyses the vault for one query at a time."""
    is_free = threading.Lock()

    def analyse(notes: NoteStore, options: AnalysisOptions, progress: Progress) -> "Health":
        with is_free:
            return child(notes, options, progress)

    return analyse
