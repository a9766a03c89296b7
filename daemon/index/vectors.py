"""Nearest-neighbour search: by numpy among few vectors, by faiss among many.

The file is a cache of SQLite's data.

Whatever the file's state, searches are exact: a file that is not, byte for byte, the last saved one
is rebuilt, and one that is older than the database is updated.
"""

import importlib.util
import logging
import os
import threading
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from daemon.index.exact import ExactIndex, read_exact
from daemon.model.arrays import np
from daemon.model.errors import StoreError
from daemon.model.late import LateModule
from daemon.model.notes import Vector
from daemon.store.embeddings import EmbeddingStore
from daemon.store.generation import Touched
from daemon.store.meta import VectorFileState
from daemon.store.private import opener

if TYPE_CHECKING:
    import faiss
    import numpy.typing as npt
else:
    faiss = LateModule("faiss")  # 20 MB, for a process that searches among many vectors

_log = logging.getLogger(__name__)

_SMALL_INDEX = 5000  # vectors up to which every change is saved at once
# Vectors up to which faiss is not loaded: numpy compares as many of 384 numbers in half a
# millisecond.
_NUMPY_UP_TO = 5000
_DRIFT = 0.01  # share of differences from which a larger file is written again
_BLOCK = 1 << 20
_Ids: TypeAlias = "npt.NDArray[np.int64]"
# 16-bit numbers take half the memory and are searched in half the time; cosines differ from those
# of 32 bits by a hundred-thousandth, and of the ten nearest of 100,000 none is missed.
_KIND = "half"
_EXACT_KIND = "numpy"  # the same numbers in another file


class VectorFile:
    """The file of a vector index. What was saved last is in the database: see `saved`."""

    def __init__(self, path: Path, saved: VectorFileState) -> None:
        self.path = path
        self._saved = saved

    def number(self) -> int | None:
        """Return the generation of the chunks and embeddings in the file, if one was saved."""
        return self._saved.number()

    def has_its_size(self, model: str, kind: str) -> bool:
        """Return whether it may be the last saved one, of a model, in a format."""
        saved = self._saved.checksum()
        if not saved:
            return saved is not None and not self.path.exists()  # saved as empty
        try:
            begins = saved.startswith(f"{self.path.stat().st_size} ")
        except OSError:
            return False
        return begins and saved.endswith(f" {kind} {model}")

    def read(self, model: str, kind: str) -> tuple[Any, _Ids, int] | None:
        """Return the index in it, its ids and its generation.

        None if it is not the last saved one, or has another format: it is written again the next
        time.
        """
        saved = self._saved.checksum()
        if not saved and not self.path.exists():
            return None
        try:
            if saved == _mark(self.path, kind, model):
                index, ids = _read_file(self.path, kind)
                number = self._saved.number()
                return index, np.sort(ids), -1 if number is None else number
            why = "its file is not the last saved one"
        except (OSError, RuntimeError) as error:
            why = _reason(error)
        _log.info("building the vector index from the database: %s", why)
        self._saved.outdate()
        return None

    def write(self, index: Any, model: str, number: int | None) -> None:
        """Replace the old file atomically, or delete it without an index; record which one it is.

        Raises StoreError.
        """
        # left by a killed writer: overwritten
        part = self.path.with_name(f".{self.path.name}.part")
        mark = ""
        try:
            if index is None:
                self.path.unlink(missing_ok=True)
            else:
                with open(part, "wb", opener=opener) as file:
                    _write_file(index, file)
                    file.flush()
                    os.fsync(file.fileno())
                mark = _mark(part, _kind_of(index), model)
                part.replace(self.path)
        except (OSError, RuntimeError) as error:
            part.unlink(missing_ok=True)
            raise StoreError(f"{self.path}: could not be written: {_reason(error)}") from error
        self._saved.save(mark, number)


class VectorIndex:
    """The current chunks' embeddings by one model; loaded on first use, see `unload`.

    `touched` says which chunks changed since the index was updated. Thread-safe.
    """

    def __init__(
        self, file: VectorFile, embeddings: EmbeddingStore, touched: Touched, model: str
    ) -> None:
        self.model = model
        self._file = file
        self._embeddings = embeddings
        self._touched = touched
        self._lock = threading.RLock()
        self._index: Any = None
        self._ids: _Ids  # None before anything was loaded
        self._at: int | None = None  # the generation of chunks and embeddings in it
        self._drift = 0  # by how many vectors the index and the file differ

    @property
    def path(self) -> Path:
        """Its file."""
        return self._file.path

    def __len__(self) -> int:
        return self.size()

    def size(self, *, waits: bool = True) -> int:
        """Return how many embeddings there are; for `waits` see `search_many`."""
        with self._lock:
            self._refresh(waits=waits)
            return len(self._ids)

    @property
    def loaded(self) -> bool:
        return self._index is not None

    def search(self, vector: Vector, k: int) -> list[tuple[int, float]]:
        """Return the `k` nearest embeddings to a `(d,)` vector: id and cosine, nearest first."""
        return self.search_many(vector[np.newaxis, :], k)[0]

    def search_many(
        self, vectors: Vector, k: int, *, waits: bool = True
    ) -> list[list[tuple[int, float]]]:
        """The same for each row of `(n, d)` vectors of unit length.

        Unless it `waits`, a loaded index is searched as it is during another thread's transaction:
        uncommitted changes are not found yet.
        """
        with self._lock:
            self._refresh(waits=waits)
            if self._index is None or not len(vectors) or vectors.shape[1] != self._index.d:
                return [[] for _ in vectors]
            queries = np.ascontiguousarray(vectors, dtype=np.float32)
            if _kind_of(self._index) == _KIND:
                # A second thread makes one search slower, and several searches on a busy machine
                # much slower.
                faiss.omp_set_num_threads(1)
            cosines, ids = self._index.search(queries, min(k, self._index.ntotal))
        return [
            [(int(id_), float(cosine)) for id_, cosine in zip(*row, strict=True) if id_ >= 0]
            for row in zip(ids, cosines, strict=True)
        ]

    def save(self) -> None:
        """Write the file if it is missing, damaged or too outdated. Raises StoreError.

        A slightly outdated large file stays so until the index is loaded for a search.
        """
        with self._lock:
            is_there = self._file.has_its_size(self.model, self._kind())
            if is_there and self._file.number() == self._touched.number():
                return
            is_small = self._has_at_most(_SMALL_INDEX)
            if is_there and not is_small and not self.loaded:
                return
            self._refresh()
            if is_small or self._drift > _DRIFT * len(self._ids) or not is_there:
                self._file.write(self._index, self.model, self._at)
                self._drift = 0

    def unload(self) -> None:
        """Free the memory; the next use loads the file again."""
        with self._lock:
            if self._at is not None:
                self._ids = np.empty(0, dtype=np.int64)
            self._index = self._at = None

    def _refresh(self, *, waits: bool = True) -> None:
        if not waits and self._index is not None and self._embeddings.is_busy():
            return
        if self._at is None:
            self._load()
        number = self._touched.number()
        if number == self._at:
            return
        if self._index is not None and _kind_of(self._index) != self._kind():
            self._clear()  # few vectors became many, or many few
        hashes = self._touched.since(self._at) if self._at is not None else None
        gone, new = self._everything() if hashes is None else self._search_among(hashes)
        if len(gone):
            self._index.remove_ids(gone)
        if self._index is None or not self._index.ntotal:
            self._index = None  # the next vectors may have another dimension
        for ids, vectors in self._embeddings.vectors(new.tolist()):
            if self._index is None:
                self._index = _empty_index(vectors.shape[1], self._kind())
            self._index.add_with_ids(vectors, ids)
        self._ids = np.delete(self._ids, np.searchsorted(self._ids, gone))
        self._ids = np.insert(self._ids, np.searchsorted(self._ids, new), new)
        self._drift += len(gone) + len(new)
        self._at = number
        self._touched.begin(number)

    def _everything(self) -> tuple[_Ids, _Ids]:
        """Return the ids that are no longer used, and those that are not yet in the index."""
        used = self._embeddings.used(self.model)
        gone = np.setdiff1d(self._ids, used, assume_unique=True)
        return gone, np.setdiff1d(used, self._ids, assume_unique=True)

    def _search_among(self, hashes: Iterable[str]) -> tuple[_Ids, _Ids]:
        """The same among the embeddings of some chunks only."""
        found = self._embeddings.used_among(hashes, self.model)
        inside = {id_ for id_ in found if self._holds(id_)}
        gone = sorted(id_ for id_ in inside if not found[id_])
        new = sorted(id_ for id_, is_used in found.items() if is_used and id_ not in inside)
        return np.array(gone, dtype=np.int64), np.array(new, dtype=np.int64)

    def _holds(self, id_: int) -> bool:
        at = int(np.searchsorted(self._ids, id_))
        return at < len(self._ids) and int(self._ids[at]) == id_

    def _load(self) -> None:
        """Load the file if it is the last saved one; otherwise start empty."""
        self._drift = 0
        found = self._file.read(self.model, self._kind())
        if found is None:
            self._clear()
        else:
            self._index, self._ids, self._at = found

    def _clear(self) -> None:
        self._index, self._ids, self._at = None, np.empty(0, dtype=np.int64), None

    def _kind(self) -> str:
        few = self._has_at_most(_NUMPY_UP_TO)
        return _EXACT_KIND if few or not _has_faiss() else _KIND

    def _has_at_most(self, most: int) -> bool:
        return self._embeddings.count(most + 1) <= most


class VectorReader:
    """The same vectors for a thread that only reads, and waits for no transaction."""

    def __init__(self, vectors: VectorIndex) -> None:
        self._vectors = vectors

    @property
    def model(self) -> str:
        return self._vectors.model

    def __len__(self) -> int:
        return self._vectors.size(waits=False)

    def search(self, vector: Vector, k: int) -> list[tuple[int, float]]:
        """Return the `k` nearest embeddings to a `(d,)` vector: id and cosine, nearest first."""
        return self.search_many(vector[np.newaxis, :], k)[0]

    def search_many(self, vectors: Vector, k: int) -> list[list[tuple[int, float]]]:
        """The same for each row of `(n, d)` vectors of unit length."""
        return self._vectors.search_many(vectors, k, waits=False)


@cache
def _has_faiss() -> bool:
    """Return whether it is installed: a light install has numpy alone."""
    return importlib.util.find_spec("faiss") is not None


def _mark(path: Path, kind: str, model: str) -> str:
    """Return a fingerprint of a file's bytes, its format and the model. Raises OSError."""
    size = checksum = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            size += len(block)
            checksum = zlib.crc32(block, checksum)
    return f"{size} {checksum:08x} {kind} {model}"


def _kind_of(index: Any) -> str:
    return _EXACT_KIND if isinstance(index, ExactIndex) else _KIND


def _read_file(path: Path, kind: str) -> tuple[Any, Any]:
    """Return an index and the ids in it. Raises OSError, RuntimeError."""
    if kind == _EXACT_KIND:
        index = read_exact(path)
        return index, index.ids
    found = faiss.read_index(str(path))
    return found, faiss.vector_to_array(found.id_map)  # type: ignore[attr-defined]


def _write_file(index: Any, file: BinaryIO) -> None:
    """Write an index. Raises OSError, RuntimeError."""
    if isinstance(index, ExactIndex):
        index.write(file)
        return
    faiss.write_index(index, faiss.PyCallbackIOWriter(file.write))  # type: ignore[attr-defined]


def _empty_index(dimension: int, kind: str) -> Any:
    if kind == _EXACT_KIND:
        return ExactIndex(dimension)
    number, cosine = faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    return faiss.IndexIDMap2(faiss.IndexScalarQuantizer(dimension, number, cosine))


def _reason(error: Exception) -> str:
    """Faiss prefixes its errors with source locations; a reader needs only the last words."""
    return str(error).rsplit(": ", 1)[-1]
