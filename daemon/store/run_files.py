"""The files of runs on disk: one directory per run; each file is replaced atomically."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from daemon.model.errors import ReplayError, StoreError
from daemon.ports import RunFiles
from daemon.store.files import write_atomic


class RunDirectory:
    """The files of one run. The parts of a name are separated by `/`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def run(self) -> str:
        return self._path.name

    def locate(self, name: str = "") -> str:
        """Return the path of a file, or of the whole run, for a message."""
        return str(self._path / name)

    def has(self, name: str) -> bool:
        return (self._path / name).is_file()

    def read(self, name: str) -> bytes:
        """Raises ReplayError if the file is missing or cannot be read."""
        try:
            return (self._path / name).read_bytes()
        except FileNotFoundError:
            raise ReplayError(f"{self.locate(name)} is missing") from None
        except OSError as error:
            raise ReplayError(f"{self.locate(name)} cannot be read: {error}") from None

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically. Raises StoreError: disk full, read-only, no permission."""
        write_atomic(self._path / name, data)

    def names(self, folder: str) -> list[str]:
        """Return the names of the JSON files in a folder of the run, sorted."""
        return [f"{folder}/{path.name}" for path in sorted((self._path / folder).glob("*.json"))]


class RunDirectories:
    """The files of all runs, in directories below `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def files(self, run: str) -> RunDirectory:
        """Return the files of a run, by its id or the path of a directory elsewhere."""
        return RunDirectory(self._root / run)

    def runs(self) -> list[str]:
        """Return the ids of all runs with files, oldest first."""
        found = self._root.iterdir() if self._root.is_dir() else ()
        return sorted(path.name for path in found if path.is_dir())

    def size(self, run: str) -> int:
        """Return the size of a run's files in bytes."""
        files = (path.lstat() for path in (self._root / run).rglob("*") if not path.is_dir())
        return sum(status.st_size for status in files)

    def remove(self, run: str) -> None:
        """Raises StoreError."""
        try:
            shutil.rmtree(self._root / run)
        except OSError as error:
            where = error.filename or self._root / run
            raise StoreError(f"{where}: {error.strerror}") from None


def read_json(files: RunFiles, name: str) -> dict[str, Any]:
    """Read a JSON object. Raises ReplayError that names the file and the problem."""
    try:
        body = json.loads(files.read(name))
    except ValueError as error:
        raise ReplayError(f"{files.locate(name)} cannot be read: {error}") from None
    if not isinstance(body, dict):
        raise ReplayError(f"{files.locate(name)} is not what a run writes")
    return body


def write_json(files: RunFiles, name: str, body: Mapping[str, Any]) -> None:
    """Write JSON deterministically. Raises StoreError."""
    text = json.dumps(body, ensure_ascii=False, indent=1, sort_keys=True)
    files.write(name, text.encode("utf-8", "replace"))
