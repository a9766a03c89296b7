"""Replace the present state with a backup; the old state is kept aside."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from daemon.model.errors import StoreError
from daemon.model.progress import Progress, no_progress
from daemon.store import marks
from daemon.store.archive import SETTINGS, About, extract
from daemon.store.copies import settle
from daemon.store.lock import WriterLock, lock_path
from daemon.store.migrations import mark_for_recovery, schema_of
from daemon.store.private import make_folder

_DATABASE, _RUNS = "lacuna.db", "runs"
# Everything that belongs to the old state: the database first, for its journals are its own.
_OLD = (
    _DATABASE,
    *(f"{_DATABASE}{ending}" for ending in ("-wal", "-shm", ".closed", ".aside")),
    _RUNS,
    "vectors.faiss",
    "map.json",
    *(f"derived.db{ending}" for ending in ("", "-wal", "-shm", ".closed")),
)


@dataclass(frozen=True, slots=True)
class Restored:
    """The restored state, where the previous one is (if any), and the settings."""

    about: About
    aside: Path | None
    settings: Mapping[str, bytes]


def restore_archive(
    archive: Path, state: Path, *, now: datetime, progress: Progress = no_progress
) -> Restored:
    """Unpack and check a backup, and make it the state.

    Nothing is changed before all of it is checked. After a kill in the middle, nothing opens the
    state until the restore is repeated. Later changes of the vault are read at the next start.
    Raises BackupError, StoreError, LockedError while anybody is using the vault.
    """
    with WriterLock(lock_path(state), holder="lacuna restore"):
        with _with_message(state), TemporaryDirectory(dir=state, prefix=".restore-") as folder:
            staged = Path(folder)
            about = extract(archive, staged, progress)
            database = staged / "state" / _DATABASE
            schema_of(database)
            mark_for_recovery(database)
            aside = _aside(state, now)
            marks.begin_restoring(state / _DATABASE, aside)
            was_there = _set_aside(state, aside)
            for name in (_DATABASE, _RUNS):
                (staged / "state" / name).rename(state / name)
            marks.end_restoring(state / _DATABASE)
            settings = {
                name: (staged / "settings" / name).read_bytes()
                for name in SETTINGS
                if (staged / "settings" / name).is_file()
            }
        return Restored(about, aside if was_there else None, settings)


def _aside(state: Path, now: datetime) -> Path:
    """Return where the present state is moved to; the same place if an earlier move was
    interrupted.
    """
    begun = marks.being_restored(state / _DATABASE)
    if begun is not None:
        return begun
    name = f"before-restore-{now:%Y%m%dT%H%M%SZ}"
    names = (name, *(f"{name}-{number}" for number in range(2, 100)))
    return next(free for each in names if not (free := state / each).exists())


def _set_aside(state: Path, aside: Path) -> bool:
    """Move the present state away, and return whether there was any.

    If an interrupted restore has moved it already, what is here is half of its replacement.
    """
    make_folder(aside)
    if not (aside / _DATABASE).exists():
        settle(state / _DATABASE)
    for name in _OLD:
        here, there = state / name, aside / name
        if not there.exists() and here.exists():
            here.rename(there)
        elif here.is_dir():
            shutil.rmtree(here)
        else:
            here.unlink(missing_ok=True)
    if any(aside.iterdir()):
        return True
    aside.rmdir()
    return False


@contextmanager
def _with_message(state: Path) -> Iterator[None]:
    """Turn file system errors into one line that names the file."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{error.filename or state}: {error.strerror or error}") from error
