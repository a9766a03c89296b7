"""Open notes in the system's editor, from a process that may itself be confined afterwards."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from daemon.host import open_notes
from daemon.model.errors import LacunaError
from daemon.usecases.note_links import is_of_obsidian
from daemon.usecases.place import Place, settings_of


class NoteOpener:
    """Passes paths of notes on to the process that opens them."""

    def __init__(self, into: IO[str], answers: IO[str]) -> None:
        self._into, self._answers, self._one = into, answers, threading.Lock()

    def __call__(self, path: str) -> None:
        """Open a note by its vault-relative path. Raises LacunaError."""
        with self._one:
            try:
                self._into.write(f"{json.dumps(path)}\n")
                self._into.flush()
                why = json.loads(self._answers.readline())
            except (OSError, ValueError):
                why = "the process that opens notes has ended: start `lacuna web` again"
        if why:
            raise LacunaError(f"{path} was not opened: {why}")


@contextmanager
def note_opener(place: Place) -> Iterator[NoteOpener | None]:
    """Yield what opens notes of a vault; None for Obsidian, which has links of its own.

    Enter it before the process is confined. Raises SettingsError.
    """
    vault = settings_of(place).vault
    if vault is None or is_of_obsidian(vault):
        yield None
        return
    with subprocess.Popen(
        [sys.executable, "-I", str(Path(open_notes.__file__)), str(vault.absolute())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ),  # the environment of the owner's programs; keys were taken out of it
        start_new_session=True,  # Ctrl-C ends the server, which then ends this process
    ) as process:
        if process.stdin is not None and process.stdout is not None:  # both are pipes
            yield NoteOpener(process.stdin, process.stdout)
