"""A look at the whole vault in a process of its own, which takes its memory with it when it ends.

Looking at a large vault takes many times the memory that the daemon has while it waits, and most
of that would stay with it.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict
from typing import TYPE_CHECKING

from daemon.child_environment import child_environment
from daemon.confinement.child import command
from daemon.cycle.look import Terms
from daemon.model.errors import LacunaError, StoppedError
from daemon.store.notes import NoteStore

if TYPE_CHECKING:  # what was seen is read only where somebody looks
    from daemon.analysis.health import Health

_WORKER = "daemon.adapters.look_worker"


class LookApart:
    """Looks at vaults as `daemon.cycle.look.look` does, one look at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._is_interrupted = False

    def __call__(self, notes: NoteStore, terms: Terms) -> Health:
        """Return what is seen of what is committed. Raises LacunaError, StoppedError.

        The process reads and writes the state and nothing else: text of the vault cannot leave it.
        """
        from daemon.analysis.keep import from_text  # noqa: PLC0415 only who looks needs it

        asked = {"database": str(notes.db.path), **asdict(terms), "until": terms.until.isoformat()}
        self._process = process = subprocess.Popen(
            command(_WORKER, writable=[notes.db.path.parent]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(),
        )
        if self._is_interrupted:  # before there was a process to end
            process.kill()
        said, complaint = process.communicate(json.dumps(asked).encode())
        if self._is_interrupted:
            raise StoppedError("the look at the vault was ended")
        found = from_text(said.decode(errors="replace")) if process.returncode == 0 else None
        if found is None:
            why = _why(process.returncode, complaint)
            raise LacunaError(f"the look at the vault was cut short: {why}")
        return found

    def interrupt(self) -> None:
        """End the look, and begin none any more: for a process that ends. A signal may call it."""
        self._is_interrupted = True
        process = self._process
        if process is not None:
            process.kill()


def _why(code: int, complaint: bytes) -> str:
    if code < 0:
        return f"killed by signal {-code}"
    lines = complaint.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {code}"
