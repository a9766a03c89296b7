"""Whether Linux can watch every folder of a vault; the limit is per user, not per program."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path


def watched_folders(root: Path, skips: Callable[[str], bool]) -> Iterator[str]:
    """Yield the folders that are to be watched: `root` and all below it but those that it skips."""
    for folder, names, _ in os.walk(root):
        names[:] = [name for name in names if not skips(f"{folder}/{name}")]
        yield folder


def watches_all_folders(root: Path, skips: Callable[[str], bool]) -> bool:
    """Whether every folder that is to be watched and can be read is watched by this process.

    The observer says nothing when it could not watch a folder below the first. True where the
    system does not tell.
    """
    if sys.platform != "linux":
        return True
    watches = max((watches_of(info) for info in Path("/proc/self/fdinfo").iterdir()), default=0)
    return watches >= sum(os.access(folder, os.R_OK) for folder in watched_folders(root, skips))


def watches_of(info: Path) -> int:
    """Return how many watches an open file has, by its entry in /proc/self/fdinfo."""
    try:
        return info.read_text(encoding="ascii", errors="replace").count("inotify wd:")
    except PermissionError:  # an old kernel does not tell a process that keeps keys in its memory
        return sys.maxsize
    except OSError:  # closed since it was listed
        return 0


def can_watch_one_more(root: Path) -> bool:
    """Whether the limit leaves room for another watch."""
    if sys.platform != "linux":
        return True
    library = ctypes.CDLL(None, use_errno=True)
    opened = library.inotify_init1(os.O_CLOEXEC)
    if opened < 0:  # another limit, which says nothing about this one
        return True
    try:
        in_delete_self = 0x400
        added = library.inotify_add_watch(opened, os.fsencode(root), in_delete_self)
        return bool(added >= 0 or ctypes.get_errno() != errno.ENOSPC)
    finally:
        os.close(opened)
