"""Whether Linux can watch every folder of a vault; the limit is per user, not per program."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path


def watched_folders(root: Path, skips: Callable[[str], bool]) -> Iterator[str]:
    """Yield the folders to watch: `root` and all below it, without skipped ones."""
    for folder, names, _ in os.walk(root):
        names[:] = [name for name in names if not skips(f"{folder}/{name}")]
        yield folder


def watches_all_folders(root: Path, skips: Callable[[str], bool]) -> bool:
    """Return whether this process watches every folder that should be watched and can be read.

    The observer does not report a folder below the first that it could not watch. True if the
    system does not report watches.
    """
    if sys.platform != "linux":
        return True
    watches = max((watches_of(info) for info in Path("/proc/self/fdinfo").iterdir()), default=0)
    return watches >= sum(os.access(folder, os.R_OK) for folder in watched_folders(root, skips))


def watches_of(info: Path) -> int:
    """Return how many watches an open file has, by its entry in /proc/self/fdinfo."""
    try:
        return info.read_text(encoding="ascii", errors="replace").count("inotify wd:")
    except PermissionError:  # an old kernel hides this from a process that keeps keys in memory
        return sys.maxsize
    except OSError:  # closed since it was listed
        return 0


def can_watch_one_more(root: Path) -> bool:
    """Return whether the limit allows another watch."""
    if sys.platform != "linux":
        return True
    library = ctypes.CDLL(None, use_errno=True)
    opened = library.inotify_init1(os.O_CLOEXEC)
    if opened < 0:  # another limit, unrelated to this one
        return True
    try:
        in_delete_self = 0x400
        added = library.inotify_add_watch(opened, os.fsencode(root), in_delete_self)
        return bool(added >= 0 or ctypes.get_errno() != errno.ENOSPC)
    finally:
        os.close(opened)
