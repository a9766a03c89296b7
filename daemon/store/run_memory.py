"""What a run asked of the vault and of the model, kept so that it need not be asked again."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.model.errors import ReplayError
from daemon.model.late import LateModule
from daemon.ports import Vectors
from daemon.store.files import read_json, write_json, write_whole

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")


class RunMemory:
    """`context.json` and `embeddings.npz` of one run folder.

    Vectors are kept as float16: half the size, and still finer than any difference that matters.
    """

    def __init__(self, folder: Path) -> None:
        self._context_path = folder / "context.json"
        self._vectors_path = folder / "embeddings.npz"
        self._context: dict[str, Any] | None = None
        self._vectors: dict[str, Vectors] | None = None

    def recall(self, kind: str, key: str) -> Any:
        """Return what was kept under `kind` and `key`, or None."""
        return self._all().get(kind, {}).get(key)

    def keep(self, kind: str, answers: Mapping[str, Any]) -> None:
        """Keep JSON values under `kind`, each under its key. Raises StoreError."""
        if not answers:
            return
        self._all().setdefault(kind, {}).update(answers)
        write_json(self._context_path, self._all())

    def vectors(self) -> Mapping[str, Vectors]:
        """Return the vectors kept so far, `(d,)` float32, by the key of their text."""
        if self._vectors is None:
            self._vectors = self._load()
        return self._vectors

    def keep_vectors(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep vectors by the key of their text, on disk too. Raises StoreError."""
        if not vectors:
            return
        kept = {**self.vectors(), **vectors}
        keys = sorted(kept)
        buffer = io.BytesIO()
        stacked = np.stack([kept[key] for key in keys]).astype(np.float16)
        np.savez(buffer, keys=np.array(keys), vectors=stacked)
        write_whole(self._vectors_path, buffer.getvalue())
        self._vectors = kept

    def _all(self) -> dict[str, Any]:
        if self._context is None:
            there = self._context_path.is_file()
            self._context = read_json(self._context_path) if there else {}
        return self._context

    def _load(self) -> dict[str, Vectors]:
        if not self._vectors_path.is_file():
            return {}
        try:
            with np.load(io.BytesIO(self._vectors_path.read_bytes()), allow_pickle=False) as file:
                keys: list[str] = file["keys"].tolist()
                return dict(zip(keys, file["vectors"].astype(np.float32), strict=True))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise ReplayError(f"{self._vectors_path} cannot be read") from None
