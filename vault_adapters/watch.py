"""File system events, settled into sets of changed paths.

A path is told of only when nothing happened to it for a while, so that no file is read while it is
still being written. Paths are a hint where to look: a folder's path stands for all that is below
it, the empty path for the whole vault, and a reader that compares the whole vault afterwards misses
nothing.
"""

import hashlib
import logging
import os
import stat
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserverVFS
from watchdog.utils import BaseThread

from vault_adapters.inotify import can_watch_one_more, watches_all_folders
from vault_adapters.observer import make_observer
from vault_adapters.settling import Settling

_log = logging.getLogger(__name__)
# What it logs as an error when it is stopped between two reads is none.
logging.getLogger("watchdog.observers.inotify").addFilter(
    lambda record: "called when the thread is inactive" not in record.getMessage()
)

# Not reading: our own looking at a file is no change. Not folders "modified": their files say more.
_CHANGES: list[type[FileSystemEvent]] = [
    FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent, FileClosedEvent,
    DirCreatedEvent, DirMovedEvent, DirDeletedEvent,
]  # fmt: skip
_BEAT_SECONDS = 20.0
_MAX_WAIT_SECONDS = 30.0  # before what has settled is reported while something never does
_JOIN_SECONDS = 5.0
_OWN_KEPT = 4096
# What raises each of the kernel's limits, which hold for all programs of a user together.
_LIMITS = {
    "watch limit": "`sudo sysctl fs.inotify.max_user_watches=524288` allows more",
    "instance limit": "`sudo sysctl fs.inotify.max_user_instances=512` allows more",
}
WHOLE = ""  # the path that stands for the whole vault
GONE = ""  # in place of a hash: the file is not there


@dataclass(frozen=True, slots=True)
class _Watch:
    """A running observer, with every thread that it started for itself."""

    observer: BaseObserver
    threads: tuple[threading.Thread, ...]
    identity: tuple[int, int] | None  # device and inode of the folder

    def is_alive(self, root: Path) -> bool:
        running = all(thread.is_alive() for thread in self.threads)
        return running and self.identity is not None and self.identity == _identity(root)

    def end(self) -> None:
        _end(self.observer)


class Watcher:
    """Watches a vault's folder and tells of changes that have settled, on a thread of its own.

    `on_settled` gets vault-relative paths with `/`; what it raises is logged and stops nothing.
    A file that was made and is gone again (an editor's temporary file) is never told of, unless the
    subscriber `knows` it: then it was moved over one that was there. Where the system lost events,
    the whole vault is told of at once. What is ignored is not watched.
    """

    def __init__(
        self,
        root: Path,
        ignores: Callable[[str], bool],
        on_settled: Callable[[frozenset[str]], None],
        *,
        settle_seconds: float,
        knows: Callable[[str], bool] = lambda _path: False,
        poll_seconds: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._root = root.resolve()
        self._ignores = ignores
        self._on_settled = on_settled
        self._knows = knows
        self._poll_seconds = poll_seconds
        self._clock = clock
        self._now = now
        self._settling = Settling(settle_seconds, _MAX_WAIT_SECONDS)
        self._wake = threading.Condition()
        self._own: dict[str, str] = {}
        self._watch: _Watch | None = None
        self._thread: threading.Thread | None = None
        self._folders_made = threading.Event()
        self._stopping = threading.Event()
        self.polling = ""  # why polling took over, or empty
        self.beat_at: datetime | None = None  # when the thread last went round

    @property
    def alive(self) -> bool:
        """Whether every thread runs that has to, and the vault's folder is there."""
        watch, thread = self._watch, self._thread
        return (
            watch is not None
            and thread is not None
            and thread.is_alive()
            and watch.is_alive(self._root)
        )

    def start(self) -> None:
        """Begin to watch. Raises OSError when the folder cannot be watched at all."""
        self._stopping.clear()
        self._watch = self._observe()
        self._thread = threading.Thread(target=self._run, name="settling", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End watching; what has not settled is not told of. May be started again."""
        with self._wake:
            self._stopping.set()
            self._wake.notify()
        if self._watch is not None:
            self._watch.end()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_JOIN_SECONDS)
        self._watch = self._thread = None

    def ignore_own(self, path: str, content_hash: str) -> None:
        """Tell nobody of `path` while its content has this sha256, for it is what we wrote.

        With `GONE` in place of a hash: while there is no such file.
        """
        with self._wake:
            self._own.pop(path, None)
            self._own[path] = content_hash
            while len(self._own) > _OWN_KEPT:
                del self._own[next(iter(self._own))]

    def changed(self, path: str, *, new: bool = False) -> None:
        """Note that something happened to the file (or folder) at an absolute path."""
        relative = self._relative(path)
        if relative is None or self._ignores(relative):
            return
        with self._wake:
            if self._settling.touch(relative, now=self._clock(), new=new):
                self._wake.notify()  # later ones only put off what the thread waits for already

    def folder_made(self) -> None:
        """Note that there are more folders to watch; what is in them is told of by itself."""
        self._folders_made.set()

    def settle(self) -> None:
        """Tell of what has settled by now."""
        with self._wake:
            taken = self._settling.take(now=self._clock())
            found = {path for path in taken if self._is_news(path)}
        gone = {path for path in found if taken[path] and not os.path.lexists(self._root / path)}
        self._report(frozenset(found - {path for path in gone if not self._knows(path)}))

    def overflowed(self) -> None:
        """Report the whole vault at once: the system dropped events.

        It is reported again when all is quiet, for a file may be half written by now.
        """
        _log.warning("%s: the system lost file events; comparing the whole vault", self._root)
        self._report(frozenset({WHOLE}))
        self.changed(str(self._root))

    def _report(self, paths: frozenset[str]) -> None:
        if not paths:
            return
        try:
            self._on_settled(paths)
        except Exception:  # noqa: BLE001 one subscriber's fault stops nothing
            _log.exception("what was to be done with %d changed paths failed", len(paths))

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.beat_at = self._now()
            with self._wake:
                due_at = self._settling.due_at()
                wait = _BEAT_SECONDS if due_at is None else due_at - self._clock()
                if not self._stopping.is_set() and wait > 0:
                    self._wake.wait(min(wait, _BEAT_SECONDS))
            self.settle()
            self._look_after_new_folders()

    def _is_news(self, path: str) -> bool:
        here = self._root / path
        own = self._own.get(path)
        if own is None:
            return True
        if _content_hash(here) == own:
            return False
        del self._own[path]  # should the user bring it back, that is a change too
        return True

    def _relative(self, path: str) -> str | None:
        try:
            relative = Path(path).relative_to(self._root).as_posix()
        except ValueError:
            return None
        return "" if relative == "." else relative

    def _observe(self) -> _Watch:
        try:
            make = partial(make_observer, self._skips, self.overflowed)
            watch = _begin(make, _Listener(self), self._root)
        except OSError as error:
            if not self._root.is_dir():
                raise
            return self._poll(error.strerror or str(error))
        if not self._watches_all() and not can_watch_one_more(self._root):
            watch.end()
            return self._poll("inotify watch limit reached")
        self.polling = ""
        return watch

    def _watches_all(self) -> bool:
        return watches_all_folders(self._root, self._skips)

    def _skips(self, folder: str) -> bool:
        """Whether all that could be in a folder, given by its absolute path, is ignored."""
        relative = self._relative(folder)
        return bool(relative) and self._ignores(f"{relative}/_.md")

    def _poll(self, why: str) -> _Watch:
        def observer() -> BaseObserver:  # by lstat, for links may lead round in circles
            return PollingObserverVFS(os.lstat, os.scandir, polling_interval=self._poll_seconds)

        hint = next((f"; {hint}" for limit, hint in _LIMITS.items() if limit in why), "")
        self.polling = f"{why}: looking every {self._poll_seconds:g} s instead{hint}"
        _log.warning("%s cannot be watched: %s", self._root, self.polling)
        return _begin(observer, _Listener(self), self._root)

    def _look_after_new_folders(self) -> None:
        """Once all is quiet: begin anew, or to poll, when a new folder went unwatched."""
        if not self._folders_made.is_set() or self.polling or self._stopping.is_set():
            return
        with self._wake:
            if self._settling.due_at() is not None:
                return
        self._folders_made.clear()
        if self._watch is not None and not self._watches_all():
            self._watch.end()
            self._watch = self._observe()
            self.changed(str(self._root))
            if self._stopping.is_set():  # meanwhile
                self._watch.end()


class _Listener(FileSystemEventHandler):
    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def on_any_event(self, event: FileSystemEvent) -> None:
        if isinstance(event, DirCreatedEvent):
            self._watcher.folder_made()
            return
        self._watcher.changed(os.fsdecode(event.src_path), new=isinstance(event, FileCreatedEvent))
        if event.dest_path:
            self._watcher.changed(os.fsdecode(event.dest_path))


def _begin(
    make: Callable[[], BaseObserver], listener: FileSystemEventHandler, root: Path
) -> _Watch:
    # When folders appear in quick succession the observer finds one twice, and says so at length.
    warnings.filterwarnings("ignore", "Callback with id .* already exists", RuntimeWarning)
    before, identity = set(threading.enumerate()), _identity(root)
    observer = make()
    try:
        observer.schedule(listener, str(root), recursive=True, event_filter=_CHANGES)
        observer.start()
    except BaseException:
        _end(observer)
        raise
    threads = (
        thread
        for thread in threading.enumerate()
        if thread not in before and isinstance(thread, BaseThread)
    )
    return _Watch(observer, tuple(threads), identity)


def _end(observer: BaseObserver) -> None:
    observer.stop()
    if observer.is_alive():
        observer.join(_JOIN_SECONDS)


def _identity(root: Path) -> tuple[int, int] | None:
    """Device and inode of a folder, or None when it is gone (or no folder)."""
    try:
        seen = root.stat()
    except OSError:
        return None
    return (seen.st_dev, seen.st_ino) if stat.S_ISDIR(seen.st_mode) else None


def _content_hash(path: Path) -> str | None:
    """The sha256 of a file, `GONE` when there is none, None when it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return GONE
    except OSError:
        return None
