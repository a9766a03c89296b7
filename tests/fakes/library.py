"""A library in a folder, indexed whole with fakes."""

from pathlib import Path

from daemon.library.library import Library
from daemon.ports import Embedder, Extractor, Stop
from daemon.store.caches import LIBRARY
from daemon.store.db import Database
from daemon.store.library import LibraryStore
from tests.fakes.extractor import FakeExtractor


def make_library(
    *roots: Path,
    state: Path,
    extractor: Extractor | None = None,
    embedder: Embedder | None = None,
    version: str = "1",
) -> Library:
    """Open the index of a library, as it is."""
    store = LibraryStore(Database(state / "library.db", LIBRARY))
    return Library(roots, store, extractor or FakeExtractor(), embedder, version=version)


def indexed_library(
    *roots: Path,
    state: Path,
    extractor: Extractor | None = None,
    embedder: Embedder | None = None,
) -> Library:
    """Open the index of a library and bring it up to date."""
    library = make_library(*roots, state=state, extractor=extractor, embedder=embedder)
    library.update(progress=lambda _done, _total, _what: None, stop=Stop())
    return library
