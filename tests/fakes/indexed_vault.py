"""A vault in a temporary folder with its index, for tests that edit files and sync."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from daemon.cycle.analysing import analyse_vault
from daemon.cycle.vault_analysis import VaultAnalysis
from daemon.index.search import Search
from daemon.index.sync import Syncer
from daemon.index.sync_report import SyncReport
from daemon.index.vectors import VectorFile, VectorIndex
from daemon.model.finding import FindingState
from daemon.store.db import Database
from daemon.store.findings import FindingStore
from daemon.store.healths import HealthStore
from daemon.store.meta import VectorFileState
from daemon.store.notes import NoteStore
from tests.fakes.embedder import FakeEmbedder
from vault_adapters import open_vault

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


class IndexedVault:
    """Every write gets a time of its own, so that nothing hangs on the clock of the machine."""

    def __init__(self, folder: Path, root: Path | None = None, model: str = "fake") -> None:
        self.folder = folder
        self.root = root or folder / "vault"
        self.root.mkdir(parents=True, exist_ok=True)
        self.embedder = FakeEmbedder(model)
        self.inbox = "Inbox"
        self.decided: dict[str, FindingState] = {}
        self.written = 0
        self.reported: set[str] = set()  # what a watcher would tell of since the last sync
        self.open()

    def vectors_of(self, model: str) -> VectorIndex:
        file = VectorFile(self.folder / "state" / "vectors.faiss", VectorFileState(self.db))
        return VectorIndex(file, self.notes.embeddings, self.notes.touched, model)

    def open(self) -> None:
        self.db = Database(self.folder / "state" / "lacuna.db")
        self.notes = NoteStore(self.db)
        self.vectors = self.vectors_of(self.embedder.model)
        self.syncer = Syncer(
            open_vault(self.root),
            self.notes,
            self.vectors,
            self.embedder,
            inbox=self.inbox,
            standings=self.standings,
        )
        self.search = Search(self.notes, self.vectors, self.embedder)

    def standings(self) -> dict[str, FindingState]:
        """What was decided of findings: whatever a test says, or what is kept."""
        return FindingStore(self.db).standings() | self.decided

    def analysis(self, **other: Any) -> VaultAnalysis:
        """What analyses the vault in this process."""
        settings: dict[str, Any] = {
            "model": "fake",
            "meaning_similarity": 0.8,
            "stale_days": 365,
            "analyse": analyse_vault,
        }
        findings, healths = FindingStore(self.db), HealthStore(self.db)
        return VaultAnalysis(self.notes, findings, healths, **(settings | other))

    def reopen(self) -> None:
        """What a new process would do."""
        self.db.close()
        self.open()

    def write(self, path: str, text: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        self.touch(path)

    def touch(self, path: str) -> None:
        self.written += 1
        seconds = (BEGINNING + timedelta(minutes=self.written)).timestamp()
        os.utime(self.root / path, (seconds, seconds))
        self.reported.add(path)

    def move(self, old: str, new: str) -> None:
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)
        self.reported |= {old, new}

    def delete(self, path: str) -> None:
        (self.root / path).unlink()
        self.reported.add(path)

    def sync(self, **how: Any) -> SyncReport:
        now = how.pop("now", BEGINNING + timedelta(days=300))
        self.embedder.asked.clear()
        self.reported.clear()
        return self.syncer.sync(now=now, **how)

    def sync_reported(self) -> SyncReport:
        """Sync as after an event: with the paths that were reported as changed."""
        return self.sync(among=frozenset(self.reported))


def holdings(vault: IndexedVault, queries: Iterable[str]) -> dict[str, Any]:
    """All that an index holds, without ids, which tell how it came to be."""
    chunks = vault.notes.chunks()
    place = {chunk.id: (chunk.note, chunk.ordinal) for chunk in chunks}
    vectors = vault.notes.note_vectors("fake")
    near = vault.search.nearest_chunks(next(iter(vectors.values()))[None, :], 5) if vectors else []
    return {
        "notes": vault.notes.all(),
        "links": vault.notes.links(),
        "chunks": [(c.note, c.ordinal, c.heading, c.line, c.text, c.hash) for c in chunks],
        "words": {q: [place[id_] for id_ in vault.notes.by_words(q, 4)] for q in queries},
        "search": {q: vault.search.search(q, 3) for q in queries},
        "vectors": {path: vector.tobytes() for path, vector in vectors.items()},
        "near": near,
        "embedded": len(vault.vectors),
    }
