"""Retention: run folders, caches, the ledger's rows and a log file stay bounded.

Age and order alone decide what is deleted, so that the same state is always pruned alike. What an
unfinished run or an undecided finding needs is never deleted, whatever the limits.
"""

import logging
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from daemon.model.errors import StoreError
from daemon.model.spending import megabytes
from daemon.store.requests import RequestStore
from daemon.store.runs import RunStore
from daemon.store.spent import Spent

_FIRST_AFTER = timedelta(minutes=5)  # after the daemon's start: there is more urgent work before
_EVERY = timedelta(hours=24)
_IN_USE = timedelta(hours=1)  # a younger cache file may be in use now
_SUMS_KEPT = timedelta(days=1100)  # of the ledger: three years, so that years can be compared
_PLACES = ("cache/library", "replays")  # below the state folder; everything else there is not ours
_TEMPORARY = "tmp"  # left by a killed process
_HALF_DONE = (".backup-*", ".restore-*")  # each contains a copy of the state
_TEMPORARY_KEPT = timedelta(days=1)
LOG = "daemon.log"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is kept; 0 is no limit."""

    runs_days: int
    runs_mb: float
    cache_mb: float
    ledger_days: int
    log_mb: float


@dataclass(frozen=True, slots=True)
class Pruned:
    """What one pruning removed: ids of runs, and the amounts of the rest."""

    runs: tuple[str, ...] = ()
    cached: int = 0
    entries: int = 0
    bytes: int = 0


class Retention:
    """Keeps one vault's state within its limits."""

    def __init__(
        self, state: Path, runs: RunStore, requests: RequestStore, spent: Spent, limits: Limits
    ) -> None:
        self._state = state
        self._runs = runs
        self._requests = requests
        self._spent = spent
        self._limits = limits
        self._due_at: datetime | None = None

    def prune_if_due(self, now: datetime) -> None:
        """Prune a while after the first call, and once a day after that; log it."""
        if self._due_at is None or now < self._due_at - _EVERY:  # or the clock was set back
            self._due_at = now + _FIRST_AFTER
        if now < self._due_at:
            return
        self._due_at = now + _EVERY
        pruned = self.prune(now)
        if pruned != Pruned():
            _log.info(
                "pruned: %s of %d runs' records, %d cached files and logs; %d old requests"
                " forgotten, their sums kept",
                *(megabytes(pruned.bytes), len(pruned.runs), pruned.cached, pruned.entries),
            )

    def prune(self, now: datetime) -> Pruned:
        """Delete what is over the limits. Raises StoreError."""
        try:
            runs, freed = self._prune_runs(now)
            cached, more = self._prune_caches(now)
            self._prune_temporary(now)
            trimmed = trim(self._state / LOG, _bytes(self._limits.log_mb))
        except OSError as error:
            raise StoreError(f"{error.filename or self._state}: {error.strerror}") from None
        self._requests.forget_answered()
        entries = self._prune_ledger(now)
        return Pruned(runs, cached + (trimmed > 0), entries, freed + more + trimmed)

    def _prune_runs(self, now: datetime) -> tuple[tuple[str, ...], int]:
        """Remove the folders of decided runs that are too old, then the oldest until all fit."""
        days, most = self._limits.runs_days, _bytes(self._limits.runs_mb)
        sizes = {run: self._runs.storage.size(run) for run in self._runs.storage.runs()}
        total = sum(sizes.values())
        gone: list[str] = []
        freed = 0
        for row in self._runs.prunable():  # the oldest first
            if row.id not in sizes:
                continue
            ended_at = row.ended_at or row.started_at
            is_old = days > 0 and ended_at < now - timedelta(days=days)
            if not is_old and (most == 0 or total - freed <= most):
                continue
            # first: half a folder must not be taken for a complete one
            self._runs.mark_pruned(row.id, now)
            self._runs.storage.remove(row.id)
            freed += sizes[row.id]
            gone.append(row.id)
        return tuple(gone), freed

    def _prune_caches(self, now: datetime) -> tuple[int, int]:
        """Remove the least recently written files, until the rest fits."""
        most = _bytes(self._limits.cache_mb)
        found = sorted(_files(self._state / place for place in _PLACES))
        too_much = sum(size for _, _, size in found) - most
        newest = (now - _IN_USE).timestamp()
        gone = freed = 0
        for mtime, path, size in found:
            if most == 0 or freed >= too_much or mtime > newest:
                break
            path.unlink(missing_ok=True)
            freed += size
            gone += 1
        return gone, freed

    def _prune_temporary(self, now: datetime) -> None:
        oldest = (now - _TEMPORARY_KEPT).timestamp()
        folder = self._state / _TEMPORARY
        found = list(folder.iterdir()) if folder.is_dir() else []
        found += [path for half in _HALF_DONE for path in self._state.glob(half)]
        for path in sorted(found):
            if path.lstat().st_mtime >= oldest:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def _prune_ledger(self, now: datetime) -> int:
        days = self._limits.ledger_days
        if days == 0:
            return 0
        # Today's are never deleted: they count for a service's own daily limit.
        before = min(now - timedelta(days=days), now - timedelta(days=2))
        return self._spent.prune(before, (now - _SUMS_KEPT).date())


def trim(path: Path, most: int) -> int:
    """Cut the older half off a log that is larger than `most` bytes; return how much was cut.

    It is cut in place: its writers continue. Raises OSError.
    """
    if most == 0 or not path.is_file() or (size := path.stat().st_size) <= most:
        return 0
    with path.open("r+b") as file:
        file.seek(size - most // 2 - 1)
        kept = file.read()
        kept = kept[kept.find(b"\n") + 1 :]
        file.seek(0)
        file.write(kept)
        file.truncate()
    return size - len(kept)


def _bytes(mb: float) -> int:
    return round(mb * 1_000_000)


def _files(folders: Iterable[Path]) -> Iterable[tuple[float, Path, int]]:
    """Yield (time of writing, path, size) of all files below."""
    for top in folders:
        for folder, _, names in os.walk(top):
            for name in names:
                path = Path(folder, name)
                status = path.lstat()
                yield status.st_mtime, path, status.st_size
