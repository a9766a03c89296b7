"""Whether Linux can watch every folder of a vault; the limit is per user, not per program."""

import ctypes
import errno
import os
import sys
from pathlib import Path


def watches_all_folders(root: Path) -> bool:
    """Whether every folder below `root` that can be read is watched by this process.

    The observer says nothing when it could not watch a folder below the first. True where the
    system does not tell.
    """
    if sys.platform != "linux":
        return True
    watches = max((_watches(info) for info in Path("/proc/self/fdinfo").iterdir()), default=0)
    return watches >= sum(os.access(folder, os.R_OK) for folder, _, _ in os.walk(root))


def _watches(info: Path) -> int:
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
