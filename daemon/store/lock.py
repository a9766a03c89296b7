"""One writer per vault: an advisory lock that the kernel releases when its holder dies."""

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from daemon.model.errors import LockedError, StoreError
from daemon.store.private import make_folder

_POLL_SECONDS = 0.05
_UNNAMED = 20  # looks at a lock whose holder has not written its name yet, or is releasing it


def lock_path(state: Path) -> Path:
    """Return the path of a state folder's writer lock."""
    return state / "daemon.lock"


class WriterLock:
    """`daemon.lock` in the state folder; contains the pid and the name of the writer."""

    def __init__(self, path: Path, *, holder: str, patience: float = 0.0) -> None:
        """`patience` is how many seconds to wait for a holder of another name."""
        self.path = path
        self._holder = holder
        self._patience = patience
        self._file: int | None = None

    def acquire(self) -> None:
        """Take the lock. Raises LockedError, naming who holds it."""
        until = time.monotonic() + self._patience
        while (file := self._taken()) is None:
            if (by := held_by(self.path)) is None:
                continue  # it was released, or somebody only looked whether it is free
            if time.monotonic() >= until or by.startswith(f"{self._holder} ("):
                raise LockedError(f"{by} has locked this vault")
            time.sleep(_POLL_SECONDS)
        os.ftruncate(file, 0)
        os.pwrite(file, f"{self._holder} {os.getpid()}".encode(), 0)
        self._file = file

    def _taken(self) -> int | None:
        """Return the locked file, or None while another process holds it."""
        try:
            make_folder(self.path.parent)
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        return file

    def release(self) -> None:
        """Release it; harmless if it is not held."""
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def held_by(path: Path) -> str | None:
    """Return who holds the lock at `path` (`lacuna run (pid 4711)`), or None."""
    for _ in range(_UNNAMED):
        holder = _content(path)
        if holder is None:
            return None
        if holder:
            name, _, pid = holder.rpartition(" ")
            return f"{name or 'lacuna'} (pid {pid})"
        time.sleep(_POLL_SECONDS)
    return "lacuna (pid ?)"


def _content(path: Path) -> str | None:
    """Return what the holder has written into the lock, or None if nobody holds it."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.pread(file, 200, 0).decode(errors="replace")
    else:
        return None
    finally:
        os.close(file)
