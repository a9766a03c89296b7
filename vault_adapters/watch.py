"""File system events, debounced into sets of changed paths.

A path is reported only when nothing has happened to it for a while, so that no file is read while
it is still being written. Paths are hints: a folder's path stands for everything below it, the
empty path for the whole vault, and a reader that then compares the whole vault misses nothing.
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
from vault_adapters.own_writes import GONE, OwnWrites
from vault_adapters.settling import Settling

_log = logging.getLogger(__name__)
# It logs an error if it is stopped between two reads, which is harmless.
logging.getLogger("watchdog.observers.inotify").addFilter(
    lambda record: "called when the thread is inactive" not in record.getMessage()
)

# Not reads: our own reading is not a change. Not modified folders: the events of their files are
# more precise.
_CHANGES: list[type[FileSystemEvent]] = [
    FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent, FileClosedEvent,
    DirCreatedEvent, DirMovedEvent, DirDeletedEvent,
]  # fmt: skip
_BEAT_SECONDS = 20.0
_MAX_WAIT_SECONDS = 30.0  # until debounced changes are reported although others keep coming
_JOIN_SECONDS = 5.0
# How to raise each of the kernel's limits, which apply to all programs of a user together.
_LIMITS = {
    "watch limit": "`sudo sysctl fs.inotify.max_user_watches=524288` allows more",
    "instance limit": "`sudo sysctl fs.inotify.max_user_instances=512` allows more",
}
WHOLE = ""  # the path of the whole vault


@dataclass(frozen=True, slots=True)
class _Watch:
    """A running observer, with all threads that it started."""

    observer: BaseObserver
    threads: tuple[threading.Thread, ...]
    identity: tuple[int, int] | None  # device and inode of the folder

    def is_alive(self, root: Path) -> bool:
        running = all(thread.is_alive() for thread in self.threads)
        return running and self.identity is not None and self.identity == _identity(root)

    def end(self) -> None:
        _end(self.observer)


class Watcher:
    """Watches a vault's folder and reports debounced changes on a thread of its own.

    `on_settled` gets vault-relative paths with `/`; its exceptions are logged and stop nothing. A
    file that was created and removed again (an editor's temporary file) is not reported, unless the
    subscriber `knows` it: then it was moved over an existing one. If the system lost events, the
    whole vault is reported at once. Ignored folders are not watched. A file is not reported while
    it is as `own_writes` has it.
    """

    def __init__(  # noqa: PLR0913  each by its name
        self,
        root: Path,
        ignores: Callable[[str], bool],
        on_settled: Callable[[frozenset[str]], None],
        *,
        settle_seconds: float,
        knows: Callable[[str], bool] = lambda _path: False,
        own_writes: OwnWrites | None = None,
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
        self._own_writes = own_writes or OwnWrites()
        self._watch: _Watch | None = None
        self._thread: threading.Thread | None = None
        self._folders_made = threading.Event()
        self._stopping = threading.Event()
        self.polling = ""  # why it is polling, or empty
        self.beat_at: datetime | None = None  # when the thread last completed a cycle

    @property
    def alive(self) -> bool:
        """Return whether every required thread is running and the vault's folder exists."""
        watch, thread = self._watch, self._thread
        return (
            watch is not None
            and thread is not None
            and thread.is_alive()
            and watch.is_alive(self._root)
        )

    def start(self) -> None:
        """Start watching. Raises OSError if the folder cannot be watched at all."""
        self._stopping.clear()
        self._watch = self._observe()
        self._thread = threading.Thread(target=self._run, name="settling", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; pending changes are not reported. May be started again."""
        with self._wake:
            self._stopping.set()
            self._wake.notify()
        if self._watch is not None:
            self._watch.end()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_JOIN_SECONDS)
        self._watch = self._thread = None

    def changed(self, path: str, *, new: bool = False) -> None:
        """Record an event for the file (or folder) at an absolute path."""
        relative = self._relative(path)
        if relative is None or self._ignores(relative):
            return
        with self._wake:
            if self._settling.touch(relative, now=self._clock(), new=new):
                self._wake.notify()  # later ones only postpone a wait that is already running

    def folder_made(self) -> None:
        """Record that there are new folders to watch; their content is reported separately."""
        self._folders_made.set()

    def settle(self) -> None:
        """Report the changes that are due."""
        with self._wake:
            taken = self._settling.take(now=self._clock())
            found = {path for path in taken if self._is_foreign(path)}
        gone = {path for path in found if taken[path] and not os.path.lexists(self._root / path)}
        self._report(frozenset(found - {path for path in gone if not self._knows(path)}))

    def overflowed(self) -> None:
        """Report the whole vault at once: the system dropped events.

        It is reported again when all is quiet, because a file may be half written now.
        """
        _log.warning("%s: the system dropped file events; comparing the whole vault", self._root)
        self._report(frozenset({WHOLE}))
        self.changed(str(self._root))

    def _report(self, paths: frozenset[str]) -> None:
        if not paths:
            return
        try:
            self._on_settled(paths)
        except Exception:  # noqa: BLE001 one subscriber's fault stops nothing
            _log.exception("processing %d changed paths failed", len(paths))

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.beat_at = self._now()
            with self._wake:
                due_at = self._settling.due_at()
                wait = _BEAT_SECONDS if due_at is None else due_at - self._clock()
                if not self._stopping.is_set() and wait > 0:
                    self._wake.wait(min(wait, _BEAT_SECONDS))
            self.settle()
            self._watch_new_folders()

    def _is_foreign(self, path: str) -> bool:
        here = self._root / path
        own = self._own_writes.hash_of(path)
        if own is None:
            return True
        if _content_hash(here) == own:
            return False
        self._own_writes.forget(path)  # if the user restores it, that is a change too
        return True

    def _relative(self, path: str) -> str | None:
        """Return a path below the vault relative to it, "" for the vault itself."""
        root = os.fspath(self._root)
        if path == root:
            return ""
        return path.removeprefix(f"{root}/") if path.startswith(f"{root}/") else None

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
        """Return whether everything in a folder, given by its absolute path, would be ignored."""
        relative = self._relative(folder)
        return bool(relative) and self._ignores(f"{relative}/_.md")

    def _poll(self, why: str) -> _Watch:
        def observer() -> BaseObserver:  # by lstat, because links may form cycles
            return PollingObserverVFS(os.lstat, os.scandir, polling_interval=self._poll_seconds)

        hint = next((f"; {hint}" for limit, hint in _LIMITS.items() if limit in why), "")
        self.polling = f"{why}: polling every {self._poll_seconds:g} s instead{hint}"
        _log.warning("cannot watch %s: %s", self._root, self.polling)
        return _begin(observer, _Listener(self), self._root)

    def _watch_new_folders(self) -> None:
        """When all is quiet, restart the observer, or start polling, if a new folder is not
        watched.
        """
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
    # When folders appear in quick succession the observer finds one twice, and logs that at length.
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
    """Return device and inode of a folder, or None if it does not exist."""
    try:
        seen = root.stat()
    except OSError:
        return None
    return (seen.st_dev, seen.st_ino) if stat.S_ISDIR(seen.st_mode) else None


def _content_hash(path: Path) -> str | None:
    """Return the sha256 of a file, `GONE` if it does not exist, None if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return GONE
    except OSError:
        return None
