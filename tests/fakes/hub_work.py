"""Passages that wait on a hub, and a model that embeds them."""

import threading
from collections.abc import Sequence

import numpy as np

from daemon.hub.database import Database
from daemon.hub.members import People
from daemon.hub.published import Vault
from daemon.hub.waiting_chunks import number_waiting
from daemon.model.errors import ModelError, OfflineError
from daemon.model.shared_notes import DIMENSIONS, Batch, SharedChunk, SharedNote
from daemon.ports import RetrievedDocument, Vectors


class Model:
    """Makes an embedding of each text, counts them, and can fail or wait for `goes_on`."""

    model = "all-MiniLM-L6-v2"

    def __init__(self, *, fails: bool = False) -> None:
        self.seen: list[str] = []
        self.fails = fails
        self.begun, self.goes_on = threading.Event(), threading.Event()
        self.goes_on.set()

    def embed(self, texts: Sequence[str], progress: object = None) -> Vectors:
        del progress
        self.begun.set()
        assert self.goes_on.wait(30)
        if self.fails:
            raise ModelError("no memory")
        self.seen += texts
        return np.tile(np.eye(1, DIMENSIONS, dtype=np.float32), (len(texts), 1))

    def close(self) -> None:
        """Nothing is open."""


def no_network(url: str) -> RetrievedDocument:
    raise OfflineError(url)


def publish(database: Database, vault: str, number: int) -> None:
    """Publish a note of so many chunks, as text only."""
    chunks_ = tuple(SharedChunk(text=f"{vault} {at}") for at in range(number))
    notes = (SharedNote(path="A.md", hash="1", chunks=chunks_),)
    with database.begin() as connection:
        people = People(connection, "test")
        owner = people.add(f"owner of {vault}")
        people.add_vault(vault, owner.name)
        Vault(connection, vault, owner).apply(Batch(revision=0, notes=notes))


def waiting(database: Database) -> int:
    with database.begin() as connection:
        return number_waiting(connection)
