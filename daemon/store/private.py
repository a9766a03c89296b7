"""Files and folders that only their owner may use, whatever the umask."""

import os
from contextlib import suppress
from pathlib import Path


def make_folder(path: Path) -> None:
    """Create a folder and its missing parents for the owner alone. Raises OSError."""
    missing = [path]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)


def create(path: Path) -> None:
    """Create an empty file for the owner alone, unless it exists. Raises OSError.

    An existing one is not even opened: closing it would release every lock that SQLite holds on it
    in this process, and another process would then delete the journal of an open database.
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
