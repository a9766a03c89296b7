"""An index to measure on: a vault's, with embeddings that cost next to nothing."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.embedder import CheapEmbedder
from daemon.index.search import Search
from daemon.index.sync import Syncer, SyncReport
from daemon.index.vectors import VectorFile, VectorIndex
from daemon.ports import Embedder
from daemon.store.db import Database
from daemon.store.meta import VectorFileState
from daemon.store.notes import NoteStore
from vault_adapters import open_vault


@dataclass(frozen=True, slots=True)
class Indexed:
    """The parts of one index, plugged together as the daemon does."""

    db: Database
    notes: NoteStore
    vectors: VectorIndex
    syncer: Syncer
    search: Search
    embedder: Embedder

    def sync(self, *, embed: bool = True) -> SyncReport:
        return self.syncer.sync(now=datetime.now(UTC), embed=embed)


def open_index(vault: Path, state: Path, embedder: Embedder | None = None) -> Indexed:
    """Open the index of `vault` in the folder `state`, which may be empty."""
    db = Database(state / "lacuna.db")
    notes, embedder = NoteStore(db), embedder or CheapEmbedder()
    file = VectorFile(state / "vectors.faiss", VectorFileState(db))
    vectors = VectorIndex(file, notes.embeddings, notes.touched, embedder.model)
    syncer = Syncer(open_vault(vault), notes, vectors, embedder)
    return Indexed(db, notes, vectors, syncer, Search(notes, vectors, embedder), embedder)
