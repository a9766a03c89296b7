"""A state folder that others could use becomes private."""

import logging
import os
import stat
from pathlib import Path

_log = logging.getLogger(__name__)

_OTHERS = 0o077  # the permission bits of everybody else


def is_open(folder: Path) -> bool:
    """Return whether anybody besides the owner may use the content of a folder."""
    return folder.is_dir() and bool(folder.stat().st_mode & _OTHERS)


def close_to_others(folder: Path) -> None:
    """Make a folder and its content private to its owner; log once if it was not.

    Links are not followed. Files of another user are left unchanged.
    """
    paths = [folder]
    for where, folders, files in os.walk(folder):
        paths += [Path(where, name) for name in (*folders, *files)]
    if number := sum(map(_close, paths)):
        what = "1 file or folder" if number == 1 else f"{number} files and folders"
        _log.warning("other users could use %s of Lacuna's in %s; now only you can", what, folder)


def _close(path: Path) -> bool:
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode) or not found.st_mode & _OTHERS:
            return False
        path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
    except OSError:  # gone by now, or another user's
        return False
    return True
