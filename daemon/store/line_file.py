"""Lines that are appended to a file of bounded size, by one or more processes."""

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from daemon.store.private import make_folder

_log = logging.getLogger(__name__)
_FULL = 1_000_000  # bytes of a file: there are two of them
_TAIL = 65_536  # bytes in which the last line is looked for


class LineFile:
    """Lines of text in NAME.jsonl, and in NAME.1.jsonl those before, until the next file is full.

    A full disk or a truncated line is not an error: critical data is in the database.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._newer, self._older = folder / f"{name}.jsonl", folder / f"{name}.1.jsonl"
        self._file: int | None = None
        self._size = 0

    def write(self, line: str) -> None:
        """Append one line."""
        data = f"{line}\n".encode("utf-8", "replace")
        try:
            if self._file is None:
                self._open()
            elif self._size + len(data) > _FULL:
                self.close()
                self._newer.replace(self._older)
                self._open()
            if self._file is not None:
                self._size += os.write(self._file, data)
        except OSError as error:
            _log.debug("could not store a line: %s", error)

    def lines(self) -> Iterator[bytes]:
        """Yield the stored lines, oldest first."""
        for file in (self._older, self._newer):
            with suppress(OSError):
                yield from file.read_bytes().splitlines()

    def last_lines(self) -> Iterator[list[bytes]]:
        """Yield the last lines of each file, oldest first, the newer file first."""
        for path in (self._newer, self._older):
            with suppress(OSError), path.open("rb") as file:
                file.seek(max(file.seek(0, os.SEEK_END) - _TAIL, 0))
                yield file.read().splitlines()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> None:
        """Open the file to append to it. Raises OSError."""
        make_folder(self._folder)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._file = os.open(self._newer, flags, 0o600)
        self._size = os.fstat(self._file).st_size
        if self._size and os.pread(self._file, 1, self._size - 1) != b"\n":
            self._size += os.write(self._file, b"\n")  # a kill truncated the last line
