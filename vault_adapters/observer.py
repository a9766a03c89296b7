"""The observer of a vault's folders: ignored folders are not watched, and an overflow is reported.

That is for Linux, whose event queue is short; other systems watch a folder as a whole.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

Skips = Callable[[str], bool]  # of an absolute path of a folder

if sys.platform == "linux":
    from dataclasses import dataclass

    from watchdog.observers.inotify import InotifyEmitter, InotifyObserver, InotifyWatchGroup
    from watchdog.observers.inotify_c import InotifyEvent

    @dataclass
    class _Folders(InotifyWatchGroup):
        """The watches of a vault's folders, without skipped ones."""

        skips: Skips = lambda _folder: False
        on_overflow: Callable[[], None] = lambda: None

        def on_queue_overflow(self) -> None:
            super().on_queue_overflow()
            self.on_overflow()

        def _add_all_callbacks(self, path: bytes) -> None:
            if path != self.path and self._is_skipped(path):
                return
            self._add_callback(path)
            for folder, names, _ in os.walk(path):
                names[:] = [name for name in names if not self._is_skipped(folder + b"/" + name)]
                for name in names:
                    if not Path(os.fsdecode(folder + b"/" + name)).is_symlink():
                        self._add_callback(folder + b"/" + name)

        def _recursive_simulate(self, src_path: bytes) -> list[InotifyEvent]:
            return [] if self._is_skipped(src_path) else super()._recursive_simulate(src_path)

        def _is_skipped(self, path: bytes) -> bool:
            return self.skips(os.fsdecode(path))

    class _Emitter(InotifyEmitter):
        def __init__(
            self, *args: Any, skips: Skips, on_overflow: Callable[[], None], **how: Any
        ) -> None:
            super().__init__(*args, **how)
            self._skips = skips
            self._on_overflow = on_overflow

        def on_thread_start(self) -> None:
            self._inotify = _Folders(
                self._inotify_fd,
                os.fsencode(self.watch.path),
                is_recursive=self.watch.is_recursive,
                event_mask=self.get_event_mask_from_filter(),
                follow_symlink=self.watch.follow_symlink,
                skips=self._skips,
                on_overflow=self._on_overflow,
            )

    class _Observer(InotifyObserver):
        def __init__(self, skips: Skips, on_overflow: Callable[[], None]) -> None:
            super().__init__()
            self._emitter_class = _Emitter
            self._emitter_kwargs |= {"skips": skips, "on_overflow": on_overflow}

    def make_observer(skips: Skips, on_overflow: Callable[[], None]) -> BaseObserver:
        """Return an observer that calls `on_overflow` if the kernel dropped events."""
        return _Observer(skips, on_overflow)

else:

    def make_observer(skips: Skips, on_overflow: Callable[[], None]) -> BaseObserver:
        """Return the system's observer."""
        return Observer()
