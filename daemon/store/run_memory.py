"""A run's queries to the vault and to the model, with the answers, stored for the replay."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any

from daemon.model.arrays import np
from daemon.model.errors import ReplayError
from daemon.ports import RunFiles, Vectors
from daemon.store.run_files import read_json, write_json

_CONTEXT, _VECTORS = "context.json", "embeddings.npz"


class RunMemory:
    """`context.json` and `embeddings.npz` of one run folder.

    Vectors are stored as float16: half the size, and still finer than any difference that matters.
    """

    def __init__(self, files: RunFiles) -> None:
        self._files = files
        self._context: dict[str, Any] | None = None
        self._vectors: dict[str, Vectors] | None = None

    def recall(self, kind: str, key: str) -> Any:
        """Return what was stored under `kind` and `key`, or None."""
        return self._all().get(kind, {}).get(key)

    def keep(self, kind: str, answers: Mapping[str, Any]) -> None:
        """Store JSON values under `kind`, each under its key. Raises StoreError."""
        if not answers:
            return
        self._all().setdefault(kind, {}).update(answers)
        write_json(self._files, _CONTEXT, self._all())

    def vectors(self) -> Mapping[str, Vectors]:
        """Return the stored vectors, `(d,)` float32, by the key of their text."""
        if self._vectors is None:
            self._vectors = self._load()
        return self._vectors

    def keep_vectors(self, vectors: Mapping[str, Vectors]) -> None:
        """Store vectors by the key of their text, on disk too. Raises StoreError."""
        if not vectors:
            return
        kept = {**self.vectors(), **vectors}
        keys = sorted(kept)
        buffer = io.BytesIO()
        stacked = np.stack([kept[key] for key in keys]).astype(np.float16)
        np.savez(buffer, keys=np.array(keys), vectors=stacked)
        self._files.write(_VECTORS, buffer.getvalue())
        self._vectors = kept

    def _all(self) -> dict[str, Any]:
        if self._context is None:
            is_there = self._files.has(_CONTEXT)
            self._context = read_json(self._files, _CONTEXT) if is_there else {}
        return self._context

    def _load(self) -> dict[str, Vectors]:
        if not self._files.has(_VECTORS):
            return {}
        try:
            with np.load(io.BytesIO(self._files.read(_VECTORS)), allow_pickle=False) as file:
                keys: list[str] = file["keys"].tolist()
                return dict(zip(keys, file["vectors"].astype(np.float32), strict=True))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise ReplayError(f"{self._files.locate(_VECTORS)} cannot be read") from None
