"""Files and folders that only their owner may use, whatever the umask."""

import logging
import os
import stat
from contextlib import suppress
from pathlib import Path

_log = logging.getLogger(__name__)

_OTHERS = 0o077  # the permission bits of everybody else


def make_folder(path: Path) -> None:
    """Create a folder and its missing parents for the owner alone. Raises OSError."""
    missing = [path]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)


def create(path: Path) -> None:
    """Create an empty file for the owner alone, unless it exists. Raises OSError.

    One that is there is not even opened: to close it would release every lock that SQLite holds on
    it in this process, and another process would then delete the journal of an open database.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def opener(path: str, flags: int) -> int:
    """Open a file as `open` does; a new one is for the owner alone."""
    return os.open(path, flags, 0o600)


def write_text(path: Path, text: str) -> None:
    """Write a small file for the owner alone. Raises OSError."""
    with open(path, "w", encoding="utf-8", opener=opener) as file:
        file.write(text)


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
        _log.warning("other users could use %s of the state in %s; now only you can", what, folder)


def _close(path: Path) -> bool:
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode) or not found.st_mode & _OTHERS:
            return False
        path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
    except OSError:  # gone by now, or another user's
        return False
    return True
