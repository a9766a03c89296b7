"""The library's passages as vectors, kept beside their texts so that none is embedded twice."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from daemon.adapters.extract_cache import store
from daemon.adapters.sources.shelf import Book
from daemon.ports import Embedder, Vectors

BATCH = 128  # passages embedded at once


def embedded(books: Sequence[Book], embedder: Embedder, folder: Path) -> Vectors:
    """The vectors of all passages, `(n, d)`, in order; only what `folder` lacks is embedded.

    Many documents go through the model at once, but not so many that ending early loses much.
    Raises ModelError.
    """
    paths = [folder / f"{_digest(book, embedder)}.npy" for book in books]
    found = [_load(path, len(book.passages)) for path, book in zip(paths, books, strict=True)]
    missing = [number for number, vectors in enumerate(found) if vectors is None]
    for batch in _batches(missing, [len(book.passages) for book in books]):
        texts = [text for number in batch for text in _texts(books[number])]
        ends = np.cumsum([len(books[number].passages) for number in batch])[:-1]
        fresh = np.split(embedder.embed(texts), ends)
        for number, vectors in zip(batch, fresh, strict=True):
            found[number] = vectors
            _store(paths[number], vectors)
    return np.concatenate([vectors for vectors in found if vectors is not None])


def _texts(book: Book) -> list[str]:
    """What is embedded of a document: each passage under the title."""
    return [f"{book.title}\n{passage}" for passage in book.passages]


def _digest(book: Book, embedder: Embedder) -> str:
    return hashlib.sha256("\0".join([embedder.model, *_texts(book)]).encode()).hexdigest()


def _batches(numbers: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    """Gather documents until a batch holds enough passages."""
    batch: list[int] = []
    for number in numbers:
        batch.append(number)
        if sum(sizes[held] for held in batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _load(path: Path, count: int) -> "Vectors | None":
    try:
        known: Vectors = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return known if known.ndim == 2 and known.shape[0] == count else None


def _store(path: Path, vectors: Vectors) -> None:
    kept = io.BytesIO()
    np.save(kept, vectors, allow_pickle=False)
    store(path, kept.getvalue())
