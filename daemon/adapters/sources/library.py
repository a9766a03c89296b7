"""The user's own folder of unread documents: searched by words and by meaning, all on this machine.

Nothing is sent anywhere. A document is returned when it is about the question, not because it is
the nearest one there is.
"""

import asyncio
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from daemon.adapters.sources.parts import Parts
from daemon.adapters.sources.shelf import Book, Shelf, Unread
from daemon.adapters.sources.shelf_vectors import embedded
from daemon.adapters.sources.words import WordIndex
from daemon.model.errors import ModelError, SourceError
from daemon.model.evidence import Answer, Hit, SourceStatus, SourceType
from daemon.ports import Embedder, Source, Vectors

# Measured with the default model on the sample library and on sixty news pages: to a question about
# something else the nearest document lies at 0.1 to 0.3, to one about it at 0.4 to 0.8.
NEAR = 0.40  # cosine that is enough by itself
RELATED = 0.30  # cosine that is enough together with COVERED
COVERED = 0.5  # share of the question's words, by rarity, in one passage
COVERED_ALONE = 0.6  # the same, when there is no embedding model
FUSION = 10.0  # how far apart first and second place stand when two rankings are joined
SNIPPET = 1200  # characters


class LibrarySource(Source):
    """Hybrid search over the passages of a folder of documents."""

    kind: ClassVar[str] = "library"
    needs_key: ClassVar[bool] = False
    is_local = True

    def __init__(self, parts: Parts, root: Path) -> None:
        self._name = parts.name
        self._root = root
        self._embedder = parts.embedder
        self._cache = parts.cache_dir / "library"
        self._shelf = Shelf(root, parts.extractor, self._cache)
        self._index: _Index | None = None
        self._turn = threading.Lock()

    @classmethod
    def build(cls, parts: Parts) -> Self:
        if parts.library is None:
            raise SourceError("no library folder is set")
        return cls(parts, parts.library.absolute())

    @property
    def name(self) -> str:
        return self._name

    async def search(self, query: str, *, limit: int) -> Answer:
        return await asyncio.to_thread(self._search, query, limit)

    def _search(self, query: str, limit: int) -> Answer:
        began = time.monotonic()
        with self._turn:
            status, hits, why = self._answer(query, limit)
        return Answer(self.name, query, status, hits, why, time.monotonic() - began, requests=0)

    def _answer(self, query: str, limit: int) -> tuple[SourceStatus, tuple[Hit, ...], str]:
        if not self._root.is_dir():
            return SourceStatus.UNAVAILABLE, (), f"there is no folder {self._root}"
        try:
            books, unread = self._shelf.read()
        except OSError as error:
            return SourceStatus.UNAVAILABLE, (), f"{self._root}: {error.strerror}"
        if not books:
            status = SourceStatus.UNAVAILABLE if unread else SourceStatus.EMPTY
            return status, (), _told(unread) or f"no documents in {self._root}"
        found, trouble = self._find(books, query)
        hits = tuple(_hit(book, passage) for book, passage in found[:limit])
        if trouble:
            return SourceStatus.DEGRADED, hits, f"searched by words only: {trouble}"
        return (SourceStatus.OK if hits else SourceStatus.EMPTY), hits, _told(unread)

    def _find(self, books: list[Book], query: str) -> tuple[list[tuple[Book, str]], str]:
        """Rank the documents that are about the question; say what kept meaning out of it."""
        if self._index is None or self._index.books != books:
            self._index = _Index(books)
        if self._embedder is None:
            return self._index.find(query, None), ""
        try:
            near = self._nearness(self._index, self._embedder, query)
        except ModelError as error:
            return self._index.find(query, None), str(error)
        return self._index.find(query, near), ""

    def _nearness(self, index: "_Index", embedder: Embedder, query: str) -> Vectors:
        """The cosine of every passage to the question, `(n,)` float32."""
        if index.vectors is None:
            index.vectors = embedded(index.books, embedder, self._cache / "vectors")
        nearness: Vectors = index.vectors @ embedder.embed([query])[0]
        return nearness


@dataclass(slots=True)
class _Index:
    """All passages of all documents, side by side."""

    books: list[Book]
    owners: "np.ndarray[tuple[int], np.dtype[np.intp]]"
    passages: list[str]
    words: WordIndex
    vectors: "Vectors | None"

    def __init__(self, books: list[Book]) -> None:
        self.books = books
        self.owners = np.repeat(np.arange(len(books)), [len(book.passages) for book in books])
        self.passages = [passage for book in books for passage in book.passages]
        # The title counts as part of every passage: it often holds the word that the text avoids.
        self.words = WordIndex([f"{b.title} {passage}" for b in books for passage in b.passages])
        self.vectors = None

    def find(self, query: str, near: "Vectors | None") -> list[tuple[Book, str]]:
        """Each document that is about `query` with its best passage, best document first."""
        scores, covered = self.words.score(query)
        about = covered >= COVERED_ALONE
        if near is not None:
            about = (near >= NEAR) | ((near >= RELATED) & (covered >= COVERED))
        rankings = [scores] if near is None else [scores, near]
        points: dict[int, float] = {}
        for ranking in rankings:
            best = np.full(len(self.books), -np.inf)
            np.maximum.at(best, self.owners, ranking)
            for place, book in enumerate(np.argsort(-best, kind="stable")):
                points[int(book)] = points.get(int(book), 0.0) + 1 / (FUSION + place)
        chosen = {int(owner) for owner in self.owners[about]}
        order = sorted(chosen, key=lambda book: -points[book])
        return [(self.books[book], self._best(book, scores, near)) for book in order]

    def _best(self, book: int, scores: Vectors, near: "Vectors | None") -> str:
        """The passage that tells best why the document was found."""
        own = np.flatnonzero(self.owners == book)
        top = max(float(scores[own].max()), 1e-9)
        worth = scores[own] / top if near is None else near[own] + 0.2 * scores[own] / top
        return self.passages[int(own[int(worth.argmax())])]


def _hit(book: Book, passage: str) -> Hit:
    return Hit(
        source=LibrarySource.kind,
        source_type=SourceType.LIBRARY,
        url=book.path.as_uri(),
        title=book.title,
        snippet=passage[:SNIPPET],
        authors=book.authors,
        published=book.published,
    )


def _told(unread: list[Unread]) -> str:
    """Say how many documents could not be read, and name the first."""
    if not unread:
        return ""
    first = f"{unread[0].path.name}: {unread[0].why}"
    more = f", and {len(unread) - 1} more" if len(unread) > 1 else ""
    return f"could not read {first}{more}"
